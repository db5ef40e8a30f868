"""Saving what a page shows in the user's own Chrome: into the user's folder, with the user's login."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest
from mcp_types import CallToolResult

from tests.approvals.people import Person, asking_client, form_answer
from tests.clients import call, data_of, fail, http_client
from tests.downloads.expected import (
    ADDRESSES,
    ELEMENTS,
    FAILING,
    NOTHING,
    PROPOSED,
    WITHOUT_FETCHING,
    hostile_names_are_made_safe,
    saved,
    why_not,
)
from tests.downloads.hostile_site import LINES, PICTURES, PROGRAM, HostileSite, hostile_site
from tests.downloads.memory import MOST_MORE_MB, memory_mb, peak_memory_mb
from tests.hub_process import HubProcess, running_hub

from .chrome import Chrome, own_chrome
from .conftest import OWN

UNREAD = ("/redirect", "/away", "/chunks", "/gzip.txt", "/ranges.txt", "/no-mime", "/empty.txt")


@pytest.fixture(scope="module")
def hostile() -> Generator[HostileSite]:
    with hostile_site() as site:
        yield site


async def test_every_part_of_a_page_goes_to_the_users_folder(
    own_hub: HubProcess, chrome: Chrome, hostile: HostileSite
) -> None:
    async with http_client(own_hub) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        told = await call(client, "browser_download", selector="#img")
        assert Path(told["path"]).parent == chrome.downloads
        assert re.fullmatch(r"\d{13}\.png", told["filename"])
        assert told["sha256"] == hashlib.sha256(PICTURES["img"]).hexdigest()
        for element, (content, extension) in ELEMENTS.items():
            data, found = await saved(client, selector=f"#{element}")
            assert found == extension, element
            assert content is None or data == content, element
        for element in NOTHING:
            assert await why_not(client, selector=f"#{element}") == "Element has no downloadable resource", element
        named = await call(client, "browser_download", selector="#link", filename="../The report.pdf")
        assert (chrome.downloads / "The report.pdf") == Path(named["path"])


async def test_whatever_a_server_does_the_users_folder_has_it_whole_or_not_at_all(
    own_hub: HubProcess, chrome: Chrome, hostile: HostileSite
) -> None:
    async with http_client(own_hub) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        for path, (content, extension) in ADDRESSES.items():
            assert await saved(client, url=hostile.url(path)) == (content, extension), path
        before = sorted(chrome.downloads.iterdir())
        for path, message in FAILING.items():
            assert await why_not(client, url=hostile.url(path)) == message, path
        await call(client, "browser_download", selector="#img", filename="between.png")  # or the tool would pause here
        for path in ("/reset", "/reset-chunks"):
            assert (await why_not(client, url=hostile.url(path))).startswith("Network request failed"), path
        assert {path.name for path in chrome.downloads.iterdir()} == {*(path.name for path in before), "between.png"}


@pytest.mark.parametrize(
    ("elements", "paths"),
    [
        pytest.param(WITHOUT_FETCHING[-3:], ("/redirect", "/no-mime"), id="some"),
        pytest.param(WITHOUT_FETCHING, UNREAD, id="all", marks=pytest.mark.long),
    ],
)
async def test_a_page_whose_policy_forbids_fetching_loses_nothing(
    own_hub: HubProcess, chrome: Chrome, hostile: HostileSite, elements: Sequence[str], paths: Sequence[str]
) -> None:
    async with http_client(own_hub) as client:
        await call(client, "browser_navigate", url=hostile.url("/strict"))
        for element in elements:
            content, extension = ELEMENTS[element]
            data, found = await saved(client, selector=f"#{element}")
            assert found == extension, element
            assert content is None or data == content, element
        for path in paths:
            assert await saved(client, url=hostile.url(path)) == ADDRESSES[path], path
        before = sorted(chrome.downloads.iterdir())
        for path, message in FAILING.items():
            assert await why_not(client, url=hostile.url(path)) == message, path
        assert sorted(chrome.downloads.iterdir()) == before
        assert len((await call(client, "browser_tabs", action="list"))["tabs"]) == 1


async def test_what_the_browser_fetches_is_one_download_and_no_tab_of_the_agents(
    own_hub: HubProcess, chrome: Chrome, hostile: HostileSite
) -> None:
    """Taken for a tab, the page that fetches would have set off a second download of the same file."""
    async with http_client(own_hub) as client:
        await call(client, "browser_navigate", url=hostile.url("/strict"))
        told = [await call(client, "browser_download", selector="#img") for _ in range(3)]
        assert [one["download_id"] for one in told] == ["d1", "d2", "d3"]
        assert (await call(client, "browser_tabs", action="open"))["tab"] == "t2"
    assert all(Path(one["path"]).read_bytes() == PICTURES["img"] for one in told)


async def test_a_click_and_a_cancelled_download(own_hub: HubProcess, chrome: Chrome, hostile: HostileSite) -> None:
    async with http_client(own_hub) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        clicked = await call(client, "browser_click", element="#clicked")
        told = await call(client, "browser_download", id=clicked["downloads"][0]["id"])
        assert Path(told["path"]).parent == chrome.downloads
        assert Path(told["path"]).read_bytes() == LINES
        before = sorted(chrome.downloads.iterdir())
        slow = asyncio.ensure_future(client.call_tool("browser_download", {"url": hostile.url("/slow")}))
        async with asyncio.timeout(20):
            while not any(path == "/slow" for path, _ in hostile.hits):
                await asyncio.sleep(0.05)
        slow.cancel()
        await asyncio.wait({slow})
        assert sorted(chrome.downloads.iterdir()) == before
        begun = await call(client, "browser_download", url=hostile.url("/slow"), wait=False)
        assert begun["state"] == "running"
        ended = await call(client, "browser_download", id=begun["download_id"], cancel=True)
        assert ended["state"] == "cancelled"
        assert sorted(chrome.downloads.iterdir()) == before


async def test_fifty_at_once_all_come_with_names_of_their_own(
    own_hub: HubProcess, chrome: Chrome, hostile: HostileSite
) -> None:
    async with http_client(own_hub) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        answers = await asyncio.gather(
            *(call(client, "browser_download", url=hostile.url(f"/img.png?{number}")) for number in range(50))
        )
    paths = {Path(answer["path"]) for answer in answers}
    assert len(paths) == 50
    assert all(path.parent == chrome.downloads and path.read_bytes() == PICTURES["img"] for path in paths)


@pytest.mark.parametrize("every", [pytest.param(8), pytest.param(1, marks=pytest.mark.long)])
async def test_hostile_names_are_made_safe(
    own_hub: HubProcess, chrome: Chrome, hostile: HostileSite, every: int
) -> None:
    async with http_client(own_hub) as client:
        await hostile_names_are_made_safe(client, hostile, chrome.downloads, PROPOSED[::every])


async def test_progress_is_told_while_it_comes(own_hub: HubProcess, chrome: Chrome, hostile: HostileSite) -> None:
    told: list[tuple[float, float | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total))

    async with http_client(own_hub) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        arguments = {"url": hostile.url("/slow"), "timeout_ms": 1_500}
        begun = await client.call_tool("browser_download", arguments, progress_callback=note)
        assert isinstance(begun, CallToolResult)
        await call(client, "browser_download", id=data_of(begun)["download_id"], cancel=True)
    assert told[-1] == (1 << 20, 2 << 20)


async def test_what_can_run_always_asks(own_hub: HubProcess, chrome: Chrome, hostile: HostileSite) -> None:
    person = Person([form_answer("Deny"), form_answer("Deny"), form_answer("Allow once")])
    before = sorted(chrome.downloads.iterdir())
    async with asking_client(own_hub, person) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        for arguments in ({"selector": "#program"}, {"url": hostile.url("/disguised.png")}):
            assert (await fail(client, "browser_download", **arguments))["error"] == "APPROVAL_DENIED"
        assert sorted(chrome.downloads.iterdir()) == before
        assert await saved(client, selector="#program") == (PROGRAM, "exe")


async def test_what_is_denied_or_too_large_is_refused_and_leaves_nothing(
    home: Path, tmp_path: Path, hostile: HostileSite
) -> None:
    home.mkdir()
    denied = f'[policy.domains."localhost:{hostile.port}"]\nread = false\n'
    (home / "config.toml").write_text(f"{OWN}{denied}[files]\nmax_download_mb = 1\n")
    with running_hub(home) as hub:
        async with own_chrome(tmp_path / "chrome") as chrome, http_client(hub) as client:
            await chrome.pair(hub)
            for page in ("/", "/strict"):  # where the page fetches, and where only the browser may
                await call(client, "browser_navigate", url=hostile.url(page))
                for path in ("/big", "/long-chunks"):
                    error = await fail(client, "browser_download", url=hostile.url(path))
                    assert error["reason"] == "too_large", (page, path)
                seen = len(hostile.hits)
                error = await fail(client, "browser_download", url=f"{hostile.other}/hotlink.png")
                assert error["error"] == "DOMAIN_DENIED"
                # A redirect there is refused by the rules that Chrome itself holds to.
                assert await why_not(client, url=hostile.url("/away")) == "Download blocked by browser"
                assert "/hotlink.png" not in [path for path, _ in hostile.hits[seen:]]
            assert list(chrome.downloads.iterdir()) == []


@pytest.mark.long
@pytest.mark.timeout(150)
@pytest.mark.parametrize(
    ("path", "why"), [("/never", "no answer within 30 s"), ("/big-cut", "nothing came for 30 s"), ("/slow", "nothing")]
)
async def test_what_stays_away_ends_in_its_time_and_leaves_nothing(
    own_hub: HubProcess, chrome: Chrome, hostile: HostileSite, path: str, why: str
) -> None:
    async with http_client(own_hub) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        before = sorted(chrome.downloads.iterdir())
        message = await why_not(client, url=hostile.url(path), timeout_ms=100_000)
        assert message.startswith(f"Network request failed: {why}"), message
        assert sorted(chrome.downloads.iterdir()) == before


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("size_mb", "most_mb"), [(128, 96), pytest.param(500, MOST_MORE_MB, marks=pytest.mark.long)])
async def test_a_large_file_comes_whole_and_takes_little_memory(
    own_hub: HubProcess, chrome: Chrome, hostile: HostileSite, size_mb: int, most_mb: int
) -> None:
    """The hub's and Chrome's together: what a page would gather is in Chrome's."""
    pids = own_hub.info.pid, chrome.pid
    async with http_client(own_hub) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))  # for its cookie
        await call(client, "browser_navigate", url=hostile.url("/plain"))
        hostile.big_mb = 64  # what passes through has its buffers then
        Path((await call(client, "browser_download", url=hostile.url("/big")))["path"]).unlink()
        before = memory_mb(*pids)
        hostile.big_mb = size_mb
        async with peak_memory_mb(*pids) as peak:
            told = await call(client, "browser_download", url=hostile.url("/big"), timeout_ms=250_000)
    path = Path(told["path"])
    assert path.stat().st_size == told["size"] == size_mb << 20
    path.unlink()
    assert peak.mb - before < most_mb
