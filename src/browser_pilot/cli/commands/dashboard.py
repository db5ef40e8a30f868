"""`browser-pilot dashboard`: opens the hub's dashboard. A private one-time file signs the browser in."""

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

from browser_pilot.cli.hub_control import RunningHub, ensure_hub, send_request
from browser_pilot.cli.output import RUNNING, AsJson, print_json, print_line
from browser_pilot.errors import HubUnavailable
from browser_pilot.home import locate_home


class _SignIn(BaseModel):
    file: Path
    address: str


def dashboard(
    open_browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open it in your browser, or only print the file to open.")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Open the dashboard: agents' actions, pending approvals, your browsers and their pairing."""
    hub = ensure_hub(locate_home())
    sign_in = _request_sign_in(hub)
    if as_json:
        print_json(sign_in.model_dump(mode="json"))
    elif open_browser and _open(sign_in.file):
        print_line(RUNNING, f" Opening the dashboard in your browser, at {sign_in.address}")
    else:
        print_line("Open this file in your browser; it works once, for two minutes:")
        print_line("")
        print_line("    ", str(sign_in.file))


def _request_sign_in(hub: RunningHub) -> _SignIn:
    try:
        status, content = send_request(hub.info, "POST", "/api/dashboard")
        if status == HTTPStatus.OK:
            return _SignIn.model_validate_json(content)
        problem = f"status {status}"
    except (OSError, HTTPException, ValidationError) as error:
        problem = str(error)
    raise HubUnavailable(
        f"The hub did not create a sign-in file: {problem}.",
        suggestions=["It may be another version: run `browser-pilot stop`, then try again."],
    )


def _open(path: Path) -> bool:
    """Whether a browser was opened. Without a display only a terminal browser is available, which cannot be used."""
    has_display = sys.platform in ("win32", "darwin") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
    return has_display and webbrowser.open(path.as_uri())
