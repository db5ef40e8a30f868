"""`browser-pilot config show|path|check`: the effective settings, their origins, and their validation."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import cast

import typer

from browser_pilot.cli.output import SUCCESS, AsJson, out, print_json, print_line, print_table
from browser_pilot.config.settings import LoadedSettings, SettingKey, config_path, load_with_origins
from browser_pilot.engines.browser_finder import find_browser
from browser_pilot.home import locate_home
from browser_pilot.redaction.redactor import Redactor

commands = typer.Typer(help="Show and check the settings, and print the path of their file.", no_args_is_help=True)


@commands.command()
def show(as_json: AsJson = False) -> None:
    """Show every setting with its value and origin."""
    home = locate_home()
    rows = effective(load_with_origins(home=home))
    if as_json:
        print_json({key: {"value": value, "from": origin} for key, value, origin in rows})
        return
    print_table(["Setting", "Value", "From"], [(key, as_toml(value), origin) for key, value, origin in rows])
    out.line()
    print_line(f"Change them in {config_path(home)}, or with variables such as BROWSER_PILOT_BROWSER__HEADLESS.")


@commands.command()
def path() -> None:
    """Print the path of the settings file, which may not exist."""
    out.out(str(config_path(locate_home())), highlight=False)


@commands.command()
def check(as_json: AsJson = False) -> None:
    """Validate the settings; errors name the invalid key, its value and valid ones."""
    from browser_pilot.mcp_server.tools import REGISTRY

    home = locate_home()
    settings = load_with_origins(home=home).settings
    REGISTRY.select(settings.tools.profile)
    if settings.browser.executable is not None:
        find_browser(settings.browser.executable)
    file = config_path(home)
    if as_json:
        print_json({"ok": True, "file": str(file), "exists": file.is_file()})
    else:
        print_line(SUCCESS, " The settings are valid", f": {file}" if file.is_file() else f" ({file} does not exist)")


def effective(loaded: LoadedSettings) -> list[tuple[str, object, str]]:
    """Key, value and origin of every setting, in the order of the file."""
    return [
        (".".join(key), _without_credentials(value), _origin(key, loaded.origins))
        for key, value in _leaves(loaded.settings.model_dump(mode="json"))
        # Fields that a domain's rule does not set are not settings of their own.
        if value is not None or key[:2] != ("policy", "domains")
    ]


def _without_credentials(value: object) -> object:
    return Redactor().url(value) if isinstance(value, str) and "://" in value else value


def _leaves(table: Mapping[str, object], prefix: SettingKey = ()) -> Iterator[tuple[SettingKey, object]]:
    for name, value in table.items():
        if isinstance(value, dict) and value:
            yield from _leaves(cast(dict[str, object], value), (*prefix, name))
        else:
            yield (*prefix, name), value


def _origin(key: SettingKey, origins: Mapping[SettingKey, str]) -> str:
    return next((origin for start, origin in origins.items() if key[: len(start)] == start), "the default")


def as_toml(value: object) -> str:
    if value is None:
        return "not set"
    return json.dumps(value, ensure_ascii=False)
