"""`browser-pilot pair` and `browser-pilot browsers`: pair, list, rename and remove the user's own browsers."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from http import HTTPStatus
from http.client import HTTPException
from typing import Annotated

import typer
from pydantic import BaseModel, TypeAdapter

from browser_pilot.cli.hub_control import ErrorBody, RunningHub, ensure_hub, send_request
from browser_pilot.cli.output import RUNNING, SUCCESS, print_json, print_line, print_table, progress
from browser_pilot.errors import HubUnavailable, PilotError
from browser_pilot.home import locate_home

from .status import AsJson

POLL_SECONDS = 0.3


class _Browser(BaseModel):
    id: str
    name: str
    connected: bool
    version: str
    tabs: int
    paired_at: float


class _Code(BaseModel):
    code: str
    expires: float
    tries_left: int


class ChangeRejected(PilotError):
    """The hub rejected a change to the list of browsers."""

    code = "NOT_CHANGED"


BROWSER_LIST = TypeAdapter(list[_Browser])
commands = typer.Typer(help="List, rename and remove your paired browsers.", invoke_without_command=True)
BrowserName = Annotated[str, typer.Argument(help="Its name; `browser-pilot browsers` lists them.")]


def pair(
    wait: Annotated[bool, typer.Option(help="Wait until the browser is paired.")] = True, as_json: AsJson = False
) -> None:
    """Show a pairing code for your own browser; type it into the popup of the extension."""
    hub = ensure_hub(locate_home())
    before = {browser.id for browser in _browsers(hub)}
    code = _Code.model_validate_json(_request(hub, "POST", "/api/pairing"))
    if as_json:
        print_json(
            {"code": code.code, "expires": code.expires, "server": f"{hub.info.host}:{hub.info.port}"},
        )
        return
    minutes = round((code.expires - time.time()) / 60)
    print_line("Type this code into the Browser Pilot popup of your browser:")
    print_line("")
    print_line("    ", code.code)
    print_line("")
    print_line(f"  Server {hub.info.host}:{hub.info.port}. The code is valid for {minutes} minutes and one browser.")
    print_line("  No extension yet? `browser-pilot extension` shows how to install it.")
    if wait:
        _wait_for_pairing(hub, before)


@commands.callback()
def browsers(context: typer.Context, as_json: AsJson = False) -> None:
    """List your paired browsers."""
    if context.invoked_subcommand is not None:
        return
    found = _browsers(ensure_hub(locate_home()))
    if as_json:
        print_json([browser.model_dump() for browser in found])
    elif not found:
        print_line("No browser is paired yet.")
        print_line(
            "  `browser-pilot extension` shows how to install the extension, `browser-pilot pair` shows a pairing code."
        )
    else:
        rows = [
            (
                one.name,
                "connected" if one.connected else "disconnected",
                one.version,
                str(one.tabs),
                _date(one.paired_at),
            )
            for one in found
        ]
        print_table(("Name", "State", "Version", "Tabs", "Paired"), rows, right=frozenset({3}))


@commands.command()
def rename(browser: BrowserName, name: Annotated[str, typer.Argument(help="The new name.")]) -> None:
    """Rename a paired browser."""
    _request(ensure_hub(locate_home()), "POST", "/api/browsers/rename", {"browser": browser, "name": name})
    print_line(SUCCESS, f" Renamed {browser} to {name}.")


@commands.command()
def forget(browser: BrowserName) -> None:
    """Remove a paired browser: its key becomes invalid, and agents lose its tabs immediately."""
    _request(ensure_hub(locate_home()), "POST", "/api/browsers/forget", {"browser": browser})
    print_line(SUCCESS, f" Removed {browser}.")


def _wait_for_pairing(hub: RunningHub, before: set[str]) -> None:
    with progress("Waiting for the browser …"):
        while True:
            time.sleep(POLL_SECONDS)
            new = [browser for browser in _browsers(hub) if browser.id not in before]
            if new:
                break
            if _request(hub, "GET", "/api/pairing").strip() == b"null":
                raise ChangeRejected(
                    "The pairing code is no longer valid: it expired, or was mistyped too often.",
                    suggestions=["`browser-pilot pair` shows a new one."],
                )
    print_line(RUNNING, f" {new[0].name} is paired. Share tabs in its popup; clients use it with --engine own.")


def _browsers(hub: RunningHub) -> list[_Browser]:
    return BROWSER_LIST.validate_json(_request(hub, "GET", "/api/browsers"))


def _request(hub: RunningHub, method: str, path: str, body: Mapping[str, str] | None = None) -> bytes:
    try:
        data = None if body is None else json.dumps(body).encode()
        status, content = send_request(hub.info, method, path, body=data)
    except (OSError, HTTPException) as error:
        raise HubUnavailable(f"The hub does not respond: {error}.") from error
    if status != HTTPStatus.OK:
        error_body = ErrorBody.model_validate_json(content)
        raise ChangeRejected(error_body.message, suggestions=error_body.suggestions)
    return content


def _date(timestamp: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(timestamp))
