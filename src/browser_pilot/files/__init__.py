"""Files that come from the web: what they are, what they are called, and how they get onto the disk.

Knows nothing of browsers: whoever has the bytes hands them over.
"""
