"""Guests: third-party MCP servers in a sandbox, which may ask the host for what only the user's browser can do."""
