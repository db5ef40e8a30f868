"""`browser-pilot secret set|list|remove`: values that an agent can use and never sees.

A value comes from a hidden prompt or from standard input, never from the arguments, which other programs can see and
shells remember. Nothing here prints one.
"""

from __future__ import annotations

import getpass
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InvalidArgument
from ..home import locate_home
from .output import GOOD, AsJson, print_json, print_table, say

if TYPE_CHECKING:
    from ..records.secrets import SecretStore

commands = typer.Typer(help="Passwords and the like that agents can use without seeing them.", no_args_is_help=True)

LARGEST = 10_000

Name = Annotated[str, typer.Argument(metavar="NAME", help="Agents write it as {{secret:NAME}}.")]


@commands.command(name="set")
def set_secret(
    name: Name,
    domain: Annotated[
        list[str],
        typer.Option(metavar="DOMAIN", help="Where it may be typed: example.com, *.example.com; may be repeated."),
    ],
) -> None:
    """Keep a secret. Its value is asked for, unseen, or read from standard input.

    browser-pilot secret set SHOP_PASSWORD --domain example.com

    pass show shop | browser-pilot secret set SHOP_PASSWORD --domain example.com
    """
    from ..records.secrets import NAME
    from .recording import record

    if not NAME.fullmatch(name):
        raise InvalidArgument(
            f"{name!r} is no name for a secret.",
            suggestions=["Begin with a letter and use letters, digits, '.', '_' and '-', such as SHOP_PASSWORD."],
        )
    domains = [_checked(text) for text in dict.fromkeys(domain)]
    home = locate_home()
    store = _store(home)
    new = name not in store.names()
    store.set(name, _read_value(name), domains=domains)
    record(home, f"The secret {name} was {'set' if new else 'changed'}.", {"domains": domains})
    say(GOOD, f" {name} is {'kept' if new else 'changed'}. It is typed only on {', '.join(domains)}.")
    say(f"  {_where(home, store)}")
    say(f"  An agent types it as {{{{secret:{name}}}}} and sees only a mark in its place.")


@commands.command(name="list")
def list_secrets(as_json: AsJson = False) -> None:
    """List the names, where each may be typed, and where they are kept; never a value."""
    home = locate_home()
    store = _store(home)
    names = store.names()
    if as_json:
        listed = [{"name": name, "domains": list(domains)} for name, domains in names.items()]
        print_json({"secrets": listed, "file": str(home / "secrets.enc"), "key_in": store.key_place})
    elif names:
        print_table(["Name", "Typed only on"], [(name, ", ".join(domains)) for name, domains in names.items()])
        say(_where(home, store))
    else:
        say("There are no secrets. `browser-pilot secret set NAME --domain example.com` keeps one.")


@commands.command()
def remove(name: Name) -> None:
    """Forget a secret."""
    from .recording import record

    home = locate_home()
    if not _store(home).remove(name):
        raise InvalidArgument(f"There is no secret {name}.", suggestions=["`browser-pilot secret list` shows them."])
    record(home, f"The secret {name} was removed.", {})
    say(GOOD, f" {name} is forgotten.")


def _store(home: Path) -> SecretStore:
    from ..records.redaction import Redactor
    from ..records.secrets import SecretStore

    return SecretStore(home, Redactor())


def _where(home: Path, store: SecretStore) -> str:
    if store.key_place == "keyring":
        return f"Kept encrypted in {home / 'secrets.enc'}; its key is in the system's keyring."
    return (
        f"Kept encrypted in {home / 'secrets.enc'}; its key is in {home / 'secrets.key'}, readable by your user alone, "
        "because no system keyring was found."
    )


def _checked(text: str) -> str:
    """The domain in its one form; a secret that could be typed anywhere would be no secret."""
    from ..policy.patterns import is_public_suffix
    from ..rulebook import parse_domains

    (pattern,) = parse_domains("--domain", [text])
    if pattern.is_everything:
        raise InvalidArgument(
            "A secret may not be for every site.", suggestions=["Name the site that it belongs to: example.com."]
        )
    if "." in pattern.host and is_public_suffix(pattern.host):
        raise InvalidArgument(
            f"{pattern.host} is a public suffix: other people's sites are under it.",
            suggestions=[f"Name the site that the secret belongs to, such as example.{pattern.host}."],
        )
    return str(pattern)


def _read_value(name: str) -> str:
    if not sys.stdin.isatty():
        value = sys.stdin.read(LARGEST + 1).removesuffix("\n").removesuffix("\r")
    else:
        value = getpass.getpass(f"Value of {name} (it is not shown): ")
        if value != getpass.getpass("Once more: "):
            raise InvalidArgument("The two were not the same; nothing was changed.")
    if not value:
        raise InvalidArgument("The value is empty; nothing was changed.")
    if len(value) > LARGEST:
        raise InvalidArgument(f"The value has more than {LARGEST:,} characters; nothing was changed.")
    return value
