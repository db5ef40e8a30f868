"""A context is ready for the next session that asks for nothing special, and for no other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from browser_pilot.config import Settings
from browser_pilot.egress import EgressProxy
from browser_pilot.engines.engine import Look
from browser_pilot.engines.finder import find_browser
from browser_pilot.engines.managed import ManagedEngine
from browser_pilot.engines.process import BrowserProcess, ManagedContext
from browser_pilot.policy.rules import Ruleset
from browser_pilot.sessions.wishes import context_request

pytestmark = pytest.mark.browser
PLAIN = context_request(Settings())


@asynccontextmanager
async def engine() -> AsyncGenerator[ManagedEngine]:
    proxy = EgressProxy()
    await proxy.start()
    made = ManagedEngine(proxy, spare_viewport=PLAIN.viewport)
    try:
        yield made
    finally:
        await made.close()
        await proxy.close()


def contexts(opened: ManagedContext) -> int:
    browser = opened.context.browser
    assert browser is not None
    return len(browser.contexts)


async def spare_of(opened: ManagedContext) -> None:
    async with asyncio.timeout(30):
        while contexts(opened) < 3:
            await asyncio.sleep(0.05)


async def test_a_plain_session_takes_the_context_that_is_ready_and_a_special_one_does_not() -> None:
    async with engine() as browsers:
        await browsers.prepare(PLAIN)
        first = await browsers.open(PLAIN, Ruleset)
        special = await browsers.open(replace(PLAIN, look=Look(locale="de-DE")), Ruleset)
        await spare_of(first)
        before = contexts(first)
        plain = await browsers.open(PLAIN, Ruleset)
        assert contexts(first) == before
        assert plain.take_blank_page() is not None
        assert len({id(one.context) for one in (first, special, plain)}) == 3
        assert browsers.facts()[0].contexts == 3


async def test_so_many_sessions_share_a_browser_and_one_that_nobody_uses_is_ended() -> None:
    async with engine() as browsers:
        request = replace(PLAIN, per_browser=1)
        one, two = await browsers.open(request, Ruleset), await browsers.open(request, Ruleset)
        assert one.context.browser is not two.context.browser
        await one.close()
        await browsers.end_unused(0)
        assert len(browsers.facts()) == 1 and two.alive and not one.alive


async def test_with_many_sessions_in_a_browser_none_is_kept_ready() -> None:
    async with engine() as browsers:
        opened = await browsers.open(PLAIN, Ruleset)
        assert opened.context.browser is not None
        process = BrowserProcess(find_browser(None), opened.context.browser)
        made: list[int] = []

        def keep(most_users: int) -> asyncio.Event:
            """Ask for one; the event comes when it had its chance."""

            async def make() -> ManagedContext:
                made.append(most_users)
                return opened

            process.keep_spare(make, most_users=most_users, delay_seconds=0)
            passed = asyncio.Event()
            asyncio.get_running_loop().call_later(0.01, passed.set)
            return passed

        process.users = 5
        await keep(most_users=5).wait()
        assert await process.take_spare() is None
        await keep(most_users=6).wait()
        assert await process.take_spare() is opened
        assert made == [6]
