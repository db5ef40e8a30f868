"""How the hub and a browser prove to each other that they share a key, without either showing it. Pure.

The same is written in JavaScript in ``extension/proofs.js``; a test holds them together. A pairing code stands for a
key in one exchange only: it is derived slowly, because a code is short, and from what both sides threw in.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from typing import Literal

Side = Literal["hub", "browser"]
ROUNDS = 200_000
# Crockford's alphabet: no letter looks like a digit or like another letter.
CODE_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
CODE_LENGTH = 8


@dataclass(frozen=True, slots=True)
class Exchange:
    """What one greeting is about: the browser, and a number used once of each side."""

    browser: str
    browser_nonce: str
    hub_nonce: str


def fresh_nonce() -> str:
    return secrets.token_urlsafe(24)


def fresh_code() -> str:
    """A code as people see it: ``K7QW-3M9T``."""
    letters = "".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_LENGTH))
    return f"{letters[:4]}-{letters[4:]}"


def plain_code(typed: str) -> str:
    """A code as it is meant, however it was typed."""
    return re.sub("[^0-9A-Z]", "", re.sub("[IL]", "1", typed.upper().replace("O", "0")))


def proof_of(key: str, side: Side, exchange: Exchange) -> str:
    """What one side shows the other; it fits this exchange and this side only."""
    words = ("browser-pilot/1", side, exchange.browser, exchange.browser_nonce, exchange.hub_nonce)
    return _text(hmac.digest(_bytes(key), "\n".join(words).encode(), "sha256"))


def is_proof(given: str, key: str, side: Side, exchange: Exchange) -> bool:
    return hmac.compare_digest(given.encode(), proof_of(key, side, exchange).encode())


def key_from_code(code: str, exchange: Exchange) -> str:
    salt = f"{exchange.browser_nonce}\n{exchange.hub_nonce}".encode()
    return _text(hashlib.pbkdf2_hmac("sha256", plain_code(code).encode(), salt, ROUNDS))


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
