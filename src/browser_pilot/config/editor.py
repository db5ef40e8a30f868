"""Changes or removes settings in config.toml and keeps the rest of the file, including comments, as it is."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, MutableMapping
from pathlib import Path
from typing import cast

import tomlkit
from tomlkit.items import Table

from browser_pilot.errors import SettingsError
from browser_pilot.home import write_private

from .settings import config_path


def set_setting(home: Path, key: tuple[str, str], value: str) -> None:
    path = config_path(home)
    section, name = key
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        text = ""
    document = tomlkit.parse(text)
    if section not in document:
        document[section] = tomlkit.table()
    cast(Table, document[section])[name] = value
    try:
        write_private(path, tomlkit.dumps(document))
    except OSError as error:
        raise SettingsError(
            f"{path} cannot be written: {error.strerror}.", suggestions=["Make the file writable for your user."]
        ) from None


def remove_settings(home: Path, keys: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Remove settings of a file that was not written here, however it spells them. Returns those that it had."""
    path = config_path(home)
    text = path.read_text(encoding="utf-8")
    removed = tuple(f"{section}.{name}" for section, name in keys if _has(text, section, name))
    if not removed:
        return ()
    document = tomlkit.parse(text)
    for section, name in keys:
        if section in document:
            cast("MutableMapping[str, object]", document[section]).pop(name, None)
    text = tomlkit.dumps(document)
    if any(_has(text, section, name) for section, name in keys):
        raise SettingsError(f"The settings {', '.join(removed)} cannot be removed.")
    write_private(path, text)
    return removed


def _has(text: str, section: str, name: str) -> bool:
    table = tomllib.loads(text).get(section)
    return isinstance(table, dict) and name in table
