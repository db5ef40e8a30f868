"""MCP: tools, results, elicitation and resources, over stdio (through the local socket) and Streamable HTTP."""
