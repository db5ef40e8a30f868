"""A small local site for the demo and the smoke test, without the network: sign in, book, read the result."""
