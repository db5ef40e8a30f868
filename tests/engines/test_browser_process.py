"""The warm context is for the next session without options, and for no other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

import psutil
import pytest
from playwright.async_api import Error, async_playwright

from browser_pilot.config.settings import Settings
from browser_pilot.egress import EgressProxy
from browser_pilot.engines.browser_finder import find_browser
from browser_pilot.engines.browser_process import BrowserProcess, ManagedContext
from browser_pilot.engines.driver_process import driver_pids
from browser_pilot.engines.engine import EmulationOptions, StorageState
from browser_pilot.engines.managed import ManagedEngine
from browser_pilot.policy.rules import Ruleset
from browser_pilot.sessions.options import context_request
from tests.waiting import eventually

pytestmark = pytest.mark.browser
PLAIN = context_request(Settings())


@asynccontextmanager
async def engine() -> AsyncGenerator[ManagedEngine]:
    proxy = EgressProxy()
    await proxy.start()
    made = ManagedEngine(proxy, warm_viewport=PLAIN.viewport)
    try:
        yield made
    finally:
        await made.close()
        await proxy.close()


def contexts(opened: ManagedContext) -> int:
    browser = opened.context.browser
    assert browser is not None
    return len(browser.contexts)


def confuse(opened: ManagedContext, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on the driver of this browser does not find its objects any more."""

    async def new_context(**_options: object) -> None:
        raise Error('Cannot find object to "__dispose__": page@1')

    browser = opened.context.browser
    assert browser is not None
    monkeypatch.setattr(browser, "new_context", new_context)


def kill(pids: set[int]) -> None:
    for pid in pids:
        psutil.Process(pid).kill()


async def wait_for_warm_context(opened: ManagedContext) -> None:
    await eventually(lambda: contexts(opened) >= 3)


async def test_only_a_session_without_options_gets_the_warm_context() -> None:
    async with engine() as browsers:
        await browsers.warm_browser(PLAIN)
        first = await browsers.open(PLAIN, Ruleset)
        special = await browsers.open(replace(PLAIN, emulation=EmulationOptions(locale="de-DE")), Ruleset)
        await wait_for_warm_context(first)
        before = contexts(first)
        plain = await browsers.open(PLAIN, Ruleset)
        assert contexts(first) == before
        assert plain.take_blank_page() is not None
        assert len({id(one.context) for one in (first, special, plain)}) == 3
        assert browsers.facts()[0].contexts == 3


async def test_sessions_share_a_browser_up_to_the_limit_and_an_idle_one_is_closed() -> None:
    async with engine() as browsers:
        request = replace(PLAIN, per_browser=1)
        one, two = await browsers.open(request, Ruleset), await browsers.open(request, Ruleset)
        assert one.context.browser is not two.context.browser
        await one.close()
        await browsers.close_idle(0)
        assert len(browsers.facts()) == 1 and two.alive and not one.alive


async def test_no_context_is_kept_warm_in_a_browser_with_many_sessions() -> None:
    async with engine() as browsers:
        opened = await browsers.open(PLAIN, Ruleset)
        assert opened.context.browser is not None
        process = BrowserProcess(find_browser(None), opened.context.browser)
        made: list[int] = []

        def keep(most_users: int) -> asyncio.Event:
            """Request one; the event is set after its delay."""

            async def make() -> ManagedContext:
                made.append(most_users)
                return opened

            process.keep_warm_context(make, max_users=most_users, delay_seconds=0)
            passed = asyncio.Event()
            asyncio.get_running_loop().call_later(0.01, passed.set)
            return passed

        process.users = 5
        await keep(most_users=5).wait()
        assert await process.take_warm_context() is None
        await keep(most_users=6).wait()
        assert await process.take_warm_context() is opened
        assert made == [6]


async def test_a_driver_that_lost_track_of_its_objects_is_replaced_and_the_session_opens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with engine() as browsers:
        earlier = await browsers.open(PLAIN, Ruleset)
        driver, lost = await browsers.driver(), asyncio.Event()
        earlier.on_lost(lost.set)
        confuse(earlier, monkeypatch)
        state: StorageState = {"cookies": [], "origins": []}
        opened = await browsers.open(PLAIN, Ruleset, state=state)
        assert lost.is_set()
        assert opened.alive and not earlier.alive
        assert await browsers.driver() is not driver


async def test_replacing_a_driver_leaves_the_drivers_of_others_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    async with async_playwright() as other, engine() as browsers:
        theirs = await other.chromium.launch(executable_path=find_browser().executable)
        confuse(await browsers.open(PLAIN, Ruleset), monkeypatch)
        await browsers.open(PLAIN, Ruleset, state={"cookies": [], "origins": []})
        page = await theirs.new_page()
        assert await page.evaluate("1 + 1") == 2
        await theirs.close()


async def test_a_driver_that_has_ended_is_replaced_at_once() -> None:
    drivers_of_others = driver_pids()
    async with engine() as browsers:
        earlier = await browsers.open(PLAIN, Ruleset)
        kill(driver_pids() - drivers_of_others)
        opened = await browsers.open(PLAIN, Ruleset)
        assert opened.alive and not earlier.alive
        assert await (await opened.context.new_page()).evaluate("1 + 1") == 2


async def test_the_sessions_of_a_driver_that_has_ended_are_informed_without_a_call() -> None:
    drivers_of_others = driver_pids()
    async with engine() as browsers:
        earlier, lost = await browsers.open(PLAIN, Ruleset), asyncio.Event()
        earlier.on_lost(lost.set)
        kill(driver_pids() - drivers_of_others)
        async with asyncio.timeout(20):
            await lost.wait()
        assert not earlier.alive


async def test_a_session_does_not_get_a_warm_page_that_has_crashed() -> None:
    async with engine() as browsers:
        await browsers.warm_browser(PLAIN)
        first = await browsers.open(PLAIN, Ruleset)
        page, crashed = first.context.pages[0], asyncio.Event()
        page.once("crash", lambda _: crashed.set())
        with suppress(Error, TimeoutError):
            await page.goto("chrome://crash", timeout=1000)
        await crashed.wait()
        assert first.take_blank_page() is None
