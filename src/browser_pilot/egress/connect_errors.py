"""Why a host was not reached: a rule forbids it, or the network failed. Values only.

A browser behind a proxy learns no more than "the tunnel failed" or a status; these are kept so that the call that
failed can say the real reason. ``code`` is what Chromium itself would have said without a proxy.
"""

from __future__ import annotations

import errno
import socket
from dataclasses import dataclass

from ..policy.hosts import Site


@dataclass(frozen=True, slots=True)
class Refusal:
    """A rule forbids it."""

    site: Site
    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class Failure:
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


def failure_of(site: Site, error: OSError) -> Failure:
    if isinstance(error, socket.gaierror):
        code = "ERR_NAME_NOT_RESOLVED"
    elif isinstance(error, TimeoutError):
        return Failure(site, "ERR_CONNECTION_TIMED_OUT", "The server did not answer in time.")
    else:
        code = _CODES.get(error.errno or 0, "ERR_CONNECTION_FAILED")
    return Failure(site, code, f"The server cannot be reached: {error.strerror or error}.")
