"""The HTTP API beside `/mcp`: approvals, browsers, guests, health; and the middleware that authenticates requests."""
