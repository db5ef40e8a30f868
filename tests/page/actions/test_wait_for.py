"""A wait returns as soon as its condition is true, or raises Timeout with the condition."""

from __future__ import annotations

import asyncio
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.errors import InvalidArgument, Timeout
from browser_pilot.page import bounded_regex
from browser_pilot.page.actions.wait_for import ElementState, url_matches, wait_for
from browser_pilot.page.tab import Tab
from tests.loop_blocks import ticks_during
from tests.page.conftest import Show
from tests.waiting import eventually

from .site import Site

browser_test = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


def later(script: str, ms: int = 300) -> str:
    return f"<script>setTimeout(() => {{ {script}; at = Date.now() }}, {ms})</script>"


class TestInABrowser:
    pytestmark = browser_test

    async def test_a_wait_ends_when_the_text_appears(self, show: Show) -> None:
        tab = await show("<p id=out></p>" + later("out.textContent = 'Order  confirmed'"))
        await wait_for(tab, text="order confirmed")
        late = time.time() * 1000 - await tab.page.evaluate("at")
        assert late < 250  # on a quiet machine below 20; see the bench

    async def test_a_wait_ends_when_the_text_becomes_visible(self, show: Show) -> None:
        tab = await show("<p id=out style='display:none'>Done</p>" + later("out.style.display = ''"))
        await wait_for(tab, text="Done")
        assert await tab.page.evaluate("at") > 0

    @pytest.mark.parametrize("state", ["visible", "detached"])
    async def test_an_invalid_element_fails_at_once(self, show: Show, state: ElementState) -> None:
        tab = await show("<p>Hello")
        with pytest.raises(InvalidArgument, match="not a valid selector"):
            await wait_for(tab, element={"css": "text=Hello"}, state=state, timeout_ms=5_000)

    async def test_a_wait_ends_when_the_text_disappears(self, show: Show) -> None:
        tab = await show("<p id=out>Loading</p>" + later("out.remove()"))
        await wait_for(tab, text_gone="Loading")
        assert await tab.page.evaluate("at") > 0

    async def test_a_wait_ends_when_the_text_appears_in_a_later_frame(self, tab: Tab, site: Site) -> None:
        site.add("leaf", "<p id=out></p>" + later("out.textContent = 'Inside'"))
        add = "const f = document.createElement('iframe'); f.src = 'http://b.test:{port}/leaf'; document.body.append(f)"
        await tab.page.goto(site.add("outer", f"<body>{later(add, 100)}"))
        await wait_for(tab, text="Inside")

    async def test_a_wait_ends_when_the_text_appears_on_the_next_page(self, show: Show, site: Site) -> None:
        site.late("next", 0.2, "<p>Arrived</p>")
        tab = await show(later("location.href = '/next'", 100))
        await wait_for(tab, text="Arrived")

    @pytest.mark.parametrize(
        ("before", "change", "state"),
        [
            ("<button id=b hidden>Go</button>", "b.hidden = false", "visible"),
            ("<button id=b>Go</button>", "b.hidden = true", "hidden"),
            ("<button id=b>Go</button>", "b.remove()", "detached"),
            ("<button id=b disabled>Go</button>", "b.disabled = false", "enabled"),
            ("<button id=b>Go</button>", "b.disabled = true", "disabled"),
            ("<input type=checkbox id=b>", "b.checked = true", "checked"),
            ("<input id=b>", "b.focus()", "focused"),
        ],
    )
    async def test_a_wait_ends_when_the_element_is_in_the_state(
        self, show: Show, before: str, change: str, state: ElementState
    ) -> None:
        tab = await show(f"<script>at = 0</script>{before}{later(change)}")
        await wait_for(tab, element="#b", state=state)
        assert await tab.page.evaluate("at") > 0

    async def test_urls_functions_and_load_states_are_awaited(self, show: Show) -> None:
        tab = await show(later("history.pushState(0, '', '/inbox/7'); ready = true"))
        await wait_for(tab, url="*/inbox/*")
        await wait_for(tab, function="() => window.ready")
        await wait_for(tab, load="load")

    async def test_a_timeout_names_the_condition(self, show: Show) -> None:
        tab = await show("<p>Text</p>")
        with pytest.raises(Timeout, match="'Done' to appear"):
            await wait_for(tab, text="Done", timeout_ms=200)
        with pytest.raises(Timeout, match="'Text' to disappear"):
            await wait_for(tab, text_gone="Text", timeout_ms=200)
        with pytest.raises(Timeout, match="#b to be visible"):
            await wait_for(tab, element="#b", timeout_ms=200)
        with pytest.raises(Timeout, match="'/nope'"):
            await wait_for(tab, url="/nope", timeout_ms=200)
        with pytest.raises(Timeout, match="never"):
            await wait_for(tab, function="window.never", timeout_ms=200)

    async def test_several_conditions_or_too_long_times_are_refused(self, show: Show) -> None:
        tab = await show("<p>Text</p>")
        with pytest.raises(InvalidArgument):
            await wait_for(tab)
        with pytest.raises(InvalidArgument):
            await wait_for(tab, text="a", url="b")
        with pytest.raises(InvalidArgument):
            await wait_for(tab, ms=5_000, timeout_ms=100)
        await wait_for(tab, ms=10)

    async def test_a_cancelled_wait_is_cancelled_in_the_page(self, show: Show) -> None:
        tab = await show("<p>Text</p>")
        waiting = asyncio.create_task(wait_for(tab, text="never"))
        await asyncio.wait({waiting}, timeout=0.5)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await wait_for(tab, text="Text")

    async def test_an_endless_regular_expression_in_the_page_is_ended_there(self, show: Show) -> None:
        tab = await show(f"<button>{'a' * 60}!</button>")
        with pytest.raises(Timeout):
            await wait_for(tab, element="role=button[name=/(a+)+$/]", timeout_ms=500)
        await eventually(lambda: _responds(tab), "the page responds again")
        await wait_for(tab, element="role=button")


async def _responds(tab: Tab) -> bool:
    try:
        async with asyncio.timeout(1):
            return await tab.page.evaluate("1") == 1
    except TimeoutError:
        return False


async def test_a_regular_expression_on_a_url_ends_at_a_deadline_while_the_loop_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounded_regex, "REGEX_TIMEOUT_SECONDS", 0.5)
    async with ticks_during() as ticks:
        with pytest.raises(Timeout, match="regular expression"):
            await url_matches("/(a+)+$/", f"https://example.org/{'a' * 60}!")
    assert ticks.count >= 5


@given(st.text(st.characters(exclude_characters="*/"), min_size=1, max_size=10))
def test_plain_text_matches_a_part_of_the_url(word: str) -> None:
    assert asyncio.run(url_matches(word, f"https://example.org/{word}/x"))
    assert not asyncio.run(url_matches(f"{word}!", f"https://example.org/{word}/x"))


@pytest.mark.parametrize(
    ("wanted", "matches"),
    [("*/inbox/*", True), ("**/inbox/**", True), ("/inbox\\/\\d+/", True), ("/^inbox/", False), ("inbox/7", True)],
)
async def test_patterns_match_as_they_are_written(wanted: str, matches: bool) -> None:
    assert await url_matches(wanted, "https://example.org/inbox/7") is matches
