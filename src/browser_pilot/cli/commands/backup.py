"""`browser-pilot backup FILE` and `restore FILE`: configuration, rules and audit log in one file.

Secrets are included only on request, encrypted with a passphrase. A backup may be made while the hub runs; during a
restore no hub can start.
"""

from __future__ import annotations

import getpass
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from browser_pilot.cli.output import SUCCESS, AsJson, count_noun, print_json, print_line
from browser_pilot.errors import HubUnavailable, InvalidArgument
from browser_pilot.file_lock import locked
from browser_pilot.home import locate_home
from browser_pilot.hub_discovery.runtime_file import hub_lock, read_runtime

if TYPE_CHECKING:
    from browser_pilot.audit_log.backup import BackupContents
    from browser_pilot.secrets.secret_store import SecretStore

LOCK_TIMEOUT_SECONDS = 10.0
MAX_SETTING_LINES = 40
MAX_LINE_CHARACTERS = 200
DESCRIPTIONS = {
    "config.toml": "the configuration",
    "rules.json": "your rules",
    "activity.db": "the audit log",
    "secrets.sealed": "the secrets, encrypted with your passphrase",
}

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Replace existing files without asking.")]


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The backup file to write, such as browser-pilot.zip.")],
    with_secrets: Annotated[
        bool, typer.Option("--with-secrets", help="Include the secrets, encrypted with a passphrase.")
    ] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Write configuration, rules and audit log to one file; the hub may be running."""
    from browser_pilot.audit_log.backup import create_backup, read_contents
    from browser_pilot.audit_log.backup_archive import LOG_FILE, TEXT_FILES

    home = locate_home()
    if file.is_dir() or not file.parent.is_dir():
        raise InvalidArgument(f"{file} cannot be written: give the path of a file in an existing folder.")
    if not with_secrets and not any((home / name).exists() for name in (LOG_FILE, *TEXT_FILES)):
        raise InvalidArgument(f"There is nothing to back up in {home} yet.")
    if file.exists():
        _confirm(f"{file} already exists. Replace it?", yes)
    secrets = _store(home).export_encrypted(_passphrase(new=True)) if with_secrets else None
    create_backup(home, file, secrets=secrets)
    contents = read_contents(home, file)
    if as_json:
        print_json({"file": str(file), "holds": list(contents.files), "log_rows": contents.log_rows})
        return
    print_line(SUCCESS, f" Wrote {file} ({file.stat().st_size:,} bytes, readable only by you) with:")
    _print_contents(contents)
    if not with_secrets and (home / "secrets.enc").exists():
        print_line("  Your secrets are not included; --with-secrets adds them, encrypted with a passphrase.")


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A backup file written by `browser-pilot backup`.")],
    from_elsewhere: Annotated[
        bool, typer.Option("--from-elsewhere", help="Accept a backup of another home, whose seal is unknown here.")
    ] = False,
    with_secrets: Annotated[
        bool, typer.Option("--with-secrets", help="Also restore the secrets; asks for their passphrase.")
    ] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Restore a backup. It is verified first; replaced files are kept in a separate folder."""
    from browser_pilot.audit_log.backup import read_contents
    from browser_pilot.audit_log.backup import restore as restore_backup
    from browser_pilot.audit_log.backup_archive import LOG_FILE
    from browser_pilot.cli.audit_note import write_audit_note

    home = locate_home()
    contents = read_contents(home, file)
    if with_secrets and not contents.has_secrets:
        raise InvalidArgument(f"{file.name} contains no secrets.", suggestions=["Run it without --with-secrets."])
    with _no_hub(home):
        is_unknown = not contents.has_own_seal and not from_elsewhere
        if (is_unknown or not yes) and not as_json:
            print_line(f"{file}, created {contents.created[:16].replace('T', ' ')} (UTC), contains:")
            _print_contents(contents, without="" if with_secrets else "secrets.sealed")
        question = f"Restore it to {home}? The current files are kept in a separate folder."
        if is_unknown:
            _confirm_unknown_seal(contents, question)
        else:
            _confirm(question, yes)
        restored = restore_backup(
            home,
            file,
            from_elsewhere=is_unknown or from_elsewhere,
            check=_check_settings,
            secrets=(_store(home), _passphrase(new=False)) if with_secrets else None,
        )
        if LOG_FILE not in restored.files:
            write_audit_note(home, f"Restored from {file.name}", {"files": restored.files})
    if as_json:
        aside = None if restored.replaced is None else str(restored.replaced)
        result = {"files": list(restored.files), "log_rows": restored.log_rows, "secrets": restored.secrets}
        print_json({**result, "set_aside": aside, "left_out": list(restored.left_out)})
        return
    print_line(SUCCESS, f" Restored: {', '.join(DESCRIPTIONS[name] for name in restored.files)}.")
    if restored.left_out:
        print_line(f"  Not restored, because its seal is unknown: {', '.join(restored.left_out)}")
    if restored.secrets:
        print_line(f"  Secrets: {restored.secrets}")
    if restored.replaced is not None:
        print_line(f"  The previous files are in {restored.replaced}")
    if contents.has_secrets and not with_secrets:
        print_line("  The secrets in the backup were not restored; --with-secrets restores them.")


def _print_contents(contents: BackupContents, *, without: str = "") -> None:
    for name in contents.files:
        if name != without:
            print_line(
                f"  {DESCRIPTIONS[name]}", f", {count_noun(contents.log_rows, 'row')}" if name == "activity.db" else ""
            )


def _confirm_unknown_seal(contents: BackupContents, question: str) -> None:
    """--yes does not answer this: the author of the backup decides what agents may do here."""
    if not sys.stdin.isatty():
        raise InvalidArgument(
            "Nothing was changed: the backup comes from another home, or was changed, and its seal cannot be verified.",
            suggestions=["If you are sure where it comes from: --from-elsewhere."],
        )
    print_line("Its seal is unknown here: it comes from another home, or was changed. It sets:")
    for line in contents.settings[:MAX_SETTING_LINES]:
        print_line(f"  {line[:MAX_LINE_CHARACTERS]}")
    if len(contents.settings) > MAX_SETTING_LINES:
        print_line(f"  … and {count_noun(len(contents.settings) - MAX_SETTING_LINES, 'more setting')}")
    typer.confirm(question, default=False, abort=True, err=True)


def _check_settings(folder: Path) -> None:
    """Raises when a hub could not start with these settings and rules."""
    from browser_pilot.config.policy_rules import compile_policy
    from browser_pilot.config.settings import load_settings
    from browser_pilot.config.user_rules import UserRulesStore

    compile_policy(load_settings(home=folder, environ={}).policy)
    UserRulesStore(folder).load()


@contextmanager
def _no_hub(home: Path) -> Generator[None]:
    """Ensures that no hub runs in this home or starts during the ``with`` block."""
    with ExitStack() as locks:
        try:
            locks.enter_context(hub_lock(home, timeout_seconds=LOCK_TIMEOUT_SECONDS))
            locks.enter_context(locked(home / "run" / "hub.lock"))
        except TimeoutError:
            info = read_runtime(home)
            which = f" (process {info.pid})" if info is not None else ""
            raise HubUnavailable(
                f"A hub is running in this home{which}; nothing was changed.",
                suggestions=["Stop it with `browser-pilot stop`, then restore again."],
            ) from None
        yield


def _confirm(question: str, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise InvalidArgument(
            "Nothing was changed: this needs a confirmation, and there is no terminal.",
            suggestions=["Use --yes to confirm."],
        )
    typer.confirm(question, abort=True, err=True)


def _passphrase(*, new: bool) -> str:
    """Read from a hidden prompt or the first line of standard input; never from the arguments."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    passphrase = getpass.getpass("Passphrase for the secrets (hidden): ")
    if new and passphrase != getpass.getpass("Repeat: "):
        raise InvalidArgument("The passphrases do not match; nothing was written.")
    return passphrase


def _store(home: Path) -> SecretStore:
    from browser_pilot.redaction.redactor import Redactor
    from browser_pilot.secrets.secret_store import SecretStore

    return SecretStore(home, Redactor())
