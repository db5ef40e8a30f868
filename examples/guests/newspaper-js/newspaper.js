// Reads articles behind a newspaper's login. It never gets a password or a cookie: the host opens the page in the
// user's browser and returns its text.

async function getArticle({ url }) {
  const page = await MCP.requestHost("browser.capturePage", { url, format: "text" });
  if (/please sign in/i.test(page.content)) throw new Error("The user is not signed in to the newspaper.");
  return `${page.title}\n\n${page.content}`;
}

async function handle({ method, params }) {
  if (method === "tools/call" && params.name === "get_article") {
    return { content: [{ type: "text", text: await getArticle(params.arguments) }] };
  }
  throw new Error(`method not found: ${method}`);
}

async function main() {
  for (;;) {
    const request = JSON.parse(await MCP.readLine());
    if (request.id === undefined) continue;
    handle(request).then(
      (result) => MCP.writeLine(JSON.stringify({ jsonrpc: "2.0", id: request.id, result })),
      ({ message }) =>
        MCP.writeLine(JSON.stringify({ jsonrpc: "2.0", id: request.id, error: { code: -32000, message } })),
    );
  }
}

main();
