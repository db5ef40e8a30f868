"""Secrets encrypted with a passphrase, for a backup."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser_pilot.errors import InvalidArgument
from browser_pilot.secrets.passphrase import decrypt, encrypt

from .stores import VALUE, same, store_in


def test_an_export_is_decrypted_with_its_passphrase_only(tmp_path: Path) -> None:
    first, second = store_in(tmp_path / "first"), store_in(tmp_path / "second")
    first.set("MAIL", VALUE, domains=["b.example"])
    copy = first.export_encrypted("a long passphrase")
    assert VALUE.encode() not in copy
    with pytest.raises(InvalidArgument, match="passphrase"):
        decrypt(copy, "another passphrase")
    with pytest.raises(InvalidArgument):
        decrypt(b"no such thing", "a long passphrase")
    second.set("OLD", VALUE, domains=["a"])
    second.replace(decrypt(copy, "a long passphrase"))
    assert second.names() == {"MAIL": ("b.example",)}
    assert second.expand("{{secret:MAIL}}", host="b.example", matches=same) == VALUE


def test_a_short_passphrase_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="at least 8 characters"):
        encrypt({}, "1234567")
