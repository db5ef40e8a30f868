"""`browser-pilot secret set|list|remove`: values that agents can use but never see.

A value is read from a hidden prompt or standard input, never from the arguments, which other programs can see and
shells store in their history. No command prints a value.
"""

from __future__ import annotations

import getpass
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from browser_pilot.cli.output import SUCCESS, AsJson, print_json, print_line, print_table
from browser_pilot.errors import InvalidArgument
from browser_pilot.home import locate_home

if TYPE_CHECKING:
    from browser_pilot.secrets.secret_store import SecretStore

commands = typer.Typer(
    help="Passwords and other secrets that agents can use without seeing them.", no_args_is_help=True
)

MAX_VALUE_CHARACTERS = 10_000

Name = Annotated[str, typer.Argument(metavar="NAME", help="Agents write it as {{secret:NAME}}.")]


@commands.command(name="set")
def set_secret(
    name: Name,
    domain: Annotated[
        list[str],
        typer.Option(
            metavar="DOMAIN", help="A site on which it may be typed: example.com, *.example.com; can be repeated."
        ),
    ],
) -> None:
    """Store a secret. Its value is read from a hidden prompt or standard input.

    browser-pilot secret set SHOP_PASSWORD --domain example.com

    pass show shop | browser-pilot secret set SHOP_PASSWORD --domain example.com
    """
    from browser_pilot.cli.audit_note import write_audit_note
    from browser_pilot.secrets.secret_store import SECRET_NAME

    if not SECRET_NAME.fullmatch(name):
        raise InvalidArgument(
            f"{name!r} is not a valid secret name.",
            suggestions=["Start with a letter and use letters, digits, '.', '_' and '-', such as SHOP_PASSWORD."],
        )
    domains = [_check_domain(text) for text in dict.fromkeys(domain)]
    home = locate_home()
    store = _store(home)
    new = name not in store.names()
    store.set(name, _read_value(name), domains=domains)
    write_audit_note(home, f"The secret {name} was {'set' if new else 'changed'}.", {"domains": domains})
    print_line(SUCCESS, f" {'Stored' if new else 'Changed'} {name}. It is typed only on {', '.join(domains)}.")
    print_line(f"  {_storage_description(home, store)}")
    print_line(f"  An agent types it as {{{{secret:{name}}}}} and sees only a placeholder.")


@commands.command(name="list")
def list_secrets(as_json: AsJson = False) -> None:
    """List the names, the sites of each secret, and where they are stored; never a value."""
    home = locate_home()
    store = _store(home)
    names = store.names()
    if as_json:
        listed = [{"name": name, "domains": list(domains)} for name, domains in names.items()]
        print_json({"secrets": listed, "file": str(home / "secrets.enc"), "key_in": store.key_location})
    elif names:
        print_table(["Name", "Typed only on"], [(name, ", ".join(domains)) for name, domains in names.items()])
        print_line(_storage_description(home, store))
    else:
        print_line("There are no secrets. `browser-pilot secret set NAME --domain example.com` stores one.")


@commands.command()
def remove(name: Name) -> None:
    """Remove a secret."""
    from browser_pilot.cli.audit_note import write_audit_note

    home = locate_home()
    if not _store(home).remove(name):
        raise InvalidArgument(f"There is no secret {name}.", suggestions=["`browser-pilot secret list` lists them."])
    write_audit_note(home, f"The secret {name} was removed.", {})
    print_line(SUCCESS, f" Removed {name}.")


def _store(home: Path) -> SecretStore:
    from browser_pilot.redaction.redactor import Redactor
    from browser_pilot.secrets.secret_store import SecretStore

    return SecretStore(home, Redactor())


def _storage_description(home: Path, store: SecretStore) -> str:
    if store.key_location == "keyring":
        return f"Encrypted in {home / 'secrets.enc'}; the key is in the system keyring."
    return (
        f"Encrypted in {home / 'secrets.enc'}; the key is in {home / 'secrets.key'}, readable only by you, because no "
        "system keyring was found."
    )


def _check_domain(text: str) -> str:
    """The domain in canonical form. Rejects patterns that would allow typing the secret on unrelated sites."""
    from browser_pilot.config.policy_rules import parse_domains
    from browser_pilot.policy.patterns import is_public_suffix

    (pattern,) = parse_domains("--domain", [text])
    if pattern.covers_everything:
        raise InvalidArgument(
            "A secret cannot be for every site.", suggestions=["Name the site that it belongs to: example.com."]
        )
    if "." in pattern.host and is_public_suffix(pattern.host):
        raise InvalidArgument(
            f"{pattern.host} is a public suffix, shared by unrelated sites.",
            suggestions=[f"Name the site that the secret belongs to, such as example.{pattern.host}."],
        )
    return str(pattern)


def _read_value(name: str) -> str:
    if not sys.stdin.isatty():
        value = sys.stdin.read(MAX_VALUE_CHARACTERS + 1).removesuffix("\n").removesuffix("\r")
    else:
        value = getpass.getpass(f"Value of {name} (hidden): ")
        if value != getpass.getpass("Repeat: "):
            raise InvalidArgument("The values do not match; nothing was changed.")
    if not value:
        raise InvalidArgument("The value is empty; nothing was changed.")
    if len(value) > MAX_VALUE_CHARACTERS:
        raise InvalidArgument(f"The value has more than {MAX_VALUE_CHARACTERS:,} characters; nothing was changed.")
    return value
