"""`browser-pilot demo`: a scripted agent signs in, fills a form and reads the result, through MCP like any other.

It knows nothing of the page but what the tools answer. It uses the running hub, else one of its own in a temporary
home, which ends with it.
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

from ..config import Settings, load_settings
from ..errors import PilotError
from ..home import locate_home
from ..pages.ceiling import estimate_tokens
from .hub import find_hub
from .output import GOOD, first_error, out, progress, say
from .tool_answer import Json

if TYPE_CHECKING:
    from .mcp_client import HubClient


class DemoFailed(PilotError):
    """A step did not lead where it should."""

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
    from ..demo.site import demo_site
    from .mcp_client import connect

    with demo_site() as site:
        async with _some_hub(settings, home) as (url, token):
            options = {"tools": "standard", "format": "toon", **({"headed": "true"} if headed else {})}
            async with connect(url, token, name="browser-pilot demo", options=options) as client:
                await Agent(client).book_a_crossing(site)


@asynccontextmanager
async def _some_hub(settings: Settings, home: Path) -> AsyncGenerator[tuple[str, str]]:
    running = find_hub(home)
    if running is not None:
        say(f"Using the hub at {running.mcp_url}.")
        yield running.mcp_url, running.info.token
        return
    from ..app import Hub

    with tempfile.TemporaryDirectory(prefix="browser-pilot-demo-", ignore_cleanup_errors=True) as folder:
        private = settings.model_copy(update={"hub": settings.hub.model_copy(update={"port": 0})})
        async with Hub(private, Path(folder)).running() as listening:
            say(f"Started a hub of its own at {listening.mcp_url}.")
            yield listening.mcp_url, listening.info.token


class Agent:
    """Follows a script, but finds everything it acts on in the tools' answers."""

    def __init__(self, client: HubClient) -> None:
        self._client = client
        self._rows: list[Json] = []
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
            self._ref_of("textbox", "Passenger name"): "Grace Hopper",
            self._ref_of("spinbutton", "Passengers"): "2",
            self._ref_of("checkbox", "Take a bicycle"): True,
        }
        listed = [{"element": ref, "value": value} for ref, value in fields.items()]
        await self._step("Fill in the booking form", "browser_fill_form", {"fields": listed})
        await self._click("radio", "Lounge")
        await self._click("button", "Book now")
        result = {name: self._value_of(name) for name in ("Reference", "Passengers", "Seat", "Bicycle", "Total")}
        out.line()
        wrong = {"Passengers": "2", "Seat": "Lounge", "Bicycle": "Yes"}.items() - result.items()
        if wrong or not result["Reference"].startswith("LF-"):
            raise DemoFailed(f"The page does not show the booking that was made: {result}.")
        say(GOOD, " Booked: ", ", ".join(f"{name.lower()} {value}" for name, value in result.items()))
        say(
            f"  {self._steps} tool calls in {self._milliseconds / 1000:.1f} s, "
            f"answers of about {self._tokens:,} tokens in all."
        )

    async def _type(self, field: str, text: str) -> None:
        ref = self._ref_of("textbox", field)
        shown = "•" * len(text) if field == "Password" else text
        await self._step(f"Type {shown} into “{field}”", "browser_type", {"element": ref, "text": text})

    async def _click(self, role: str, name: str) -> None:
        await self._step(f"Click “{name}”", "browser_click", {"element": self._ref_of(role, name)})

    async def _step(self, words: str, tool: str, arguments: dict[str, object]) -> None:
        self._steps += 1
        with progress(words):
            started = time.perf_counter()
            answer = await self._client.call(tool, arguments)
            milliseconds = (time.perf_counter() - started) * 1000
        if answer.is_error:
            message = str(answer.data.get("message", answer.text))
            raise DemoFailed(f"{words}: {message}", suggestions=["`browser-pilot doctor` looks for the cause."])
        tokens = estimate_tokens(answer.text)
        # An action that leads to a new page answers with that page; any other with what it changed.
        self._rows = answer.rows or self._rows
        self._milliseconds += milliseconds
        self._tokens += tokens
        say(f"  {self._steps:>2}  {words:<44} {tool:<17} {milliseconds:>6.0f} ms {tokens:>5} tokens")

    def _ref_of(self, role: str, name: str) -> str:
        for row in self._rows:
            if row["role"] == role and str(row["name"]).startswith(name):
                return str(row["ref"])
        raise DemoFailed(f"The page shows no {role} “{name}”.")

    def _value_of(self, term: str) -> str:
        """What the page says about a term, in a row such as “Total: 43.50 EUR”."""
        for row in self._rows:
            name, _, value = str(row["name"]).partition(": ")
            if name == term:
                return value
        raise DemoFailed(f"The page shows no “{term}”.")
