"""The effects of an action are awaited, and nothing else."""

from __future__ import annotations

import asyncio
import itertools
import time

import pytest

from browser_pilot.page.actions import wait_idle
from browser_pilot.page.actions.resolve import resolve
from browser_pilot.page.tab import Tab
from tests.page.conftest import Show

from .acting import click
from .site import HttpRequest, Site

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

OUT = "<p id=out>before</p>"
# An action that waits for what never comes takes this long here, one that does not a fraction of it on any machine.
LONG_SECONDS = 120.0
SHORT_SECONDS = LONG_SECONDS / 2


@pytest.fixture
def long_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wait_idle, "MAX_WAIT_SECONDS", LONG_SECONDS)


async def shown(tab: Tab) -> str:
    return await tab.page.inner_text("#out")


async def clicked(tab: Tab, selector: str = "#b") -> float:
    """Click, and return how many seconds it took; the element is resolved before."""
    ref = (await resolve(tab, selector)).ref
    began = time.monotonic()
    await click(tab, ref)
    return time.monotonic() - began


async def test_a_change_by_the_event_handler_is_awaited(show: Show) -> None:
    tab = await show(f"{OUT}<button id=b onclick='out.textContent = `after`'>Go</button>")
    await clicked(tab)
    assert await shown(tab) == "after"


async def test_a_change_over_several_frames_is_awaited(show: Show) -> None:
    tab = await show(
        f"{OUT}<button id=b onclick='let n = 0; const step = () => {{ out.textContent = ++n;"
        " if (n < 5) requestAnimationFrame(step) }; requestAnimationFrame(step)'>Go</button>"
    )
    await clicked(tab)
    assert await shown(tab) == "5"


@pytest.mark.parametrize("seconds", [0.0, 0.3, 3.0])
@pytest.mark.parametrize("how", ["fetch", "xhr"])
@pytest.mark.usefixtures("long_wait")
async def test_a_change_after_a_response_is_awaited(show: Show, site: Site, seconds: float, how: str) -> None:
    site.late("data", seconds, "after")
    script = (
        "fetch('/data').then(r => r.text()).then(t => out.textContent = t)"
        if how == "fetch"
        else "const x = new XMLHttpRequest(); x.onload = () => out.textContent = x.responseText;"
        "x.open('GET', '/data'); x.send()"
    )
    tab = await show(f'{OUT}<button id=b onclick="{script}">Go</button>')
    took = await clicked(tab)
    assert await shown(tab) == "after"
    assert took < SHORT_SECONDS


async def test_requests_that_a_response_causes_are_awaited(show: Show, site: Site) -> None:
    site.late("one", 0.2, "1")
    site.late("two", 0.2, "2")
    tab = await show(
        f"{OUT}<button id=b onclick='fetch(`/one`).then(r => r.text()).then(() => fetch(`/two`)).then(r => r.text())"
        ".then(t => out.textContent = t)'>Go</button>"
    )
    await clicked(tab)
    assert await shown(tab) == "2"


@pytest.mark.parametrize("seconds", [0.0, 0.3, 3.0])
async def test_a_navigation_is_awaited_until_its_document(show: Show, site: Site, seconds: float) -> None:
    site.late("next", seconds, "<title>Next</title><p id=out>after</p>")
    tab = await show("<a id=b href=/next>Go</a>")
    ref = (await resolve(tab, "#b")).ref
    outcome = await click(tab, ref)
    assert outcome.navigated == site.url("next")
    assert outcome.new_document
    assert await shown(tab) == "after"


async def test_a_form_submission_by_script_is_awaited_until_its_document(show: Show, site: Site) -> None:
    site.late("next", 0.2, "<p id=out>after</p>")
    tab = await show(
        "<form id=f action=/next></form><button id=b onclick='setTimeout(() => f.submit(), 0)'>Go</button>"
    )
    await clicked(tab)
    assert await shown(tab) == "after"


async def test_a_navigation_of_a_frame_is_awaited(tab: Tab, site: Site) -> None:
    site.add("leaf", "<a id=b href=/next>Go</a>")
    site.late("next", 0.3, "<p id=out>after</p>")
    await tab.page.goto(site.add("outer", "<iframe src='http://b.test:{port}/leaf'></iframe>"))
    await clicked(tab)
    assert await tab.page.frames[-1].inner_text("#out") == "after"


async def test_a_same_document_navigation_is_reported_as_one(show: Show, site: Site) -> None:
    tab = await show(
        f"{OUT}<button id=b onclick='history.pushState(0, ``, `/inbox`); out.textContent = `after`'>Go</button>"
    )
    outcome = await click(tab, "#b")
    assert outcome.navigated == site.url("inbox")
    assert not outcome.new_document
    assert await shown(tab) == "after"


async def test_a_reply_over_a_websocket_is_awaited(show: Show, site: Site) -> None:
    async def echo(request: HttpRequest) -> None:
        await request.accept_socket()
        while True:
            await request.socket_receive()
            await asyncio.sleep(0.2)
            await request.socket_send("after")

    site.handle("ws", echo)
    tab = await show(
        f"{OUT}<button id=b onclick='ws.send(`x`)'>Go</button><script>ws = new WebSocket(`ws://${{location.host}}/ws`);"
        "ws.onmessage = e => out.textContent = e.data; ws.onopen = () => out.textContent = 'open'</script>"
    )
    await tab.page.wait_for_function("out.textContent === 'open'")
    await clicked(tab)
    assert await shown(tab) == "after"


@pytest.mark.usefixtures("long_wait")
async def test_a_later_timer_is_not_awaited(show: Show) -> None:
    tab = await show(
        f"{OUT}<button id=b onclick='setTimeout(() => out.textContent = 1, {SHORT_SECONDS * 1000})'>Go</button>"
    )
    await clicked(tab)
    assert await shown(tab) == "before"


async def test_a_response_that_never_comes_is_reported_after_the_maximum_wait(
    show: Show, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wait_idle, "MAX_WAIT_SECONDS", 1.0)
    site.never("data")
    tab = await show("<button id=b onclick='fetch(`/data`)'>Go</button>")
    began = time.monotonic()
    outcome = await click(tab, "#b")
    assert time.monotonic() - began >= 1
    assert any("/data" in word for word in outcome.still_loading)


@pytest.mark.usefixtures("long_wait")
async def test_event_streams_and_images_do_not_delay_a_click(show: Show, site: Site) -> None:
    async def stream(request: HttpRequest) -> None:
        await request.begin_stream("text/event-stream")
        await request.send("data: hello\n\n")
        await request.wait_closed()

    site.handle("events", stream)
    site.never("slow.png")
    tab = await show(
        "<button id=b onclick='new EventSource(`/events`); fetch(`/events`); new Image().src = `/slow.png`'>Go</button>"
    )
    assert await clicked(tab) < SHORT_SECONDS


@pytest.mark.managed
@pytest.mark.usefixtures("long_wait")
async def test_polling_does_not_delay_a_click(show: Show, site: Site) -> None:
    numbers = itertools.count(1)

    async def poll(request: HttpRequest) -> None:
        # Later polls are begun during the clicks, and never end.
        await (request.respond("x") if next(numbers) <= 5 else request.wait_closed())

    site.handle("poll", poll)
    tab = await show(
        "<button id=b onclick='0'>Go</button><script>polls = 0;"
        "setInterval(() => fetch('/poll?' + polls++).then(r => r.text()), 20)</script>"
    )
    await tab.page.wait_for_function("polls > 10")
    for _ in range(4):
        assert await clicked(tab) < SHORT_SECONDS


@pytest.mark.parametrize("again", ["setTimeout(tick, 50)", "requestAnimationFrame(tick)"])
@pytest.mark.managed
async def test_a_page_that_changes_all_the_time_costs_little_more_than_an_idle_one(show: Show, again: str) -> None:
    """Compares the fastest of many: what a busy machine adds to some is not the page's."""
    quiet: list[float] = []
    restless: list[float] = []
    ticker = f"<script>tick = () => {{ clock.textContent = performance.now(); {again} }}; tick()</script>"
    for _ in range(3):
        for times, extra in ((quiet, ""), (restless, ticker)):
            tab = await show(f"<p id=clock></p><button id=b onclick='0'>Go</button>{extra}")
            await tab.page.evaluate("new Promise(done => setTimeout(done, 400))")
            times += [await clicked(tab) for _ in range(10)]
    assert min(restless) < 1.5 * min(quiet) + 0.01


@pytest.mark.usefixtures("long_wait")
async def test_a_page_that_changes_in_every_frame_does_not_delay_a_click(show: Show) -> None:
    tab = await show(
        "<p id=tick></p><button id=b onclick='step()'>Go</button>"
        "<script>step = () => { tick.append('x'); requestAnimationFrame(step) }</script>"
    )
    assert await clicked(tab) < SHORT_SECONDS
