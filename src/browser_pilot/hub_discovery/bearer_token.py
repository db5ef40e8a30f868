"""The bearer token of a home: created once, so that the configurations of clients stay valid.

Another user may know a token whose file is not private or not ours: it is replaced.
"""

from __future__ import annotations

import logging
import os
import secrets
import stat
from pathlib import Path

from browser_pilot.home import write_private

logger = logging.getLogger(__name__)

MIN_TOKEN_CHARACTERS = 32


def hub_token(home: Path) -> str:
    path = home / "token"
    token = _read_token(path)
    if len(token) < MIN_TOKEN_CHARACTERS:
        token = secrets.token_urlsafe(MIN_TOKEN_CHARACTERS)
        write_private(path, f"{token}\n")
    return token


def _read_token(path: Path) -> str:
    """The token in a regular file of this user that no other user can access; else empty."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        return ""
    except OSError as error:
        logger.warning("The token file cannot be read and is replaced: %s", error.strerror)
        return ""
    with os.fdopen(descriptor, encoding="ascii", errors="replace") as file:
        facts = os.fstat(descriptor)
        if os.name == "posix" and not _is_private(facts):
            logger.warning("The token file was accessible to another user: the token is replaced.")
            return ""
        return file.read().strip()


def _is_private(facts: os.stat_result) -> bool:
    return stat.S_ISREG(facts.st_mode) and facts.st_uid == os.geteuid() and not facts.st_mode & 0o077
