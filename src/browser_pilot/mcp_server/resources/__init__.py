"""MCP resources and the notifications about their changes."""
