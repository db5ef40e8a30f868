"""The hub process: composition root, HTTP listener, health, and maintenance."""
