"""``browser_run``: many tool calls in one, each through the gateway, with one result."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import Any, cast

import pytest
import toon_format
from mcp.client import Client
from mcp_types import CallToolResult, TextContent

from browser_pilot.audit_log.database import AuditLogFiles
from browser_pilot.audit_log.reader import AuditLogReader
from tests.clients import call, fail, http_client, text_of
from tests.hub_process import HubProcess
from tests.sites import Site, SlowPage, serving
from tests.waiting import eventually

pytestmark = pytest.mark.browser

PAGE = """<!doctype html><html lang=en><title>Bank</title><h1>Bank</h1>
<button onclick="count.textContent = 1 + Number(count.textContent); fetch('/clicked')">Add</button>
<p>Count: <b id=count>0</b></p>
<label>Name <input name=name oninput="greeting.textContent = 'Hello ' + this.value"></label><p id=greeting></p>
<button onclick="setTimeout(() => saved.textContent = 'Saved')">Save</button><p id=saved></p>
<button onclick="alert('Hi')">Alert</button><button onclick="for (;;);">Hang</button>
<p>Balance: 42 EUR</p><a href=/other>Other</a><a href=/other target=_blank>New tab</a></html>"""
OTHER = "<!doctype html><html lang=en><title>Other</title><h1>Other page</h1><button>Here</button></html>"
ADD = {"click": "text=Add"}


@pytest.fixture(scope="module")
def bank() -> Generator[Site]:
    with serving({"/": PAGE, "/other": OTHER, "/clicked": "ok", "/slow": SlowPage()}) as site:
        yield site


async def run(client: Client, *steps: object, **arguments: Any) -> list[dict[str, Any]]:
    """The blocks of the result of a run that must succeed: what it did, and the results of its steps."""
    result = await client.call_tool("browser_run", {"steps": list(steps), **arguments})
    assert not result.is_error, text_of(result)
    return blocks_of(result)


async def stopped(client: Client, *steps: object, **arguments: Any) -> list[dict[str, Any]]:
    result = await client.call_tool("browser_run", {"steps": list(steps), **arguments})
    assert result.is_error, text_of(result)
    return blocks_of(result)


def blocks_of(result: CallToolResult) -> list[dict[str, Any]]:
    texts = [block.text for block in result.content if isinstance(block, TextContent)]
    return [cast("dict[str, Any]", toon_format.decode(text)) for text in texts if not text.startswith("---")]


async def value_of(client: Client, expression: str) -> str:
    return (await call(client, "browser_evaluate", expression=expression))["result"]


async def test_a_run_returns_the_changes_of_all_steps_and_what_its_reading_steps_found(
    hub_without_rate_limit: HubProcess, bank: Site
) -> None:
    async with http_client(hub_without_rate_limit) as client:
        await call(client, "browser_navigate", url=bank.url())
        before = await call(client, "browser_snapshot")
        refs = {row["name"]: row["ref"] for row in before["elements"]}
        summary, waited, found = await run(
            client,
            {"click": refs["Add"]},
            {"click": refs["Add"]},
            {"type": {"element": refs["Name"], "text": "Ada"}},
            {"click": refs["Save"]},
            {"wait_for": {"text": "Saved"}},
            {"find": "Balance"},
        )
        assert summary["done"] == "6 of 6"
        assert "Saved" in str(summary)
        assert "Hello Ada" in str(summary)
        assert (waited["step"], found["step"]) == (5, 6)
        assert "Balance: 42 EUR" in str(found)
        # It was one diff: nothing is left to tell, and the refs are still those of the snapshot.
        after = await call(client, "browser_click", element=refs["Add"])
        assert "Hello Ada" not in str(after)


async def test_a_step_uses_what_an_earlier_one_found(hub_without_rate_limit: HubProcess, bank: Site) -> None:
    async with http_client(hub_without_rate_limit, query="?tools=full") as client:
        await run(client, {"navigate": bank.url()}, {"find": {"query": "Add", "role": "button"}}, {"click": "$2.ref"})
        assert await value_of(client, "count.textContent") == "1"
        await run(
            client,
            {"evaluate": "({text: 'Grace'})"},
            {"type": {"element": {"role": "textbox", "name": "Name"}, "text": "$1.result.text"}},
        )
        assert await value_of(client, "greeting.textContent") == "Hello Grace"


async def test_a_run_stops_at_the_first_failure_and_says_where(hub_without_rate_limit: HubProcess, bank: Site) -> None:
    async with http_client(hub_without_rate_limit, query="?tools=full") as client:
        await call(client, "browser_navigate", url=bank.url())
        await call(client, "browser_snapshot")
        summary, changes = await stopped(client, ADD, {"click": "#nothing", "timeout_ms": 500}, ADD)
        assert (summary["done"], summary["stopped_at"]) == ("1 of 3", 2)
        assert (summary["error"], summary["step_tool"]) == ("ELEMENT_NOT_FOUND", "browser_click")
        assert summary["retryable"] is False
        assert "changed" in changes or "new" in changes
        assert await value_of(client, "count.textContent") == "1"


async def test_a_failing_step_can_be_passed_over(hub_without_rate_limit: HubProcess, bank: Site) -> None:
    async with http_client(hub_without_rate_limit, query="?tools=full") as client:
        await call(client, "browser_navigate", url=bank.url())
        missing = {"click": "#nothing", "timeout_ms": 500, "on_error": "continue"}
        summary, failed = await run(client, ADD, missing, ADD)
        assert summary["done"] == "2 of 3"
        assert (failed["step"], failed["error"]) == (2, "ELEMENT_NOT_FOUND")
        assert await value_of(client, "count.textContent") == "2"


async def test_no_step_runs_if_one_has_a_wrong_argument(hub_without_rate_limit: HubProcess, bank: Site) -> None:
    async with http_client(hub_without_rate_limit, query="?tools=full") as client:
        await call(client, "browser_navigate", url=bank.url())
        error = await fail(client, "browser_run", steps=[ADD, {"type": {"element": "#name"}}])
        assert (error["error"], error["step"]) == ("INVALID_ARGUMENT", 2)
        assert await value_of(client, "count.textContent") == "0"


async def test_a_run_shows_tabs_dialogs_pictures_and_long_texts(hub_without_rate_limit: HubProcess, bank: Site) -> None:
    async with http_client(hub_without_rate_limit) as client:
        result = await client.call_tool(
            "browser_run",
            {"steps": [{"navigate": bank.url()}, {"click": "text=New tab"}, {"read": {"scope": "page"}}, "screenshot"]},
        )
        assert not result.is_error, text_of(result)
        opened = next(block for block in blocks_of(result) if "new_tabs" in block)
        assert opened["step"] == 2
        assert "Balance: 42 EUR" in text_of(result)
        assert [block.type for block in result.content].count("image") == 1
        (summary, alert) = await run(client, {"click": "text=Alert"})
        assert (alert["step"], alert["dialog"]["message"]) == (1, "Hi")
        assert summary["done"] == "1 of 1"
        await run(client, {"dialog": True}, ADD)


async def test_a_run_in_two_tabs_tells_the_changes_of_each(hub_without_rate_limit: HubProcess, bank: Site) -> None:
    async with http_client(hub_without_rate_limit) as client:
        await call(client, "browser_navigate", url=bank.url())
        await call(client, "browser_snapshot")
        await call(client, "browser_tabs", action="open", url=bank.url())
        await call(client, "browser_snapshot")
        summary, first, second = await run(client, {**ADD, "tab": "t1"}, {**ADD, "tab": "t2"}, {**ADD, "tab": "t1"})
        assert summary == {"done": "3 of 3"}
        assert {first["tab"], second["tab"]} == {"t1", "t2"}
        assert all("changed" in one or "new" in one for one in (first, second))


async def test_each_effect_of_a_run_has_one_entry_with_its_place(hub: HubProcess, bank: Site) -> None:
    async with http_client(hub, query="?tools=full") as client:
        await call(client, "browser_navigate", url=bank.url())
        await run(client, ADD, {"find": "Balance"}, {"evaluate": "1 + 1"})
        entry: dict[str, Any] = {}

        def complete() -> bool:
            found = [
                one.flat() for one in AuditLogReader(AuditLogFiles.in_home(hub.home)).search() if one.intent.get("run")
            ]
            entry["rows"] = found
            return len(found) == 3

        await eventually(complete, "the entries of the run")
        rows = entry["rows"]
        assert [(row["tool"], row["step"], row["steps"]) for row in sorted(rows, key=lambda row: row["step"])] == [
            ("browser_click", 1, 3),
            ("browser_find", 2, 3),
            ("browser_evaluate", 3, 3),
        ]
        assert len({row["run"] for row in rows}) == 1
        assert AuditLogReader(AuditLogFiles.in_home(hub.home)).verify().ok


async def test_cancelling_a_run_stops_it_before_the_next_effect(hub_without_rate_limit: HubProcess, bank: Site) -> None:
    slow = cast("SlowPage", bank.pages["/slow"])
    async with http_client(hub_without_rate_limit, query="?tools=full") as client:
        await call(client, "browser_navigate", url=bank.url())
        del bank.hits[:]
        steps = [ADD, {"tabs": {"action": "open", "url": bank.url("/slow")}}, {**ADD, "tab": "t1"}]
        running = asyncio.create_task(client.call_tool("browser_run", {"steps": steps}))
        await slow.wait_for_request()
        running.cancel()
        await asyncio.wait({running})
        slow.release.set()
        assert await value_in(client, "t1", "count.textContent") == "1"
        assert bank.hits.count("/clicked") == 1


async def value_in(client: Client, tab: str, expression: str) -> str:
    return (await call(client, "browser_evaluate", expression=expression, tab=tab))["result"]


async def test_a_run_ends_at_its_deadline_and_says_what_is_done(hub_without_rate_limit: HubProcess, bank: Site) -> None:
    async with http_client(hub_without_rate_limit, query="?tools=full") as client:
        await call(client, "browser_navigate", url=bank.url())
        wait = {"wait_for": {"text": "never"}, "timeout_ms": 600_000, "on_error": "continue"}
        (summary, *_) = await stopped(client, ADD, wait, ADD, timeout_ms=3_000)
        assert (summary["done"], summary["stopped_at"], summary["error"]) == ("1 of 3", 3, "TIMEOUT")
        assert "not begun" in summary["message"]
        assert await value_of(client, "count.textContent") == "1"


async def test_a_run_says_that_the_outcome_of_its_last_step_is_unknown(
    hub_without_rate_limit: HubProcess, bank: Site
) -> None:
    async with http_client(hub_without_rate_limit) as client:
        await call(client, "browser_navigate", url=bank.url())
        del bank.hits[:]
        (summary, *_) = await stopped(client, ADD, {"click": "text=Hang", "timeout_ms": 3_000}, ADD)
        assert (summary["done"], summary["stopped_at"], summary["error"]) == ("1 of 3", 2, "OUTCOME_UNKNOWN")
        assert summary["retryable"] is False
        assert bank.hits.count("/clicked") == 1


async def test_a_run_reports_progress_per_step(hub_without_rate_limit: HubProcess, bank: Site) -> None:
    async with http_client(hub_without_rate_limit) as client:
        await call(client, "browser_navigate", url=bank.url())
        seen: list[tuple[float, float | None, str | None]] = []

        async def note(progress: float, total: float | None, message: str | None) -> None:
            seen.append((progress, total, message))

        await client.call_tool("browser_run", {"steps": [ADD, {"find": "x"}, ADD]}, progress_callback=note)
        await eventually(lambda: len(seen) == 3)
        assert seen == [
            (0, 3, "step 1: browser_click"),
            (1, 3, "step 2: browser_find"),
            (2, 3, "step 3: browser_click"),
        ]


async def test_the_result_stays_within_the_clients_token_limit(hub_with_small_results: HubProcess) -> None:
    rows = "".join(f"<p>Paragraph number {n} of a long page with words</p>" for n in range(400))
    with serving({"/": f"<!doctype html><html lang=en><title>Long</title>{rows}"}) as site:
        async with http_client(hub_with_small_results, query="?tools=full") as client:
            steps = [{"navigate": site.url()}, *["snapshot", {"evaluate": "'word '.repeat(3000)"}] * 5]
            result = await client.call_tool("browser_run", {"steps": steps})
            assert not result.is_error
            assert len(text_of(result)) < 1_000 * 6
            assert "It was left out" in text_of(result)


@pytest.fixture(scope="module")
def hub_with_small_results(hub_with: Any) -> HubProcess:
    return hub_with("[tools]\nmax_tokens = 1000\n")


async def test_a_run_cannot_use_the_tabs_of_another_client(hub_without_rate_limit: HubProcess, bank: Site) -> None:
    async with (
        http_client(hub_without_rate_limit, query="?tools=full") as owner,
        http_client(hub_without_rate_limit, query="?tools=full") as other,
    ):
        for _ in range(3):
            await call(owner, "browser_tabs", action="open", url=bank.url())
        session = (await call(owner, "browser_session"))["sessions"][0]["session"]
        await call(other, "browser_navigate", url=bank.url("/other"))
        for step in ({**ADD, "tab": "t3"}, {**ADD, "session": session}, {"tabs": {"action": "close", "tab": "t3"}}):
            (summary, *_) = await stopped(other, step)
            assert summary["error"] in ("NO_TAB", "NO_SESSION")
        (summary, *_) = await stopped(other, {"find": "x"}, ADD, session=session)
        assert summary["error"] == "NO_SESSION"
        assert await value_in(owner, "t3", "count.textContent") == "0"


HOSTILE: list[object] = [
    "x" * 100_000,
    {"click": "e1"},
    [{"click": "e1"}] * 101,
    [[]],
    [None],
    [{"click": {"element": "'; DROP TABLE entries; --"}, "timeout_ms": 300}],
    [{"click": "\u202e\u0000", "timeout_ms": 300}],
    [{"__proto__": {}}],
    [{"tool": "browser_click", "arguments": {"element": {"css": "a" * 50_000}, "timeout_ms": 300}}],
    [{"type": {"element": "#x", "text": "{{secret:NOPE}}", "timeout_ms": 300}}],
    [{"navigate": "file:///etc/passwd"}],
    [{"navigate": "javascript:alert(1)"}],
    [{"find": {"regex": "(a+)+$"}}, {"click": "$1.ref", "timeout_ms": 300}],
    [{"click": {"element": "$1.__class__"}}],
    [{"run": {"steps": [{"click": "e1"}]}}],
]


@pytest.mark.parametrize("steps", HOSTILE, ids=range(len(HOSTILE)))
async def test_hostile_steps_get_a_typed_error(hub_without_rate_limit: HubProcess, bank: Site, steps: object) -> None:
    async with http_client(hub_without_rate_limit, query="?tools=full") as client:
        await call(client, "browser_navigate", url=bank.url())
        error = await fail(client, "browser_run", steps=steps)
        assert error["error"] not in ("", "INTERNAL_ERROR"), error
        assert len(str(error)) < 5_000
        assert (await run(client, {"find": "Balance"}))[0] == {"done": "1 of 1"}
