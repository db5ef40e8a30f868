"""Finds the hub of this home or starts one: runtime file, bearer token, launcher. Standard library only."""
