"""`browser-pilot dashboard`: the hub's page in your browser. The way in is a private file that works once."""

from __future__ import annotations

import os
import sys
import webbrowser
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel, ValidationError

from ..errors import HubUnavailable
from ..home import locate_home
from .hub import RunningHub, ask, ensure_hub
from .output import RUNNING, AsJson, print_json, say


class _WayIn(BaseModel):
    file: Path
    address: str


def dashboard(
    opens: Annotated[bool, typer.Option("--open/--no-open", help="Open it in your browser, or only say how.")] = True,
    as_json: AsJson = False,
) -> None:
    """Show the dashboard: what agents do and want, your browsers, and their pairing."""
    hub = ensure_hub(locate_home())
    way_in = _way_in(hub)
    if as_json:
        print_json(way_in.model_dump(mode="json"))
    elif opens and _open(way_in.file):
        say(RUNNING, f" The dashboard opens in your browser, at {way_in.address}")
    else:
        say("Open this file in your browser; it works once, within two minutes:")
        say("")
        say("    ", str(way_in.file))


def _way_in(hub: RunningHub) -> _WayIn:
    try:
        status, answer = ask(hub.info, "POST", "/api/dashboard")
        if status == HTTPStatus.OK:
            return _WayIn.model_validate_json(answer)
        problem = f"status {status}"
    except (OSError, HTTPException, ValidationError) as error:
        problem = str(error)
    raise HubUnavailable(
        f"The hub gave no way in: {problem}.",
        suggestions=["It may be of another version: `browser-pilot stop`, then try again."],
    )


def _open(path: Path) -> bool:
    """Whether a browser took it. Without a screen there is only one for terminals, which is no help."""
    has_screen = sys.platform in ("win32", "darwin") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
    return has_screen and webbrowser.open(path.as_uri())
