"""Guests: third-party MCP servers in a sandbox. The host serves their requests for the user's browser."""
