"""The hub's own page: what agents do and want, in any browser of the user, and the pairing of more browsers."""
