"""The user's own secrets: stored encrypted, bound to domains, typed by name."""
