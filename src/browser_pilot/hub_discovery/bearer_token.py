"""The bearer token of a home: made once, so that clients' configurations stay valid."""

from __future__ import annotations

import secrets
from pathlib import Path

from .home import write_private

SHORTEST = 32


def hub_token(home: Path) -> str:
    path = home / "token"
    try:
        token = path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        token = ""
    if len(token) < SHORTEST:
        token = secrets.token_urlsafe(SHORTEST)
        write_private(path, f"{token}\n")
    return token
