"""Measures the longest time for which hostile input holds up the event loop: `python -m bench.event_loop`.

Target: below 50 ms each. Counted is the processor time of the longest callback, so a busy machine does not matter.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager, suppress

from browser_pilot.errors import PilotError
from browser_pilot.guests.argument_validation import validate_arguments
from browser_pilot.mcp_server.tool_schema import parse_arguments
from browser_pilot.mcp_server.tools import REGISTRY
from browser_pilot.page.bounded_regex import matches_glob, search_texts
from browser_pilot.page.snapshot.offloading import fitting_length_of
from browser_pilot.page.snapshot.rows import Row, Snapshot
from browser_pilot.page.snapshot.search import search_rows
from browser_pilot.policy.budgets import Budgets
from browser_pilot.policy.decide import PolicyRequest, decide
from browser_pilot.policy.hosts import Site
from browser_pilot.policy.rules import Defaults, Ruleset
from browser_pilot.policy.sensitivity import ElementFacts, SensitivePatterns
from browser_pilot.redaction.offloading import MAX_INLINE_CHARACTERS, redact, redact_data
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.safe_text import sanitize_data

MAX_BLOCK_MS = 50.0
RUN = "_run"
MILLION = 1_000_000
# Pieces that cost the redactor most, repeated.
PIECES = (
    "password=",
    "eyJa.",
    '"secret":"',
    "4 ",
    "[redacted:card]4",
    "aaaaaaaaaaaaaaaa.",
    "form-data; name=",
    "key = ",
)
SHOP = Site("https", "shop.example", 443)


class LongestCallback:
    """The processor time of the longest callback of the event loop."""

    def __init__(self) -> None:
        self.seconds = 0.0

    @contextmanager
    def measured(self) -> Generator[None]:
        original = getattr(asyncio.Handle, RUN)

        def run(handle: asyncio.Handle) -> None:
            started = time.thread_time()
            original(handle)
            self.seconds = max(self.seconds, time.thread_time() - started)

        setattr(asyncio.Handle, RUN, run)
        try:
            yield
        finally:
            setattr(asyncio.Handle, RUN, original)


def cases() -> Mapping[str, Callable[[], Awaitable[object]]]:
    redactor = Redactor(emails=True, phones=True)
    redactor.add_secrets([f"secret-{number}-value" for number in range(50)])
    rows = tuple(Row(ref=f"e{n}", role="text", name="a" * 300, states=()) for n in range(20_000))
    snapshot = Snapshot(document="d", url="https://a.example/", title="T", rows=rows)
    schema = {"type": "object", "properties": {"rows": {"type": "array", "allOf": [{"contains": {"anyOf": [
        {"const": f"x{n}"} for n in range(12)]}}] * 64}}}  # fmt: skip
    element = ElementFacts(
        role="button", name="pay " * 5_000, submits=True, form_action="https://a.example/" + "b/" * 900
    )
    ruleset = Ruleset([], Defaults(sensitive=SensitivePatterns([f"word{n}.*x" for n in range(50)])))
    wide = {"rows": [{"name": "password", "value": "x" * 100} for _ in range(20_000)]}

    async def policy() -> None:
        decide(PolicyRequest(effect="write", target=SHOP, frame=SHOP, element=element), ruleset, Budgets(), 0.0)

    async def arguments() -> None:
        for tool in REGISTRY:
            names = dict.fromkeys(tool.arguments.model_fields, "x" * MILLION)
            with suppress(PilotError):
                parse_arguments(tool.arguments, names)
            await asyncio.sleep(0)

    async def sanitized() -> None:
        sanitize_data({"text": "\U000e0041a\u202e" * 100_000})

    found: dict[str, Callable[[], Awaitable[object]]] = {
        "browser_find, nested repeats": lambda: search_rows(snapshot, regex="(a+)+$b"),
        "browser_find, 20,000 rows": lambda: search_rows(snapshot, query="never there"),
        "regular expression of a client": lambda: search_texts("(x+x+)+y", ["x" * 5_000]),
        "glob of a client": lambda: matches_glob(["*a" * 200 + "b"], "a" * 100_000),
        "sensitive_patterns": policy,
        "schema of a guest": lambda: validate_arguments(schema, {"rows": list(range(3_000))}),
        "small schema of a guest": lambda: validate_arguments(
            {"type": "object", "properties": {"a": {"anyOf": [{"const": n} for n in range(30)]}}}, {"a": ["b"] * 20}
        ),
        "redaction of 20,000 rows": lambda: redact_data(redactor, wide),  # pyright: ignore[reportArgumentType]
        "length of a million characters": lambda: fitting_length_of("a b " * (MILLION // 4), 8_000),
        "arguments of a million characters": arguments,
        "hidden characters": sanitized,
    }
    for piece in PIECES:
        long = piece * (2 * MILLION // len(piece))
        short = (piece * MAX_INLINE_CHARACTERS)[:MAX_INLINE_CHARACTERS]
        found[f"redaction of 2 million characters: {piece!r}"] = lambda text=long: redact(redactor.text, text)
        found[f"redaction in the event loop: {piece!r}"] = lambda text=short: redact(redactor.text, text)
    return found


async def measure() -> dict[str, float]:
    """The longest block of each case, in milliseconds."""
    blocks: dict[str, float] = {}
    measured = cases()
    gc.freeze()  # as the hub does
    for name, case in measured.items():
        for _ in range(2):  # the first run imports and compiles, once in the life of a hub
            longest = LongestCallback()
            with longest.measured(), suppress(PilotError):
                await asyncio.create_task(_run(case))
            blocks[name] = longest.seconds * 1000
    return blocks


async def _run(case: Callable[[], Awaitable[object]]) -> None:
    await case()


def main() -> int:
    blocks = asyncio.run(measure())
    if "--json" in sys.argv:
        print(json.dumps(blocks, indent=1))
    else:
        for name, milliseconds in sorted(blocks.items(), key=lambda pair: -pair[1]):
            print(f"{milliseconds:8.1f} ms  {'' if milliseconds < MAX_BLOCK_MS else 'TOO LONG  '}{name}")
    return 1 if max(blocks.values()) >= MAX_BLOCK_MS else 0


if __name__ == "__main__":
    sys.exit(main())
