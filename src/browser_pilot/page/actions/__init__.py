"""What an agent does on a page: resolve a target, check it, send input, wait for the effects."""
