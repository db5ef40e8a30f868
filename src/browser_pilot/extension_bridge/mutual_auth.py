"""Mutual authentication of hub and browser: each proves that it has the shared key, without sending it. Pure.

``extension/offscreen/auth.js`` is the same in JavaScript; a test compares the two. A pairing code serves as a key for
one handshake only: the key is derived with PBKDF2, because a code is short, and salted with the nonces of both sides.
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
PBKDF2_ROUNDS = 200_000
# Crockford's alphabet: no letter looks like a digit or like another letter.
CODE_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
CODE_LENGTH = 8


@dataclass(frozen=True, slots=True)
class Handshake:
    """One handshake: the browser's id and a nonce of each side."""

    browser: str
    browser_nonce: str
    hub_nonce: str


def new_nonce() -> str:
    return secrets.token_urlsafe(24)


def new_code() -> str:
    """A code as it is shown: ``K7QW-3M9T``."""
    letters = "".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_LENGTH))
    return f"{letters[:4]}-{letters[4:]}"


def normalize_code(typed: str) -> str:
    """A typed code in canonical form."""
    return re.sub("[^0-9A-Z]", "", re.sub("[IL]", "1", typed.upper().replace("O", "0")))


def proof_of(key: str, side: Side, handshake: Handshake) -> str:
    """The proof of one side, valid for this handshake and this side only."""
    parts = ("browser-pilot/1", side, handshake.browser, handshake.browser_nonce, handshake.hub_nonce)
    return _text(hmac.digest(_bytes(key), "\n".join(parts).encode(), "sha256"))


def is_valid_proof(given: str, key: str, side: Side, handshake: Handshake) -> bool:
    return hmac.compare_digest(given.encode(), proof_of(key, side, handshake).encode())


def key_from_code(code: str, handshake: Handshake) -> str:
    salt = f"{handshake.browser_nonce}\n{handshake.hub_nonce}".encode()
    return _text(hashlib.pbkdf2_hmac("sha256", normalize_code(code).encode(), salt, PBKDF2_ROUNDS))


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
