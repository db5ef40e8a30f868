"""Why a host request was not served, in the few codes that guests know."""

from __future__ import annotations

from typing import Literal

from ..errors import InvalidArgument, PilotError, Refused, Timeout

HostCode = Literal["ERR_PERMISSION_DENIED", "ERR_TIMEOUT", "ERR_INVALID_PARAMS", "ERR_UNKNOWN_METHOD", "ERR_NAVIGATION"]


class HostRefusal(Exception):
    def __init__(self, code: HostCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def refusal_for(error: Exception) -> HostRefusal | None:
    """None for what is a bug of ours."""
    if isinstance(error, HostRefusal):
        return error
    if not isinstance(error, PilotError):
        return None
    code: HostCode = "ERR_NAVIGATION"
    if isinstance(error, Refused):
        code = "ERR_PERMISSION_DENIED"
    elif isinstance(error, Timeout):
        code = "ERR_TIMEOUT"
    elif isinstance(error, InvalidArgument):
        code = "ERR_INVALID_PARAMS"
    return HostRefusal(code, " ".join((error.message, *error.suggestions)))
