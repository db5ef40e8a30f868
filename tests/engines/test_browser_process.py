"""The warm context is for the next session without options, and for no other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from browser_pilot.config.settings import Settings
from browser_pilot.egress import EgressProxy
from browser_pilot.engines.browser_finder import find_browser
from browser_pilot.engines.browser_process import BrowserProcess, ManagedContext
from browser_pilot.engines.engine import EmulationOptions
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


async def wait_for_warm_context(opened: ManagedContext) -> None:
    await eventually(lambda: contexts(opened) >= 3, timeout_seconds=30)


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
