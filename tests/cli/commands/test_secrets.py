"""`browser-pilot secret`: values are read hidden and never printed; names and domains are checked."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from browser_pilot.redaction.redactor import Redactor
from browser_pilot.secrets.secret_store import SecretStore
from tests.audit_log.logs import all_bytes, modes, reader
from tests.cli.conftest import Invoke
from tests.hub_process import environment

VALUE = "correct horse battery"


@pytest.fixture(autouse=True)
def no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests never touch the keyring of this machine."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")


def typed(home: Path, name: str, host: str) -> str:
    store = SecretStore(home, Redactor(), keyring=lambda: None)
    return store.expand(f"{{{{secret:{name}}}}}", host=host, matches=lambda domain, host: domain == host)


def test_a_secret_is_read_from_standard_input_and_stored_encrypted(invoke: Invoke, home: Path) -> None:
    outcome = invoke("secret", "set", "MAIL", "--domain", "Mail.Example", stdin=f"{VALUE}\n")
    assert outcome.code == 0
    assert typed(home, "MAIL", "mail.example") == VALUE
    assert "typed only on mail.example" in outcome.out
    assert str(home / "secrets.key") in outcome.out
    assert VALUE not in outcome.out + outcome.err
    assert VALUE.encode() not in all_bytes(home)
    assert set(modes(home).values()) == {0o600}


def test_a_running_hub_reads_it_without_a_restart(invoke: Invoke, home: Path) -> None:
    redactor = Redactor()
    hub = SecretStore(home, redactor, keyring=lambda: None)
    assert hub.names() == {}
    invoke("secret", "set", "MAIL", "--domain", "a.example", stdin=VALUE)
    assert hub.names() == {"MAIL": ("a.example",)}
    assert VALUE not in redactor.text(f"the page says {VALUE}")
    invoke("secret", "remove", "MAIL")
    assert hub.names() == {}


def test_the_list_shows_names_and_domains_but_no_value(invoke: Invoke) -> None:
    assert "There are no secrets." in invoke("secret", "list").out
    invoke("secret", "set", "B", "--domain", "*.b.example", "--domain", "c.example:8443", stdin=VALUE)
    invoke("secret", "set", "A", "--domain", "localhost", stdin=VALUE)
    shown, data = invoke("secret", "list"), invoke("secret", "list", "--json")
    assert data.data["secrets"] == [
        {"name": "A", "domains": ["localhost"]},
        {"name": "B", "domains": ["*.b.example", "c.example:8443"]},
    ]
    assert data.data["key_in"] == "file"
    assert "*.b.example, c.example:8443" in shown.out
    assert VALUE not in shown.out + data.out


@pytest.mark.parametrize(
    "domain", ["*", "*.co.uk", "co.uk", "github.io", "https://a.example/", "", "a b", "*.10.0.0.1"]
)
def test_a_domain_that_covers_unrelated_sites_is_rejected(invoke: Invoke, home: Path, domain: str) -> None:
    outcome = invoke("secret", "set", "MAIL", "--domain", domain, stdin=VALUE)
    assert outcome.code == 1
    assert not (home / "secrets.enc").exists()


@pytest.mark.parametrize("name", ["1A", "a b", "{{x}}", "x" * 65])
def test_an_invalid_name_is_rejected(invoke: Invoke, name: str) -> None:
    outcome = invoke("secret", "set", name, "--domain", "a.example", stdin=VALUE)
    assert outcome.code == 1
    assert "not a valid secret name" in outcome.err


@pytest.mark.parametrize("value", ["", "\n", "abc", "x" * 10_001, "with\x00zero"])
def test_an_invalid_value_is_rejected(invoke: Invoke, home: Path, value: str) -> None:
    assert invoke("secret", "set", "MAIL", "--domain", "a.example", stdin=value).code == 1
    assert not (home / "secrets.enc").exists()


def test_a_value_in_the_arguments_is_rejected(invoke: Invoke) -> None:
    assert invoke("secret", "set", "MAIL", VALUE, "--domain", "a.example").code == 2


def test_a_secret_without_a_domain_is_rejected(invoke: Invoke) -> None:
    assert invoke("secret", "set", "MAIL", stdin=VALUE).code == 2


def test_removing_an_unknown_secret_fails(invoke: Invoke) -> None:
    outcome = invoke("secret", "remove", "MAIL")
    assert outcome.code == 1
    assert "There is no secret MAIL." in outcome.err


def test_changes_are_in_the_audit_log_without_the_value(invoke: Invoke, home: Path) -> None:
    invoke("secret", "set", "MAIL", "--domain", "a.example", stdin=VALUE)
    invoke("secret", "set", "MAIL", "--domain", "b.example", stdin="another value")
    invoke("secret", "remove", "MAIL")
    assert [action.intent["text"] for action in reader(home).search()] == [
        "The secret MAIL was set.",
        "The secret MAIL was changed.",
        "The secret MAIL was removed.",
    ]
    assert reader(home).verify().ok
    assert VALUE.encode() not in all_bytes(home)


def test_a_log_that_cannot_be_written_gives_a_warning_and_the_secret_is_stored(invoke: Invoke, home: Path) -> None:
    home.mkdir()
    (home / "activity.db").mkdir()
    outcome = invoke("secret", "set", "MAIL", "--domain", "a.example", stdin=VALUE)
    assert outcome.code == 0
    assert "not in the audit log" in outcome.err
    assert typed(home, "MAIL", "a.example") == VALUE


@pytest.mark.parametrize(("second", "code"), [(VALUE, 0), ("other", 1)])
def test_on_a_terminal_the_value_is_read_twice_and_not_shown(home: Path, second: str, code: int) -> None:
    main, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "browser_pilot", "secret", "set", "MAIL", "--domain", "a.example"],
        env=environment(home),
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
    )
    os.close(terminal)
    shown = b""
    for prompt, typed in ((b"(hidden): ", VALUE), (b"Repeat: ", second)):
        while prompt not in shown:
            shown += os.read(main, 1000)
        os.write(main, f"{typed}\n".encode())
    while chunk := _read(main):
        shown += chunk
    os.close(main)
    assert process.wait(30) == code
    assert VALUE.encode() not in shown
    assert (home / "secrets.enc").exists() == (code == 0)


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1000)
    except OSError:
        return b""
