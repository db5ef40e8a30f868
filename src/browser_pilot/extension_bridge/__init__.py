"""The link to the user's own browsers: pairing, the extension's socket, and the relay for Playwright."""
