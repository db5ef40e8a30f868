"""Adds Browser Pilot to the configuration file of an MCP client: backed up first, replaced as a whole."""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from browser_pilot.errors import InvalidArgument

from .client_table import Launch, McpClient
from .documents import InvalidDocument


@dataclass(frozen=True)
class Written:
    """``backup``: the copy of the file as it was, if there was one and it changed."""

    file: Path
    changed: bool
    backup: Path | None


def add_to_file(client: McpClient, file: Path, launch: Launch) -> Written:
    """Raises ``InvalidArgument`` and changes nothing if the file cannot be read, parsed or written."""
    # A link of a dotfiles manager stays a link.
    target = file.resolve()
    try:
        before = target.read_bytes().decode("utf-8") if target.exists() else None
        text = client.document(launch, before or "")
        if text == before:
            return Written(file, changed=False, backup=None)
        backup = None if before is None else _back_up(target)
        _replace(target, text)
    except (InvalidDocument, UnicodeDecodeError) as error:
        raise InvalidArgument(
            f"{file} cannot be changed: {error}.",
            suggestions=["Correct the file, or add the server by hand: the same command without --write prints it."],
        ) from None
    except OSError as error:
        raise InvalidArgument(
            f"{file} cannot be written: {error.strerror or error}.",
            suggestions=["Make the file writable for your user, or name another one with --file."],
        ) from None
    return Written(file, changed=True, backup=backup)


def _back_up(file: Path) -> Path:
    stamp = time.strftime("%Y%m%d-%H%M%S")
    number = 1
    while True:
        backup = file.with_name(f"{file.name}.{stamp}{f'-{number}' if number > 1 else ''}.bak")
        if not backup.exists():
            shutil.copy2(file, backup)
            return backup
        number += 1


def _replace(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}.{os.getpid()}-{os.urandom(4).hex()}")
    try:
        temporary.write_bytes(text.encode())
        if file.exists():
            shutil.copymode(file, temporary)
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)
