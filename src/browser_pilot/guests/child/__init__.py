"""What runs inside a guest's process. Started by path: keep imports few, for start-up time."""
