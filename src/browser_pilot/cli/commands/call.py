"""`browser-pilot call`: any tool, called by a person or a script. Calls with the same options share one session."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Annotated, cast

import typer

from ..config import load_settings
from ..errors import InvalidArgument
from ..home import locate_home, make_private_folder
from .hub import ensure_hub
from .output import BAD, AsJson, err, out, print_json, progress, say
from .tool_answer import Picture
from .tool_call import call_tool

EVERY_TOOL = "full,minimal"


def call(
    tool: Annotated[str, typer.Argument(help="The tool's name; `browser-pilot tools` lists them.")],
    arguments: Annotated[
        str, typer.Argument(help="The tool's arguments as a JSON object; - reads them from standard input.")
    ] = "{}",
    session: Annotated[
        str, typer.Option(help="Calls with the same name here work in the same browser session.")
    ] = "default",
    tools: Annotated[str, typer.Option(help="The tools that may be called: profiles or names, by comma.")] = EVERY_TOOL,
    headed: Annotated[bool, typer.Option("--headed", help="Show the browser's window.")] = False,
    browser: Annotated[str | None, typer.Option(help="Path of a browser, or chrome, chromium, edge.")] = None,
    user_data_dir: Annotated[Path | None, typer.Option(help="A browser profile that is kept.")] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Refuse whatever would change something.")] = False,
    save_to: Annotated[
        Path | None, typer.Option(help="Folder for pictures; else the screenshot folder of the settings.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Call one tool through the hub and print its answer; a hub is started when none runs.

    Calls work in the same browser session as long as their options are the same, so that they can be chained:

    browser-pilot call browser_navigate '{"url": "https://example.com"}'

    browser-pilot call browser_snapshot
    """
    given = parse_arguments(sys.stdin.read() if arguments == "-" else arguments)
    options = {
        "client": f"call-{session}",
        "tools": tools,
        **({"headed": "true"} if headed else {}),
        **({"browser": _path_or_name(browser)} if browser else {}),
        **({"user_data_dir": str(user_data_dir.expanduser().absolute())} if user_data_dir else {}),
        **({"read_only": "true"} if read_only else {}),
    }
    home = locate_home()
    with progress(f"Calling {tool} …"):
        answer = call_tool(ensure_hub(home), tool, given, options)
    files = [save(picture, tool, _folder(home, save_to)) for picture in answer.pictures]
    if as_json:
        print_json({"tool": tool, "is_error": answer.is_error, "answer": answer.data or answer.text, "files": files})
    elif answer.is_error:
        say(BAD, " ", answer.text, to=err)
    else:
        if answer.text:
            out.out(answer.text, highlight=False)
        for file in files:
            out.out(f"picture: {file}", highlight=False)
    if answer.is_error:
        raise typer.Exit(1)


def parse_arguments(text: str) -> dict[str, object]:
    example = """Give one JSON object in quotes, such as '{"url": "https://example.com"}'."""
    try:
        value: object = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise InvalidArgument(f"The arguments are not JSON: {error}.", suggestions=[example]) from None
    if not isinstance(value, dict):
        raise InvalidArgument(
            f"The arguments are JSON, but a {type(value).__name__} and not an object.", suggestions=[example]
        )
    return cast(dict[str, object], value)


def _path_or_name(browser: str) -> str:
    # The hub has another current folder than we have.
    return str(Path(browser).expanduser().absolute()) if "/" in browser or "\\" in browser else browser


def _folder(home: Path, save_to: Path | None) -> Path:
    if save_to is None:
        return make_private_folder(load_settings(home=home).files.screenshot_dir)
    save_to.mkdir(parents=True, exist_ok=True)
    return save_to


def save(picture: Picture, tool: str, folder: Path) -> str:
    """Write the picture under a name that is not taken yet."""
    name = f"{tool}-{time.strftime('%Y%m%d-%H%M%S')}"
    ending = picture.mime.rpartition("/")[2]
    number = 1
    while True:
        path = folder / f"{name}{f'-{number}' if number > 1 else ''}.{ending}"
        try:
            with path.open("xb") as file:
                file.write(picture.data)
        except FileExistsError:
            number += 1
        else:
            return str(path.absolute())
