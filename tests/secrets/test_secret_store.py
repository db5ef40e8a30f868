"""Secrets are stored encrypted, expanded only on their domains, and known to the redactor."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from browser_pilot.errors import InvalidArgument, PermissionDenied, RecordsUnavailable
from browser_pilot.file_lock import locked
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.secrets import secret_store
from browser_pilot.secrets.secret_store import Secret, expand, has_secret_references
from tests.audit_log.logs import all_bytes, modes

from .stores import VALUE, MemoryKeyring, same, store_in

SECRETS = {"MAIL": Secret("MAIL", ("mail.example", "b.example"), VALUE)}


def test_a_reference_is_replaced_by_the_value_on_its_domain() -> None:
    text = "user {{secret:MAIL}} and {{ secret:MAIL }} again"
    assert expand(text, SECRETS, host="b.example", matches=same) == f"user {VALUE} and {VALUE} again"


def test_a_secret_is_refused_on_another_domain() -> None:
    with pytest.raises(PermissionDenied, match=r"mail\.example, b\.example") as refused:
        expand("{{secret:MAIL}}", SECRETS, host="evil.example", matches=same)
    assert VALUE not in str(refused.value)


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidArgument, match=r"no secret named NOPE\. Known: MAIL\."):
        expand("{{secret:NOPE}}", SECRETS, host="b.example", matches=same)


def test_one_refused_secret_refuses_the_whole_text() -> None:
    with pytest.raises(InvalidArgument):
        expand("{{secret:MAIL}} {{secret:NOPE}}", SECRETS, host="b.example", matches=same)


def test_a_value_that_looks_like_a_reference_is_not_expanded_again() -> None:
    nested = {"A": Secret("A", ("a",), "{{secret:B}}"), "B": Secret("B", ("b",), "other")}
    assert expand("{{secret:A}}", nested, host="a", matches=same) == "{{secret:B}}"


@settings(deadline=None)
@given(st.text())
def test_text_without_references_is_not_changed(text: str) -> None:
    if not has_secret_references(text):
        assert expand(text, SECRETS, host="x", matches=same) == text


def test_the_repr_of_a_secret_does_not_contain_its_value() -> None:
    assert VALUE not in repr(SECRETS)


@pytest.mark.parametrize("keyring", [None, MemoryKeyring()])
def test_secrets_are_stored_encrypted_and_private(tmp_path: Path, keyring: MemoryKeyring | None) -> None:
    store_in(tmp_path, keyring=keyring).set("MAIL", VALUE, domains=["b.example"])
    assert VALUE.encode() not in all_bytes(tmp_path)
    assert set(modes(tmp_path).values()) == {0o600}
    assert ("secrets.key" in modes(tmp_path)) == (keyring is None)
    again = store_in(tmp_path, keyring=keyring)
    assert again.names() == {"MAIL": ("b.example",)}
    assert again.expand("{{secret:MAIL}}", host="b.example", matches=same) == VALUE


def test_the_redactor_knows_every_value_before_it_can_appear(tmp_path: Path) -> None:
    redactor = Redactor()
    hub = store_in(tmp_path, redactor)
    hub.refresh()
    store_in(tmp_path).set("MAIL", VALUE, domains=["b.example"])
    hub.refresh()
    assert redactor.text(f"page says {VALUE}") == "page says [redacted:secret]"
    hub.set("OTHER", "battery staple", domains=["b.example"])
    assert redactor.text("battery staple") == "[redacted:secret]"


def test_changes_of_another_process_are_loaded(tmp_path: Path) -> None:
    hub, command_line = store_in(tmp_path), store_in(tmp_path)
    assert hub.names() == {}
    command_line.set("A", "value one", domains=["a"])
    command_line.set("B", "value two", domains=["b"])
    assert hub.names() == {"A": ("a",), "B": ("b",)}
    assert hub.remove("A")
    assert not hub.remove("A")
    assert command_line.names() == {"B": ("b",)}
    with pytest.raises(InvalidArgument):
        command_line.expand("{{secret:A}}", host="a", matches=same)


@pytest.mark.parametrize(
    ("name", "value", "domains"),
    [("1A", VALUE, ["a"]), ("a b", VALUE, ["a"]), ("", VALUE, ["a"]), ("A", "abc", ["a"]), ("A", VALUE, [])],
)
def test_an_invalid_secret_is_refused(tmp_path: Path, name: str, value: str, domains: list[str]) -> None:
    with pytest.raises(InvalidArgument):
        store_in(tmp_path).set(name, value, domains=domains)
    assert not (tmp_path / "secrets.enc").exists()


def test_a_change_is_refused_while_another_process_holds_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(secret_store, "LOCK_TIMEOUT_SECONDS", 0)
    with locked(tmp_path / "secrets.lock"), pytest.raises(RecordsUnavailable):
        store_in(tmp_path).set("A", VALUE, domains=["a"])
    assert store_in(tmp_path).names() == {}
