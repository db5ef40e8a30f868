"""Installed guests: their manifests and packages, the copies in the home, and their secrets."""
