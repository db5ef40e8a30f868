"""MCP transports: the local socket for stdio adapters, and Streamable HTTP."""
