"""Finds this home's hub, starts one when none runs, and replaces an idle one of another version.

Everything here fails as ``HubUnavailable``. The connection itself is in ``hub_socket``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from browser_pilot import __version__
from browser_pilot.errors import HubUnavailable
from browser_pilot.hub_discovery.runtime_file import RuntimeInfo, hub_lock, read_runtime

from .hub_socket import HubSocket, open_hub_socket

# The launcher is imported only where a hub is started or a failure is reported: with a running hub it would be half of
# the adapter's start-up time.

RETIRE_TIMEOUT_SECONDS = 15.0

# Identifies this process to every hub that it connects to: its step budget must not start again with a new hub.
_IDENTITY = os.urandom(16).hex()
# Whether this process has had a hub: what its client had open there is gone when it connects to another.
_had_hub = False

Options = Mapping[str, str | int | bool]


class _Connected(NamedTuple):
    hub: HubSocket
    version: str
    is_replaceable: bool


def connect_to_hub(home: Path, options: Options, *, log: Callable[[str], None]) -> HubSocket:
    """Connect to this home's hub; start or replace it first where needed."""
    with _os_errors_reported(home):
        connected = _connect_to_usable(home, options)
        if connected is None:
            with hub_lock(home):
                connected = _start_or_replace_hub(home, options, log)
    return _used(connected, log)


def connect_to_running_hub(home: Path, options: Options, *, log: Callable[[str], None]) -> HubSocket | None:
    """Connect to this home's hub; ``None`` where it would have to be started or replaced first."""
    with _os_errors_reported(home):
        connected = _connect_to_usable(home, options)
    return None if connected is None else _used(connected, log)


@contextmanager
def _os_errors_reported(home: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        from browser_pilot.hub_discovery.launcher import diagnostic_suggestions

        raise HubUnavailable(
            f"The hub cannot be reached: {error}.", suggestions=diagnostic_suggestions(home)
        ) from error


def _connect_to_usable(home: Path, options: Options) -> _Connected | None:
    connected = _handshake_with_current(home, read_runtime(home), options)
    if connected is not None and connected.is_replaceable:
        connected.hub.disconnect()
        return None
    return connected


def _used(connected: _Connected, log: Callable[[str], None]) -> HubSocket:
    global _had_hub
    _had_hub = True
    if connected.version != __version__:
        log(f"Using the running hub of version {connected.version}; this is version {__version__}.")
    return connected.hub


def _start_or_replace_hub(home: Path, options: Options, log: Callable[[str], None]) -> _Connected:
    """Called with the lock held. Its previous holder may already have started or replaced the hub."""
    from browser_pilot.hub_discovery.launcher import diagnostic_suggestions, start_hub

    info = read_runtime(home)
    connected = _handshake(home, info, options)
    if info is not None and connected is not None and connected.is_replaceable:
        connected.hub.disconnect()
        if _retire(home, info):
            log(f"Replaced the idle hub of version {connected.version}.")
        connected = _handshake(home, read_runtime(home), options)
    if connected is None:
        notice = start_hub(home)
        if notice:
            log(notice)
        connected = _handshake(home, read_runtime(home), options)
    if connected is None:
        raise HubUnavailable("The hub ended right after its start.", suggestions=diagnostic_suggestions(home))
    return connected


def _handshake_with_current(home: Path, info: RuntimeInfo | None, options: Options) -> _Connected | None:
    try:
        return _handshake(home, info, options)
    except HubUnavailable:
        # A new hub may have taken over the socket just after the old hub's token was read.
        if read_runtime(home) == info:
            raise
        return None


def _handshake(home: Path, info: RuntimeInfo | None, options: Options) -> _Connected | None:
    """Connect with this client's options; ``None`` when no hub runs."""
    if info is None:
        return None
    opened = open_hub_socket(home, info, {"identity": _IDENTITY, "had_hub": _had_hub, "options": dict(options)})
    if opened is None:
        return None
    hub, reply = opened
    version = str(reply.get("hub"))
    is_idle = reply.get("replaceable") is True and reply.get("clients") == 0
    return _Connected(hub, version, is_replaceable=is_idle and version != __version__)


def _retire(home: Path, info: RuntimeInfo) -> bool:
    """Request a hub of another version to stop, and wait until it has; ``False`` when it refuses."""
    from browser_pilot.hub_discovery.launcher import diagnostic_suggestions, wait_for_exit

    try:
        opened = open_hub_socket(home, info, {"retire": True})
    except HubUnavailable:
        return False
    if opened is None:
        return True
    hub, reply = opened
    try:
        if reply.get("retiring") is not True:
            return False
        while hub.read_line(timeout_seconds=RETIRE_TIMEOUT_SECONDS) is not None:
            pass
    except TimeoutError as error:
        raise HubUnavailable(
            f"The hub of version {info.version} did not stop when requested to.",
            suggestions=diagnostic_suggestions(home),
        ) from error
    finally:
        hub.close()
    return wait_for_exit(info.pid, timeout_seconds=RETIRE_TIMEOUT_SECONDS)
