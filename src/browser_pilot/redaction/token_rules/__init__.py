"""Inputs of ``token_patterns.json`` and the script that generates it. Not imported at run time."""
