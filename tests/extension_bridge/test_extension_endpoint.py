"""The bridge endpoint accepts the paired extension only."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Generator
from dataclasses import replace

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from browser_pilot.extension_bridge.pairing import MAX_TRIES
from browser_pilot.extension_bridge.protocol import PROTOCOL_VERSION
from tests.commands import run_pilot
from tests.hub_process import HubProcess, running_hub

from .fake_extension import FakeBrowser, Refused, open_code, paired


@pytest.fixture(scope="module")
def bridge_hub(tmp_path_factory: pytest.TempPathFactory) -> Generator[HubProcess]:
    with running_hub(tmp_path_factory.mktemp("bridge") / "home") as process:
        yield process


async def attempt(browser: FakeBrowser) -> str:
    """ "welcome", or the reason of the rejection."""
    try:
        async with browser.socket() as socket:
            return str((await browser.greet(socket))["type"])
    except Refused as refusal:
        return str(refusal)
    except InvalidStatus as error:
        return f"status {error.response.status_code}"


async def test_a_browser_pairs_with_a_code_and_reconnects_with_its_key(bridge_hub: HubProcess) -> None:
    browser = await paired(bridge_hub)
    assert await attempt(browser) == "welcome"


async def test_pairing_needs_an_open_code(bridge_hub: HubProcess) -> None:
    assert await attempt(FakeBrowser(bridge_hub.info.port, code="AAAA-AAAA")) == "no code"


async def test_a_wrong_code_does_not_pair_and_several_invalidate_it(bridge_hub: HubProcess) -> None:
    code = open_code(bridge_hub)
    for _ in range(MAX_TRIES):
        assert await attempt(FakeBrowser(bridge_hub.info.port, code="AAAA-AAAA")) == "proof"
    assert await attempt(FakeBrowser(bridge_hub.info.port, code=code)) == "no code"


async def test_a_code_pairs_one_browser_only(bridge_hub: HubProcess) -> None:
    code = open_code(bridge_hub)
    assert await attempt(FakeBrowser(bridge_hub.info.port, code=code)) == "welcome"
    assert await attempt(FakeBrowser(bridge_hub.info.port, code=code)) == "no code"


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "null",
        "http://127.0.0.1:{port}",
        "https://example.com",
        "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "chrome-extension://goihobhpcjgcjbadknbdkenilaohbljf.example.com",
        "CHROME-EXTENSION://goihobhpcjgcjbadknbdkenilaohbljf",
        "moz-extension://goihobhpcjgcjbadknbdkenilaohbljf",
    ],
)
async def test_other_origins_are_rejected_before_the_handshake(bridge_hub: HubProcess, origin: str | None) -> None:
    browser = await paired(bridge_hub)
    stranger = replace(browser, origin=origin and origin.replace("{port}", str(bridge_hub.info.port)))
    assert await attempt(stranger) == "status 403"


async def test_a_wrong_key_is_refused(bridge_hub: HubProcess) -> None:
    browser = await paired(bridge_hub)
    assert await attempt(replace(browser, key="AAAA")) == "proof"


async def test_a_replay_is_refused(bridge_hub: HubProcess) -> None:
    browser = await paired(bridge_hub)
    assert await attempt(browser) == "welcome"
    assert await attempt(replace(browser, proof=browser.seen_proof)) == "proof"


async def test_an_unknown_browser_is_rejected(bridge_hub: HubProcess) -> None:
    assert await attempt(FakeBrowser(bridge_hub.info.port, browser="b0", key="AAAA")) == "unknown browser"


async def test_another_protocol_is_refused(bridge_hub: HubProcess) -> None:
    browser = await paired(bridge_hub)
    for protocol in (PROTOCOL_VERSION - 1, PROTOCOL_VERSION + 1):
        assert await attempt(replace(browser, more={"protocol": protocol})) == "version"


async def test_a_second_connection_is_rejected_while_the_first_is_alive(bridge_hub: HubProcess) -> None:
    browser = await paired(bridge_hub)
    async with browser.socket() as socket:
        await browser.greet(socket)
        living = asyncio.create_task(browser.live(socket))
        assert await attempt(replace(browser, instance="copy of the profile")) == "second claimant"
        assert await attempt(replace(browser)) == "welcome"
        await living


async def test_a_dead_connection_is_replaced(bridge_hub: HubProcess) -> None:
    browser = await paired(bridge_hub)
    async with browser.socket() as socket:
        await browser.greet(socket)
        assert await attempt(replace(browser, instance="after a crash")) == "welcome"


async def test_a_forgotten_browser_is_disconnected_and_rejected(bridge_hub: HubProcess) -> None:
    browser = await paired(bridge_hub)
    async with browser.socket() as socket:
        await browser.greet(socket)
        living = asyncio.create_task(browser.live(socket))
        with bridge_hub.http() as http:
            forget = await asyncio.to_thread(http.post, "/api/browsers/forget", json={"browser": browser.browser})
        assert forget.status_code == 200
        await living
    assert await attempt(browser) == "unknown browser"


async def test_a_browser_reports_pause_and_stop_in_the_handshake(bridge_hub: HubProcess) -> None:
    browser = await paired(bridge_hub)
    for halted in ("stopped", "paused", ""):
        async with browser.socket() as socket:
            await replace(browser, more={"halted": halted}).greet(socket)
            with bridge_hub.http() as http:
                states = (await asyncio.to_thread(http.get, "/api/browsers")).json()
            assert next(one["halted"] for one in states if one["id"] == browser.browser) == halted
    assert await attempt(replace(browser, more={"halted": "perhaps"})) == "closed"


async def test_forgetting_a_browser_tells_it_while_it_still_sends_events(bridge_hub: HubProcess) -> None:
    browser = await paired(bridge_hub)
    tabs = [{"id": number, "kind": "shared", "since": 0} for number in range(1, 4)]
    async with browser.socket() as socket:
        await browser.greet(socket)
        await socket.send(json.dumps([{"event": "controlledTabs.changed", "args": [tabs]}]))
        notices: list[str] = []

        async def release_one_by_one() -> None:
            async for text in socket:
                for message in json.loads(text):
                    notices.append(message.get("notice", ""))
                    if message.get("notice") == "pairing.removed":
                        for left in (tabs[:2], tabs[:1], []):
                            await socket.send(json.dumps([{"event": "controlledTabs.changed", "args": [left]}]))

        extension = asyncio.create_task(release_one_by_one())
        with bridge_hub.http() as http:
            forget = await asyncio.to_thread(http.post, "/api/browsers/forget", json={"browser": browser.browser})
        assert forget.status_code == 200
        await asyncio.wait({extension}, timeout=60)
    assert "pairing.removed" in notices
    assert "Traceback" not in (bridge_hub.home / "logs" / "hub.log").read_text()
    assert await attempt(browser) == "unknown browser"


async def test_a_malformed_event_closes_the_connection_without_a_traceback(bridge_hub: HubProcess) -> None:
    browser = await paired(bridge_hub)
    for args in ([], [[{"id": "x"}]], [{"tabId": None}, 1]):
        for name in ("controlledTabs.changed", "debugger.onEvent", "debugger.onDetach", "user.command"):
            async with browser.socket() as socket:
                await browser.greet(socket)
                await socket.send(json.dumps([{"event": name, "args": args}]))
                with pytest.raises(ConnectionClosed):
                    async with asyncio.timeout(60):
                        while True:
                            await socket.recv()
    assert "Traceback" not in (bridge_hub.home / "logs" / "hub.log").read_text()
    assert await attempt(browser) == "welcome"


async def test_rejected_connections_are_recorded(bridge_hub: HubProcess) -> None:
    browser = await paired(bridge_hub)
    await attempt(replace(browser, origin="https://example.com"))
    await attempt(replace(browser, key="AAAA"))
    recorded = run_pilot(bridge_hub.home, "log", "--json").out
    assert "Rejected a connection" in recorded
