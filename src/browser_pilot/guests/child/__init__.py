"""The code inside a guest's process. Started by path; few imports, for a fast start."""
