"""Runs: many tool calls in one call of ``browser_run``. Parsing them, references to earlier results, executing them."""
