"""Encrypts secrets with a passphrase, so that a backup can be restored on another machine, by its owner only.

scrypt derives the key from the passphrase; its cost in time (a tenth of a second) and memory is intended. Pure except
for the random salt.
"""

from __future__ import annotations

import base64
import json
import secrets
from typing import cast

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from browser_pilot.errors import InvalidArgument

MIN_PASSPHRASE_CHARACTERS = 8
SALT_BYTES = 16
SCRYPT_COST = 2**17
FORMAT = b"sealed secrets 1\n"


def encrypt(content: dict[str, object], passphrase: str) -> bytes:
    if len(passphrase) < MIN_PASSPHRASE_CHARACTERS:
        raise InvalidArgument(f"A passphrase needs at least {MIN_PASSPHRASE_CHARACTERS} characters.")
    salt = secrets.token_bytes(SALT_BYTES)
    encrypted = Fernet(_key(passphrase, salt)).encrypt(json.dumps(content).encode())
    return FORMAT + base64.b64encode(salt) + b"\n" + encrypted + b"\n"


def decrypt(data: bytes, passphrase: str) -> dict[str, object]:
    """The decrypted content. Raises ``InvalidArgument`` for a wrong passphrase or changed data."""
    salt, _, encrypted = data.removeprefix(FORMAT).partition(b"\n")
    try:
        if not data.startswith(FORMAT):
            raise ValueError
        decrypted = Fernet(_key(passphrase, base64.b64decode(salt, validate=True))).decrypt(encrypted.strip())
        return cast("dict[str, object]", json.loads(decrypted))
    except (InvalidToken, ValueError):
        raise InvalidArgument(
            "The secrets cannot be decrypted: the passphrase is wrong, or the data was changed."
        ) from None


def _key(passphrase: str, salt: bytes) -> bytes:
    kdf = Scrypt(salt=salt, length=32, n=SCRYPT_COST, r=8, p=1)
    return base64.urlsafe_b64encode(kdf.derive(passphrase.encode("utf-8", "surrogatepass")))
