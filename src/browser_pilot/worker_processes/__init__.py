"""Worker processes: run a function whose time others control outside of the event loop, with a deadline.

For work on input of a client, a page or a guest that may take long: regular expressions, JSON schemas, redaction of
long texts. A thread would not do: ``re`` holds the interpreter's lock for the whole match and cannot be stopped.

``run_in_worker`` is the only entry. ``pool`` owns the processes, ``child`` is the code that runs in them. A worker is
no sandbox: it has the rights of the hub and runs the hub's own code. Guests' code never runs in it.
"""

from .pool import run_in_worker

__all__ = ["run_in_worker"]
