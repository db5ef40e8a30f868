"""Secrets that travel: sealed with a passphrase, so that a backup opens on another machine, and for its owner alone.

The key is made from the passphrase by scrypt, which takes a tenth of a second and much memory on purpose. Pure but for
the salt's randomness.
"""

from __future__ import annotations

import base64
import json
import secrets
from typing import cast

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from ..errors import InvalidArgument

SHORTEST_PASSPHRASE = 8
SALT_BYTES = 16
COST = 2**17
FORMAT = b"sealed secrets 1\n"


def seal(content: dict[str, object], passphrase: str) -> bytes:
    if len(passphrase) < SHORTEST_PASSPHRASE:
        raise InvalidArgument(f"A passphrase needs at least {SHORTEST_PASSPHRASE} characters.")
    salt = secrets.token_bytes(SALT_BYTES)
    sealed = Fernet(_key(passphrase, salt)).encrypt(json.dumps(content).encode())
    return FORMAT + base64.b64encode(salt) + b"\n" + sealed + b"\n"


def open_sealed(data: bytes, passphrase: str) -> dict[str, object]:
    """What was sealed. Raises ``InvalidArgument`` for another passphrase or changed data."""
    salt, _, sealed = data.removeprefix(FORMAT).partition(b"\n")
    try:
        if not data.startswith(FORMAT):
            raise ValueError
        opened = Fernet(_key(passphrase, base64.b64decode(salt, validate=True))).decrypt(sealed.strip())
        return cast("dict[str, object]", json.loads(opened))
    except (InvalidToken, ValueError):
        raise InvalidArgument("The secrets cannot be opened: another passphrase, or they were changed.") from None


def _key(passphrase: str, salt: bytes) -> bytes:
    kdf = Scrypt(salt=salt, length=32, n=COST, r=8, p=1)
    return base64.urlsafe_b64encode(kdf.derive(passphrase.encode("utf-8", "surrogatepass")))
