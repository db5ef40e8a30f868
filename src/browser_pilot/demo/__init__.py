"""A small site of our own, to prove and to show Browser Pilot without the network: sign in, book, read the result."""
