"""Changes one setting in config.toml and keeps the rest of the file, including comments, as it is."""

from __future__ import annotations

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
