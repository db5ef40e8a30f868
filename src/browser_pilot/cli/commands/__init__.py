"""One module per command or command group of `browser-pilot`."""
