"""`browser-pilot demo`: a scripted agent signs in, fills a form and reads the result, over MCP.

It finds elements only through tool results. It uses the running hub, or else starts its own in a temporary home, which
is stopped and deleted at the end.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from browser_pilot.cli.hub_control import find_hub
from browser_pilot.cli.output import SUCCESS, first_error, out, print_line, progress
from browser_pilot.config.settings import Settings, load_settings
from browser_pilot.errors import PilotError
from browser_pilot.home import locate_home
from browser_pilot.json_types import JsonObject
from browser_pilot.page.snapshot.token_budget import estimate_tokens

if TYPE_CHECKING:
    from browser_pilot.cli.mcp_client import HubClient


class DemoFailed(PilotError):
    """A step did not have the expected result."""

    code = "DEMO_FAILED"


def demo(
    headed: Annotated[bool, typer.Option("--headed", help="Show the browser's window.")] = False,
) -> None:
    """Watch a scripted agent sign in, fill a form and read the result."""
    home = locate_home()
    settings = load_settings(home=home, options={"browser.headless": False if headed else None})
    try:
        asyncio.run(_run(settings, home, headed=headed))
    except BaseExceptionGroup as group:
        raise first_error(group) from group


async def _run(settings: Settings, home: Path, *, headed: bool) -> None:
    from browser_pilot.cli.mcp_client import connect
    from browser_pilot.demo.site import demo_site

    with demo_site() as site:
        async with _running_or_temporary_hub(settings, home) as (url, token):
            options = {"tools": "standard", "format": "toon", **({"headed": "true"} if headed else {})}
            async with connect(url, token, name="browser-pilot demo", options=options) as client:
                await Agent(client).book_a_crossing(site)


@asynccontextmanager
async def _running_or_temporary_hub(settings: Settings, home: Path) -> AsyncGenerator[tuple[str, str]]:
    running = find_hub(home)
    if running is not None:
        print_line(f"Using the hub at {running.mcp_url}.")
        yield running.mcp_url, running.info.token
        return
    from browser_pilot.hub.app import Hub
    from browser_pilot.hub.early_start import claimed_home

    with tempfile.TemporaryDirectory(prefix="browser-pilot-demo-", ignore_cleanup_errors=True) as folder:
        private = settings.model_copy(update={"hub": settings.hub.model_copy(update={"port": 0})})
        async with (
            claimed_home(Path(folder), private) as managed,
            Hub(private, Path(folder), managed).running() as listening,
        ):
            print_line(f"Started a temporary hub at {listening.mcp_url}.")
            yield listening.mcp_url, listening.info.token


class Agent:
    """Follows a script, but finds all elements in tool results."""

    def __init__(self, client: HubClient) -> None:
        self._client = client
        self._rows: list[JsonObject] = []
        self._steps = 0
        self._milliseconds = 0.0
        self._tokens = 0

    async def book_a_crossing(self, site: str) -> None:
        out.line()
        await self._step("Open the sign-in page", "browser_navigate", {"url": site, "snapshot": True})
        await self._type("Email", "ada@example.com")
        await self._type("Password", "lighthouse")
        await self._click("button", "Sign in")
        fields = {
            self._find_ref("textbox", "Passenger name"): "Grace Hopper",
            self._find_ref("spinbutton", "Passengers"): "2",
            self._find_ref("checkbox", "Take a bicycle"): True,
        }
        listed = [{"element": ref, "value": value} for ref, value in fields.items()]
        await self._step("Fill in the booking form", "browser_fill_form", {"fields": listed})
        await self._click("radio", "Lounge")
        await self._click("button", "Book now")
        result = {name: self._find_value(name) for name in ("Reference", "Passengers", "Seat", "Bicycle", "Total")}
        out.line()
        wrong = {"Passengers": "2", "Seat": "Lounge", "Bicycle": "Yes"}.items() - result.items()
        if wrong or not result["Reference"].startswith("LF-"):
            raise DemoFailed(f"The page does not show the expected booking: {result}.")
        print_line(SUCCESS, " Booked: ", ", ".join(f"{name.lower()} {value}" for name, value in result.items()))
        print_line(
            f"  {self._steps} tool calls in {self._milliseconds / 1000:.1f} s, "
            f"about {self._tokens:,} tokens of results in total."
        )

    async def _type(self, field: str, text: str) -> None:
        ref = self._find_ref("textbox", field)
        shown = "•" * len(text) if field == "Password" else text
        await self._step(f"Type {shown} into “{field}”", "browser_type", {"element": ref, "text": text})

    async def _click(self, role: str, name: str) -> None:
        await self._step(f"Click “{name}”", "browser_click", {"element": self._find_ref(role, name)})

    async def _step(self, description: str, tool: str, arguments: dict[str, object]) -> None:
        self._steps += 1
        with progress(description):
            started = time.perf_counter()
            result = await self._client.call(tool, arguments)
            milliseconds = (time.perf_counter() - started) * 1000
        if result.is_error:
            message = str(result.data.get("message", result.text))
            raise DemoFailed(f"{description}: {message}", suggestions=["Run `browser-pilot doctor` to find the cause."])
        tokens = estimate_tokens(result.text)
        # An action that opens a new page returns its snapshot; any other returns a diff.
        self._rows = result.rows or self._rows
        self._milliseconds += milliseconds
        self._tokens += tokens
        print_line(f"  {self._steps:>2}  {description:<44} {tool:<17} {milliseconds:>6.0f} ms {tokens:>5} tokens")

    def _find_ref(self, role: str, name: str) -> str:
        for row in self._rows:
            if row["role"] == role and str(row["name"]).startswith(name):
                return str(row["ref"])
        raise DemoFailed(f"The page has no {role} “{name}”.")

    def _find_value(self, term: str) -> str:
        """The value of a term, from a row such as “Total: 43.50 EUR”."""
        for row in self._rows:
            name, _, value = str(row["name"]).partition(": ")
            if name == term:
                return value
        raise DemoFailed(f"The page has no “{term}”.")
