"""Why a connection was not made: a rule forbids it, or the network failed. Values only.

A browser behind a proxy sees only "tunnel failed" or a status code. These are kept so that the error of the failed call
has the real reason. ``code`` is the error code that Chromium would have reported without a proxy.
"""

from __future__ import annotations

import errno
import socket
from dataclasses import dataclass

from browser_pilot.policy.hosts import Site

# Chromium has no code for this: it knows our proxy only.
PARENT_PROXY_FAILED = "PARENT_PROXY_FAILED"


class ParentProxyError(OSError):
    """The user's proxy cannot be reached, or refuses."""


@dataclass(frozen=True, slots=True)
class BlockedByPolicy:
    """A rule forbids the connection."""

    site: Site
    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class NetworkFailure:
    """The network failed."""

    site: Site
    code: str
    reason: str


_CODES = {
    errno.ECONNREFUSED: "ERR_CONNECTION_REFUSED",
    errno.ECONNRESET: "ERR_CONNECTION_RESET",
    errno.ETIMEDOUT: "ERR_CONNECTION_TIMED_OUT",
    errno.EHOSTUNREACH: "ERR_ADDRESS_UNREACHABLE",
    errno.ENETUNREACH: "ERR_INTERNET_DISCONNECTED",
}


def network_failure(site: Site, error: OSError) -> NetworkFailure:
    if isinstance(error, ParentProxyError):
        return NetworkFailure(site, PARENT_PROXY_FAILED, f"The server cannot be reached: {error}.")
    if isinstance(error, socket.gaierror):
        code = "ERR_NAME_NOT_RESOLVED"
    elif isinstance(error, TimeoutError):
        return NetworkFailure(site, "ERR_CONNECTION_TIMED_OUT", "The server did not respond in time.")
    else:
        code = _CODES.get(error.errno or 0, "ERR_CONNECTION_FAILED")
    return NetworkFailure(site, code, f"The server cannot be reached: {error.strerror or error}.")
