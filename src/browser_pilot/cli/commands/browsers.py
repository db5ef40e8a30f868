"""`browser-pilot pair` and `browser-pilot browsers`: your own browsers, let in, named and forgotten."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from http import HTTPStatus
from http.client import HTTPException
from typing import Annotated

import typer
from pydantic import BaseModel, TypeAdapter

from ..errors import HubUnavailable, PilotError
from ..home import locate_home
from .hub import RunningHub, ask, ensure_hub
from .output import GOOD, RUNNING, print_json, print_table, progress, say
from .status import AsJson

LOOK_SECONDS = 0.3


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


class _Refusal(BaseModel):
    error: str
    message: str
    suggestions: list[str] = []


class ChangeRefused(PilotError):
    """The hub did not take a change to the list of browsers."""

    code = "NOT_CHANGED"


BROWSERS = TypeAdapter(list[_Browser])
commands = typer.Typer(help="Your own browsers that are paired with Browser Pilot.", invoke_without_command=True)


def pair(
    wait: Annotated[bool, typer.Option(help="Stay until the browser is there.")] = True, as_json: AsJson = False
) -> None:
    """Show a code that lets a browser of yours in; type it into the popup of the extension."""
    hub = ensure_hub(locate_home())
    before = {browser.id for browser in _browsers(hub)}
    code = _Code.model_validate_json(_request(hub, "POST", "/api/pairing"))
    if as_json:
        print_json(
            {"code": code.code, "expires": code.expires, "server": f"{hub.info.host}:{hub.info.port}"},
        )
        return
    minutes = round((code.expires - time.time()) / 60)
    say("Type this code into the Browser Pilot popup of your browser:")
    say("")
    say("    ", code.code)
    say("")
    say(f"  Server {hub.info.host}:{hub.info.port}. The code is good for {minutes} minutes and one browser.")
    say("  No extension yet? `browser-pilot extension` says how to add it.")
    if wait:
        _wait_for_newcomer(hub, before)


@commands.callback()
def browsers(context: typer.Context, as_json: AsJson = False) -> None:
    """List your paired browsers."""
    if context.invoked_subcommand is not None:
        return
    found = _browsers(ensure_hub(locate_home()))
    if as_json:
        print_json([browser.model_dump() for browser in found])
    elif not found:
        say("No browser is paired yet.")
        say("  `browser-pilot extension` says how to add the extension, `browser-pilot pair` shows the code for it.")
    else:
        rows = [
            (one.name, "connected" if one.connected else "away", one.version, str(one.tabs), _day(one.paired_at))
            for one in found
        ]
        print_table(("Name", "State", "Version", "Tabs", "Paired"), rows, right=frozenset({3}))


@commands.command()
def rename(browser: str, name: str) -> None:
    """Give a paired browser another name."""
    _request(ensure_hub(locate_home()), "POST", "/api/browsers/rename", {"browser": browser, "name": name})
    say(GOOD, f" {browser} is now called {name}.")


@commands.command()
def forget(browser: str) -> None:
    """Part from a browser: its key is void, and agents lose its tabs at once."""
    _request(ensure_hub(locate_home()), "POST", "/api/browsers/forget", {"browser": browser})
    say(GOOD, f" {browser} is forgotten.")


def _wait_for_newcomer(hub: RunningHub, before: set[str]) -> None:
    with progress("Waiting for the browser …"):
        while True:
            time.sleep(LOOK_SECONDS)
            new = [browser for browser in _browsers(hub) if browser.id not in before]
            if new:
                break
            if _request(hub, "GET", "/api/pairing").strip() == b"null":
                raise ChangeRefused(
                    "The code is void: nobody used it in time, or it was mistyped too often.",
                    suggestions=["`browser-pilot pair` shows a new one."],
                )
    say(RUNNING, f" {new[0].name} is paired. Its popup shares tabs; clients use it with --engine own.")


def _browsers(hub: RunningHub) -> list[_Browser]:
    return BROWSERS.validate_json(_request(hub, "GET", "/api/browsers"))


def _request(hub: RunningHub, method: str, path: str, body: Mapping[str, str] | None = None) -> bytes:
    try:
        data = None if body is None else json.dumps(body).encode()
        status, answer = ask(hub.info, method, path, body=data)
    except (OSError, HTTPException) as error:
        raise HubUnavailable(f"The hub does not answer: {error}.") from error
    if status != HTTPStatus.OK:
        refusal = _Refusal.model_validate_json(answer)
        raise ChangeRefused(refusal.message, suggestions=refusal.suggestions)
    return answer


def _day(moment: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(moment))
