"""Scripts of a caller: their source text, and running them without side effects."""
