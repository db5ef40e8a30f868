"""Files from the web: their types, their names, and writing them to the disk. Knows nothing of browsers."""
