"""Builds what is released besides the wheel: the MCP bundle, and the extension for web stores. Not in the wheel."""
