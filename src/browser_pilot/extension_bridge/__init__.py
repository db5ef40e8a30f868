"""The hub's end of the extension: pairing, the extension's connection, and the CDP relay for Playwright."""
