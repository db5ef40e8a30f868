"""`browser-pilot call`: calls any tool from a shell. Calls with the same options share one browser session."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Annotated, cast

import typer

from browser_pilot.cli.hub_control import ensure_hub
from browser_pilot.cli.output import FAILURE, AsJson, err, out, print_json, print_line, progress
from browser_pilot.cli.tool_call import call_tool
from browser_pilot.cli.tool_result import ResultImage
from browser_pilot.config.settings import load_settings
from browser_pilot.errors import InvalidArgument
from browser_pilot.home import locate_home, make_private_folder

ALL_TOOLS = "full,minimal"


def call(
    tool: Annotated[str, typer.Argument(help="The tool's name; `browser-pilot tools` lists them.")],
    arguments: Annotated[
        str, typer.Argument(help="The tool's arguments as a JSON object; - reads them from standard input.")
    ] = "{}",
    session: Annotated[str, typer.Option(help="Calls with the same session name share a browser session.")] = "default",
    tools: Annotated[str, typer.Option(help="The available tools: profiles or names, comma-separated.")] = ALL_TOOLS,
    headed: Annotated[bool, typer.Option("--headed", help="Show the browser's window.")] = False,
    browser: Annotated[str | None, typer.Option(help="Path of a browser, or chrome, chromium, edge.")] = None,
    user_data_dir: Annotated[Path | None, typer.Option(help="Folder of a persistent browser profile.")] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Deny every action that changes something.")] = False,
    save_to: Annotated[
        Path | None, typer.Option(help="Folder for images; by default files.screenshot_dir of the settings.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Call one tool through the hub and print its result; starts a hub if none is running.

    Calls with the same options share a browser session, so that they can be chained:

    browser-pilot call browser_navigate '{"url": "https://example.com"}'

    browser-pilot call browser_snapshot
    """
    tool_arguments = parse_arguments(sys.stdin.read() if arguments == "-" else arguments)
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
        result = call_tool(ensure_hub(home), tool, tool_arguments, options)
    files = [save_image(picture, tool, _image_folder(home, save_to)) for picture in result.images]
    if as_json:
        print_json({"tool": tool, "is_error": result.is_error, "answer": result.data or result.text, "files": files})
    elif result.is_error:
        print_line(FAILURE, " ", result.text, to=err)
    else:
        if result.text:
            out.out(result.text, highlight=False)
        for file in files:
            out.out(f"picture: {file}", highlight=False)
    if result.is_error:
        raise typer.Exit(1)


def parse_arguments(text: str) -> dict[str, object]:
    example = """Give one JSON object in quotes, such as '{"url": "https://example.com"}'."""
    try:
        value: object = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise InvalidArgument(f"The arguments are not JSON: {error}.", suggestions=[example]) from None
    if not isinstance(value, dict):
        raise InvalidArgument(
            f"The arguments must be a JSON object, not a {type(value).__name__}.", suggestions=[example]
        )
    return cast(dict[str, object], value)


def _path_or_name(browser: str) -> str:
    # The hub's working directory is another one.
    return str(Path(browser).expanduser().absolute()) if "/" in browser or "\\" in browser else browser


def _image_folder(home: Path, save_to: Path | None) -> Path:
    if save_to is None:
        return make_private_folder(load_settings(home=home).files.screenshot_dir)
    save_to.mkdir(parents=True, exist_ok=True)
    return save_to


def save_image(picture: ResultImage, tool: str, folder: Path) -> str:
    """Write the image to a new file; never overwrites one."""
    name = f"{tool}-{time.strftime('%Y%m%d-%H%M%S')}"
    extension = picture.mime.rpartition("/")[2]
    number = 1
    while True:
        path = folder / f"{name}{f'-{number}' if number > 1 else ''}.{extension}"
        try:
            with path.open("xb") as file:
                file.write(picture.data)
        except FileExistsError:
            number += 1
        else:
            return str(path.absolute())
