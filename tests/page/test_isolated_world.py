"""Our isolated world: in every frame, renewed after navigation, invisible to the page."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Page

from browser_pilot.errors import BrowserCrashed, NoTab, OutcomeUnknown, Timeout
from browser_pilot.page.cdp import send
from browser_pilot.page.isolated_world import WORLD_NAME, FrameGone, World
from browser_pilot.page.snapshot.snapshot import take_snapshot

from .conftest import Sites


async def test_every_frame_responds_across_sites_and_depths(page: Page, sites: Sites) -> None:
    sites.add("leaf", "<title>leaf</title>")
    sites.add(
        "inner", "<title>inner</title><iframe src='http://c.test:{port}/leaf'></iframe><iframe srcdoc='x'></iframe>"
    )
    await page.goto(
        sites.add("outer", "<iframe src='http://b.test:{port}/inner'></iframe><iframe src='/leaf'></iframe>")
    )
    results = await World(page).call_everywhere("documentToken")
    hosts = sorted(frame.url.split("/")[2] if "//" in frame.url else frame.url for frame, _ in results)
    assert hosts == [
        f"a.test:{sites.port}",
        f"a.test:{sites.port}",
        "about:srcdoc",
        f"b.test:{sites.port}",
        f"c.test:{sites.port}",
    ]
    assert len({token for _, token in results}) == 5


async def test_frames_keep_their_numbers_while_they_live(page: Page, sites: Sites) -> None:
    sites.add("leaf", "leaf")
    await page.goto(
        sites.add("outer", "<iframe id=one src='/leaf'></iframe><iframe src='http://b.test:{port}/leaf'></iframe>")
    )
    world = World(page)
    before = {frame.id: frame.number for frame in await world.live_frames()}
    await page.evaluate("document.body.prepend(Object.assign(document.createElement('iframe'), {src: '/leaf'}))")
    await page.evaluate("document.querySelector('#one').remove()")
    await page.wait_for_function("frames.length === 2")
    after = {frame.id: frame.number for frame in await world.live_frames()}
    kept = before.keys() & after.keys()
    assert len(kept) == 2
    assert all(before[id_] == after[id_] for id_ in kept)
    assert set(after.values()) - set(before.values()) == {3}


async def _move(page: Page, url: str) -> None:
    async with page.expect_event("framenavigated", lambda frame: frame.url == url):
        await page.evaluate("url => { document.querySelector('iframe').src = url }", url)


async def test_a_frame_that_moves_to_another_process_is_found_again(page: Page, sites: Sites) -> None:
    sites.add("leaf", "leaf")
    await page.goto(sites.add("outer", "<iframe src='/leaf'></iframe>"))
    world = World(page)
    (_, first), (frame, _) = await world.call_everywhere("documentToken")
    await _move(page, sites.url("leaf", "b"))
    (_, again), (moved, _) = await world.call_everywhere("documentToken")
    assert (first, frame.number) == (again, moved.number)
    assert moved.url == sites.url("leaf", "b")
    await _move(page, sites.url("leaf", "a"))
    (_, _), (home, _) = await world.call_everywhere("documentToken")
    assert (home.number, home.url) == (frame.number, sites.url("leaf", "a"))


async def test_the_world_is_renewed_after_navigation(page: Page, sites: Sites) -> None:
    world = World(page)
    tokens: set[object] = set()
    for host in ("a", "b", "a"):
        await page.goto(sites.add("plain", "plain", host))
        tokens.add(await world.call(await world.main_frame(), "documentToken"))
    assert len(tokens) == 3


async def test_a_document_gets_most_of_our_script_only_when_it_is_needed(page: Page, sites: Sites) -> None:
    await page.goto(sites.add("plain", "plain"))
    world = World(page)
    frame = await world.main_frame()

    async def functions() -> int:
        made = await send(frame.session, "Page.createIsolatedWorld", frameId=frame.id, worldName=WORLD_NAME)
        counting = {"expression": "Object.keys(browserPilot).length", "contextId": made["executionContextId"]}
        return int((await send(frame.session, "Runtime.evaluate", **counting))["result"]["value"])

    await world.call(frame, "waitIdle")
    assert await functions() < 10
    await world.call(frame, "documentToken")
    assert await functions() > 50


async def test_the_page_cannot_see_our_world(page: Page, sites: Sites) -> None:
    await page.goto(sites.add("plain", "plain"))
    names = "Object.getOwnPropertyNames(window).sort().join()"
    before = await page.evaluate(names)
    world = World(page)
    await world.call(await world.main_frame(), "documentToken")
    assert await page.evaluate(names) == before


async def test_a_call_that_a_navigation_interrupts_is_not_repeated(page: Page, sites: Sites) -> None:
    await page.goto(sites.add("plain", "plain"))
    world = World(page)
    frame = await world.main_frame()
    waiting = asyncio.create_task(world.call(frame, "never"))
    await world.call(frame, "documentToken")
    await page.goto(sites.url("plain", "b"))
    with pytest.raises(OutcomeUnknown):
        await waiting


async def test_a_page_that_does_not_respond_times_out(page: Page, sites: Sites) -> None:
    await page.goto(sites.add("plain", "plain"))
    world = World(page)
    with pytest.raises(Timeout, match="within 50 ms"):
        await world.call(await world.main_frame(), "never", timeout_ms=50)


async def test_a_frame_that_was_removed_is_gone(page: Page, sites: Sites) -> None:
    sites.add("leaf", "leaf")
    await page.goto(sites.add("outer", "<iframe src='http://b.test:{port}/leaf'></iframe><iframe srcdoc='x'></iframe>"))
    world = World(page)
    frames = await world.live_frames()
    await world.call_everywhere("documentToken")
    await page.evaluate("document.body.textContent = ''")
    for frame in frames[1:]:
        with pytest.raises(FrameGone):
            await world.call(frame, "documentToken", repeatable=True)


async def test_a_crash_of_the_page_is_reported_at_once(page: Page, sites: Sites) -> None:
    await page.goto(sites.add("plain", "plain"))
    world = World(page)
    frame = await world.main_frame()
    waiting = asyncio.create_task(world.call(frame, "never"))
    await world.call(frame, "documentToken")
    crash = await page.context.new_cdp_session(page)
    crashing = asyncio.create_task(send(crash, "Page.crash"))
    with pytest.raises(BrowserCrashed):
        await waiting
    crashing.cancel()
    with pytest.raises(BrowserCrashed):
        await world.call(frame, "documentToken")


async def test_a_call_into_a_closed_page_raises_no_tab(page: Page, sites: Sites) -> None:
    await page.goto(sites.add("closing", "<button>Go</button>"))
    world = World(page)
    await world.live_frames()
    world.frames.invalidate()
    await page.close()
    with pytest.raises(NoTab):
        await world.live_frames()


async def test_listeners_can_be_looked_up_repeatedly(page: Page, sites: Sites) -> None:
    folded = "<details open><summary>More</summary><input type=date><p>Inside</p></details>" * 20
    await page.goto(sites.add("listeners", f"{folded}<p id=p>Press</p><script>p.onclick = () => 1</script>"))
    world = World(page)
    for _ in range(15):
        await take_snapshot(world)
    view = await take_snapshot(world)
    assert [row.name for row in view.rows if row.role == "click"] == ["Press"]
