// A guest: an MCP server in one script. It reads requests line by line and writes responses the same way.

const tools = {
  greet: ({ name }) => `Hello, ${name}!`,

  async page_title({ url }) {
    // The host opens the page in the background, with the user's login, and returns its content, never the password.
    const page = await MCP.requestHost("browser.capturePage", { url });
    return page.title;
  },
};

async function handle({ method, params }) {
  if (method !== "tools/call") throw new Error(`there is no method ${method}`);
  const text = await tools[params.name](params.arguments);
  return { content: [{ type: "text", text }] };
}

async function main() {
  for (;;) {
    const request = JSON.parse(await MCP.readLine());
    if (request.id === undefined) continue;
    // Not awaited, so that requests run concurrently.
    handle(request).then(
      (result) => MCP.writeLine(JSON.stringify({ jsonrpc: "2.0", id: request.id, result })),
      (error) =>
        MCP.writeLine(JSON.stringify({ jsonrpc: "2.0", id: request.id, error: { code: -32000, message: String(error.message) } })),
    );
  }
}

main();
