"""`browser-pilot backup FILE` and `restore FILE`: configuration, rules and activity log as one file, and back again.

Secrets go along only when asked for, sealed with a passphrase that is asked for too. A backup may be taken while the
hub runs; a restore keeps any hub from starting until it is done.
"""

from __future__ import annotations

import getpass
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import HubUnavailable, InvalidArgument
from ..home import locate_home
from ..locks import held
from ..runtime import hub_lock, read_runtime
from .output import GOOD, AsJson, counted, print_json, say

if TYPE_CHECKING:
    from ..records.backup import Contents
    from ..records.secrets import SecretStore

WAIT_SECONDS = 10.0
NAMES = {
    "config.toml": "the configuration",
    "rules.json": "the rules that you made",
    "activity.db": "the activity log",
    "secrets.sealed": "the secrets, sealed with your passphrase",
}

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before something is replaced.")]


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The backup to write, such as browser-pilot.zip.")],
    with_secrets: Annotated[
        bool, typer.Option("--with-secrets", help="Take the secrets along, sealed with a passphrase.")
    ] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Write configuration, rules and activity log into one file; the hub may run."""
    from ..records.backup import LOG, TEXTS, back_up, look_into

    home = locate_home()
    if file.is_dir() or not file.parent.is_dir():
        raise InvalidArgument(f"{file} cannot be written: give the path of a file in a folder that is there.")
    if not with_secrets and not any((home / name).exists() for name in (LOG, *TEXTS)):
        raise InvalidArgument(f"There is nothing to back up in {home} yet.")
    if file.exists():
        _confirm(f"{file} is there already. Replace it?", yes)
    secrets = _store(home).sealed(_passphrase(new=True)) if with_secrets else None
    back_up(home, file, secrets=secrets)
    contents = look_into(file)
    if as_json:
        print_json({"file": str(file), "holds": list(contents.files), "log_rows": contents.log_rows})
        return
    say(GOOD, f" {file} ({file.stat().st_size:,} bytes, readable by you alone) holds:")
    _say_what(contents)
    if not with_secrets and (home / "secrets.enc").exists():
        say("  Your secrets are not in it; --with-secrets takes them along, sealed with a passphrase.")


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A backup that `browser-pilot backup` wrote.")],
    from_elsewhere: Annotated[
        bool, typer.Option("--from-elsewhere", help="Take a backup of another home, whose seal is not known here.")
    ] = False,
    with_secrets: Annotated[
        bool, typer.Option("--with-secrets", help="Restore the secrets in it too; asks for their passphrase.")
    ] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Bring back what a backup holds. It is checked first; what it replaces is kept aside."""
    from ..records.backup import LOG, look_into
    from ..records.backup import restore as put_back
    from .recording import record

    home = locate_home()
    contents = look_into(file)
    if with_secrets and not contents.has_secrets:
        raise InvalidArgument(f"{file.name} holds no secrets.", suggestions=["Leave out --with-secrets."])
    with _no_hub(home):
        if not yes and not as_json:
            say(f"{file} of {contents.created[:16].replace('T', ' ')} (UTC) holds:")
            _say_what(contents, without="" if with_secrets else "secrets.sealed")
        _confirm(f"Put this in place of what is in {home}? That is kept aside.", yes)
        restored = put_back(
            home,
            file,
            from_elsewhere=from_elsewhere,
            check=_check,
            secrets=(_store(home), _passphrase(new=False)) if with_secrets else None,
        )
        if LOG not in restored.files:
            record(home, f"Restored from {file.name}", {"files": restored.files})
    if as_json:
        aside = None if restored.set_aside is None else str(restored.set_aside)
        told = {"files": list(restored.files), "log_rows": restored.log_rows, "secrets": restored.secrets}
        print_json({**told, "set_aside": aside})
        return
    say(GOOD, f" Restored: {', '.join(NAMES[name] for name in restored.files)}.")
    if restored.secrets:
        say(f"  Secrets: {restored.secrets}")
    if restored.set_aside is not None:
        say(f"  What was there before is in {restored.set_aside}")
    if contents.has_secrets and not with_secrets:
        say("  The secrets in it were left out; --with-secrets restores them too.")


def _say_what(contents: Contents, *, without: str = "") -> None:
    for name in contents.files:
        if name != without:
            say(f"  {NAMES[name]}", f", {counted(contents.log_rows, 'row')}" if name == "activity.db" else "")


def _check(folder: Path) -> None:
    """Whether a hub could start with these settings and rules."""
    from ..approvals.rules_store import RulesStore
    from ..config import load_settings
    from ..rulebook import compile_policy

    compile_policy(load_settings(home=folder, environ={}).policy)
    RulesStore(folder).load()


@contextmanager
def _no_hub(home: Path) -> Generator[None]:
    """While inside, no hub runs in this home and none can start."""
    with ExitStack() as locks:
        try:
            locks.enter_context(hub_lock(home, timeout_seconds=WAIT_SECONDS))
            locks.enter_context(held(home / "run" / "hub.lock"))
        except TimeoutError:
            info = read_runtime(home)
            which = f" (process {info.pid})" if info is not None else ""
            raise HubUnavailable(
                f"A hub runs in this home{which}; nothing was changed.",
                suggestions=["`browser-pilot stop` ends it; then restore again."],
            ) from None
        yield


def _confirm(question: str, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise InvalidArgument(
            "Nothing was changed, for nobody is here to be asked.", suggestions=["--yes says that you are sure."]
        )
    typer.confirm(question, abort=True, err=True)


def _passphrase(*, new: bool) -> str:
    """From a hidden prompt, or the first line of standard input; never from the arguments."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    passphrase = getpass.getpass("Passphrase for the secrets (it is not shown): ")
    if new and passphrase != getpass.getpass("Once more: "):
        raise InvalidArgument("The two were not the same; nothing was written.")
    return passphrase


def _store(home: Path) -> SecretStore:
    from ..records.redaction import Redactor
    from ..records.secrets import SecretStore

    return SecretStore(home, Redactor())
