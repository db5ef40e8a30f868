"""`browser-pilot config show|path|check`: the settings in force, where they come from, and whether they are right."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import cast

import typer

from ..config import Key, LoadedSettings, config_path, load_with_origins
from ..engines.finder import find_browser
from ..home import locate_home
from .output import GOOD, AsJson, out, print_json, print_table, say

commands = typer.Typer(help="The settings: show them, find their file, check them.", no_args_is_help=True)


@commands.command()
def show(as_json: AsJson = False) -> None:
    """Show every setting with its value and where it comes from."""
    home = locate_home()
    rows = effective(load_with_origins(home=home))
    if as_json:
        print_json({key: {"value": value, "from": origin} for key, value, origin in rows})
        return
    print_table(["Setting", "Value", "From"], [(key, as_toml(value), origin) for key, value, origin in rows])
    out.line()
    say(f"Change them in {config_path(home)}, or by variables such as BROWSER_PILOT_BROWSER__HEADLESS.")


@commands.command()
def path() -> None:
    """Print the path of the settings file; it need not exist."""
    out.out(str(config_path(locate_home())), highlight=False)


@commands.command()
def check(as_json: AsJson = False) -> None:
    """Check the settings; the answer names each wrong key, its value and what would be right."""
    from ..server.tools import REGISTRY

    home = locate_home()
    settings = load_with_origins(home=home).settings
    REGISTRY.select(settings.tools.profile)
    if settings.browser.executable is not None:
        find_browser(settings.browser.executable)
    file = config_path(home)
    if as_json:
        print_json({"ok": True, "file": str(file), "exists": file.is_file()})
    else:
        say(GOOD, " The settings are fine", f": {file}" if file.is_file() else f" (there is no {file})")


def effective(loaded: LoadedSettings) -> list[tuple[str, object, str]]:
    """Key, value and origin of every setting, in the order of the file."""
    return [
        (".".join(key), value, _origin(key, loaded.origins))
        for key, value in _leaves(loaded.settings.model_dump(mode="json"))
        # What a domain's rule leaves out is decided elsewhere.
        if value is not None or key[:2] != ("policy", "domains")
    ]


def _leaves(table: Mapping[str, object], prefix: Key = ()) -> Iterator[tuple[Key, object]]:
    for name, value in table.items():
        if isinstance(value, dict) and value:
            yield from _leaves(cast(dict[str, object], value), (*prefix, name))
        else:
            yield (*prefix, name), value


def _origin(key: Key, origins: Mapping[Key, str]) -> str:
    return next((origin for start, origin in origins.items() if key[: len(start)] == start), "the default")


def as_toml(value: object) -> str:
    if value is None:
        return "not set"
    return json.dumps(value, ensure_ascii=False)
