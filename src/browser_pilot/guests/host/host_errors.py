"""Errors of host requests, in the few codes that guests know."""

from __future__ import annotations

from typing import Literal

from browser_pilot.errors import InvalidArgument, PermissionDenied, PilotError, Refused, Timeout

HostErrorCode = Literal[
    "ERR_PERMISSION_DENIED", "ERR_TIMEOUT", "ERR_INVALID_PARAMS", "ERR_UNKNOWN_METHOD", "ERR_NAVIGATION"
]


class HostError(Exception):
    def __init__(self, code: HostErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def host_error_for(error: Exception) -> HostError | None:
    """None for an error that is a bug of ours."""
    if isinstance(error, HostError):
        return error
    if not isinstance(error, PilotError):
        return None
    code: HostErrorCode = "ERR_NAVIGATION"
    if isinstance(error, Refused):
        code = "ERR_PERMISSION_DENIED"
    elif isinstance(error, Timeout):
        code = "ERR_TIMEOUT"
    elif isinstance(error, InvalidArgument):
        code = "ERR_INVALID_PARAMS"
    # Other suggestions are for agents: they name arguments of tools, which a guest does not have.
    suggestions = error.suggestions if isinstance(error, PermissionDenied) else ()
    return HostError(code, " ".join((error.message, *suggestions)))
