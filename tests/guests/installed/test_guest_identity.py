"""Secrets and grants belong to one guest: its name, author and content. Another one of its name gets nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser_pilot.guests.host.grants import GrantStore
from browser_pilot.guests.installed.guest_secrets import GuestSecrets
from browser_pilot.guests.installed.guest_store import GuestStore, InstalledGuest
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.secrets.secret_store import SecretStore
from tests.guests.guest_factory import DO, package

SITE = "news.example"


def install(home: Path, *, author: str = "Ann", code: str = "1") -> InstalledGuest:
    return GuestStore(home).install(package(code, name="ev", author=author), (DO,), source="a test")


@pytest.mark.parametrize(("author", "code"), [("Mallory", "1"), ("Ann", "2")], ids=["other author", "other code"])
def test_a_replacement_inherits_neither_secrets_nor_grants(home: Path, author: str, code: str) -> None:
    first = install(home)
    secrets, grants = GuestSecrets(SecretStore(home, Redactor())), GrantStore(home)
    secrets.set(first.identity, "KEY", "a value")
    grants.save(first.identity, ["net:fetch"], SITE, "allow")
    grants.grant_temporarily(first.identity, ["browser:login"], SITE)

    second = install(home, author=author, code=code)

    assert secrets.value(second.identity, "KEY") is None
    assert grants.decision(second.identity, "net:fetch", SITE) is None
    assert grants.decision(second.identity, "browser:login", SITE) is None
    assert secrets.value(first.identity, "KEY") == "a value"
    assert grants.of_others(second.identity) == {SITE: ["net:fetch"]}
    assert secrets.of_others(second.identity) == {"KEY"}


def test_what_the_user_keeps_moves_to_the_new_guest_only(home: Path) -> None:
    first, second = install(home), install(home, code="2")
    secrets, grants = GuestSecrets(SecretStore(home, Redactor())), GrantStore(home)
    secrets.set(first.identity, "KEY", "a value")
    grants.save(first.identity, ["net:fetch"], SITE, "allow")

    grants.replace_others(second.identity, keep=True)
    secrets.rebind(second.identity)

    assert secrets.value(second.identity, "KEY") == "a value"
    assert grants.decision(second.identity, "net:fetch", SITE) == "allow"
    assert secrets.value(first.identity, "KEY") is None
    assert grants.decision(first.identity, "net:fetch", SITE) is None


def test_what_the_user_forbade_holds_for_every_guest_of_the_name(home: Path) -> None:
    first, second = install(home), install(home, author="Mallory")
    grants = GrantStore(home)
    grants.save(first.identity, ["browser:login"], SITE, "deny")
    assert grants.decision(second.identity, "browser:login", SITE) == "deny"

    grants.replace_others(second.identity, keep=False)

    assert GrantStore(home).decision(second.identity, "browser:login", SITE) == "deny"

    grants.save("ev", ["browser:login"], SITE, "allow")
    grants.replace_others(second.identity, keep=True)
    assert GrantStore(home).decision(second.identity, "browser:login", SITE) == "deny"


def test_grants_and_secrets_that_are_bound_to_a_name_only_belong_to_no_guest(home: Path) -> None:
    """As an earlier version stored them."""
    guest = install(home)
    secrets, grants = GuestSecrets(SecretStore(home, Redactor())), GrantStore(home)
    secrets.set("ev", "KEY", "a value")
    grants.save("ev", ["net:fetch"], SITE, "allow")

    assert secrets.value(guest.identity, "KEY") is None
    assert grants.decision(guest.identity, "net:fetch", SITE) is None
    assert secrets.of_others(guest.identity) == {"KEY"}
