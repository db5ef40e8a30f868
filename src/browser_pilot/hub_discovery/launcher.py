"""Starts a detached hub, and waits for one to end. Standard library only, because the adapter imports it.

The started hub outlives its starter: it has a process session of its own and writes to a log file in the home. The
first line on its standard output says that it is ready, or why not. Finding a running hub is ``runtime_file``'s task.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import cast

from browser_pilot.errors import HubMisconfigured, HubUnavailable
from browser_pilot.home import PRIVATE_FILE, make_private_folder

from .runtime_file import log_path

READY_TIMEOUT_SECONDS = 30.0
POLL_SECONDS = 0.05
HUB_COMMAND = (sys.executable, "-m", "browser_pilot", "serve", "--detached")


def start_hub(home: Path, *, timeout_seconds: float = READY_TIMEOUT_SECONDS) -> str | None:
    """Start a hub and wait until it is ready; the caller holds ``hub_lock``.

    Returns the hub's notice for its user, such as that it uses another port. Raises ``HubUnavailable``.
    """
    try:
        starting = _StartingHub(home)
    except OSError as error:
        raise HubUnavailable(
            f"The hub could not be started: {error}.", suggestions=diagnostic_suggestions(home)
        ) from error
    return starting.wait(timeout_seconds)


def diagnostic_suggestions(home: Path) -> tuple[str, ...]:
    return ("Run browser-pilot doctor to see what is wrong.", f"The hub's messages are in {log_path(home)}.")


class _StartingHub:
    """A hub process until its first line of output."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._has_output = threading.Event()
        self._line = b""
        make_private_folder(home)
        log = log_path(home)
        make_private_folder(log.parent)
        descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE_FILE)
        try:
            self._process = subprocess.Popen(
                HUB_COMMAND,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=descriptor,
                # `python -m` imports from the current folder first, and a client's may contain anything.
                cwd=home,
                env={**os.environ, "BROWSER_PILOT_HOME": str(home)},
                start_new_session=True,
                creationflags=_creation_flags(),
            )
        finally:
            os.close(descriptor)
        threading.Thread(target=self._watch, daemon=True).start()

    def wait(self, timeout_seconds: float) -> str | None:
        if not self._has_output.wait(timeout_seconds):
            self._process.terminate()
            raise self._failure(f"The hub was not ready within {timeout_seconds:.0f} seconds.")
        if not self._line:
            raise self._failure("The hub ended before it was ready.")
        try:
            value: object = json.loads(self._line)
        except ValueError as error:
            raise self._failure("The hub's first line of output is not JSON.") from error
        report = cast("dict[str, object]", value) if isinstance(value, dict) else {}
        if report.get("ready") is True:
            notice = report.get("note")
            return notice if isinstance(notice, str) else None
        raise hub_error(report, home=self._home)

    def _failure(self, message: str) -> HubUnavailable:
        return HubUnavailable(message, suggestions=diagnostic_suggestions(self._home))

    def _watch(self) -> None:
        """Read the hub's first line, then wait for its end, so that it does not become a zombie."""
        assert self._process.stdout is not None  # noqa: S101 - stdout is a pipe
        with self._process.stdout as stdout:
            self._line = stdout.readline()
        self._has_output.set()
        self._process.wait()


def hub_error(report: dict[str, object], *, home: Path) -> HubUnavailable:
    """The error in a hub's report: ``{"error": {"error", "message", "suggestions"}}``."""
    error = report.get("error")
    details = cast("dict[str, object]", error) if isinstance(error, dict) else {}
    suggestions = details.get("suggestions")
    listed = cast("list[object]", suggestions) if isinstance(suggestions, list) else []
    code = details.get("error")
    message = str(details.get("message", "The hub refused the connection without a reason."))
    tips = tuple(str(suggestion) for suggestion in listed) or diagnostic_suggestions(home)
    if code == HubMisconfigured.code:
        return HubMisconfigured(message, suggestions=tips)
    return HubUnavailable(message, suggestions=tips, metadata={"cause": code} if isinstance(code, str) else None)


def wait_for_exit(pid: int, *, timeout_seconds: float) -> bool:
    """Whether the process, which need not be our child, ends in time."""
    deadline = time.monotonic() + timeout_seconds
    if sys.platform == "linux":
        try:
            descriptor = os.pidfd_open(pid)
        except ProcessLookupError:
            return True
        except OSError:
            return False
        try:
            return bool(select.select([descriptor], [], [], timeout_seconds)[0])
        finally:
            os.close(descriptor)
    # Elsewhere the standard library cannot wait for a process that is not a child: poll.
    pause = threading.Event()
    while is_alive(pid):
        if time.monotonic() >= deadline:
            return False
        pause.wait(POLL_SECONDS)
    return True


def is_alive(pid: int) -> bool:
    if sys.platform == "win32":
        # os.kill would end the process on Windows; tasklist lists it as long as it runs.
        listing = subprocess.run(["tasklist", "/FI", f"PID eq {pid}", "/NH"], capture_output=True, check=False)  # noqa: S607
        return str(pid).encode() in listing.stdout
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _creation_flags() -> int:
    if sys.platform == "win32":
        return subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
    return 0
