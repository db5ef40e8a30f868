"""The bearer token of a home: created once, so that the configurations of clients stay valid."""

from __future__ import annotations

import secrets
from pathlib import Path

from browser_pilot.home import write_private

MIN_TOKEN_CHARACTERS = 32


def hub_token(home: Path) -> str:
    path = home / "token"
    try:
        token = path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        token = ""
    if len(token) < MIN_TOKEN_CHARACTERS:
        token = secrets.token_urlsafe(MIN_TOKEN_CHARACTERS)
        write_private(path, f"{token}\n")
    return token
