"""Downloads in the user's own Chrome: saved in the user's folder, with the user's login."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest
from mcp_types import CallToolResult

from tests.clients import call, data_of, fail, http_client
from tests.hub_process import HubProcess, running_hub
from tests.integration.approvals.simulated_users import SimulatedUser, asking_client, form_response
from tests.integration.downloads.expected import (
    ADDRESSES,
    ELEMENTS,
    FAILING,
    NOT_DOWNLOADABLE,
    PROPOSED_NAMES,
    WITHOUT_FETCHING,
    download_error,
    hostile_names_are_sanitized,
    saved,
)
from tests.integration.downloads.hostile_site import LINES, PICTURES, PROGRAM, HostileSite, hostile_site
from tests.integration.downloads.memory import MAX_GROWTH_MB, memory_mb, peak_memory_mb
from tests.waiting import eventually

from .chrome import Chrome, own_chrome
from .conftest import OWN

NOT_READABLE_BY_THE_PAGE = ("/redirect", "/away", "/chunks", "/gzip.txt", "/ranges.txt", "/no-mime", "/empty.txt")


@pytest.fixture(scope="module")
def hostile() -> Generator[HostileSite]:
    with hostile_site() as site:
        yield site


async def test_every_kind_of_resource_is_saved_in_the_users_folder(
    own_hub: HubProcess, chrome: Chrome, hostile: HostileSite
) -> None:
    async with http_client(own_hub) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        result = await call(client, "browser_download", selector="#img")
        assert Path(result["path"]).parent == chrome.downloads
        assert re.fullmatch(r"\d{13}\.png", result["filename"])
        assert result["sha256"] == hashlib.sha256(PICTURES["img"]).hexdigest()
        for element, (content, extension) in ELEMENTS.items():
            data, found = await saved(client, selector=f"#{element}")
            assert found == extension, element
            assert content is None or data == content, element
        for element in NOT_DOWNLOADABLE:
            assert await download_error(client, selector=f"#{element}") == "Element has no downloadable resource", (
                element
            )
        named = await call(client, "browser_download", selector="#link", filename="../The report.pdf")
        assert (chrome.downloads / "The report.pdf") == Path(named["path"])


async def test_a_file_is_complete_or_absent_whatever_the_server_does(
    own_hub: HubProcess, chrome: Chrome, hostile: HostileSite
) -> None:
    async with http_client(own_hub) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        for path, (content, extension) in ADDRESSES.items():
            assert await saved(client, url=hostile.url(path)) == (content, extension), path
        before = sorted(chrome.downloads.iterdir())
        for path, message in FAILING.items():
            assert await download_error(client, url=hostile.url(path)) == message, path
        # Without a success in between, the circuit breaker would open for this site.
        await call(client, "browser_download", selector="#img", filename="between.png")
        for path in ("/reset", "/reset-chunks"):
            assert (await download_error(client, url=hostile.url(path))).startswith("Network request failed"), path
        assert {path.name for path in chrome.downloads.iterdir()} == {*(path.name for path in before), "between.png"}


@pytest.mark.parametrize(
    ("elements", "paths"),
    [
        pytest.param(WITHOUT_FETCHING[-3:], ("/redirect", "/no-mime"), id="some"),
        pytest.param(WITHOUT_FETCHING, NOT_READABLE_BY_THE_PAGE, id="all", marks=pytest.mark.long),
    ],
)
async def test_a_page_whose_csp_forbids_fetch_can_be_saved_from(
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
            assert await download_error(client, url=hostile.url(path)) == message, path
        assert sorted(chrome.downloads.iterdir()) == before
        assert len((await call(client, "browser_tabs", action="list"))["tabs"]) == 1


async def test_a_download_by_the_browser_happens_once_and_opens_no_tab_for_the_agent(
    own_hub: HubProcess, chrome: Chrome, hostile: HostileSite
) -> None:
    """The page that fetches must not count as a new tab: that would start a second download of the same file."""
    async with http_client(own_hub) as client:
        await call(client, "browser_navigate", url=hostile.url("/strict"))
        results = [await call(client, "browser_download", selector="#img") for _ in range(3)]
        assert [one["download_id"] for one in results] == ["d1", "d2", "d3"]
        assert (await call(client, "browser_tabs", action="open"))["tab"] == "t2"
    assert all(Path(one["path"]).read_bytes() == PICTURES["img"] for one in results)


async def test_a_download_by_a_click_is_saved_and_a_cancelled_one_removed(
    own_hub: HubProcess, chrome: Chrome, hostile: HostileSite
) -> None:
    async with http_client(own_hub) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        clicked = await call(client, "browser_click", element="#clicked")
        result = await call(client, "browser_download", id=clicked["downloads"][0]["id"])
        assert Path(result["path"]).parent == chrome.downloads
        assert Path(result["path"]).read_bytes() == LINES
        before = sorted(chrome.downloads.iterdir())
        slow = asyncio.ensure_future(client.call_tool("browser_download", {"url": hostile.url("/slow")}))
        await eventually(lambda: any(path == "/slow" for path, _ in hostile.hits))
        slow.cancel()
        await asyncio.wait({slow})
        assert sorted(chrome.downloads.iterdir()) == before
        begun = await call(client, "browser_download", url=hostile.url("/slow"), wait=False)
        assert begun["state"] == "running"
        ended = await call(client, "browser_download", id=begun["download_id"], cancel=True)
        assert ended["state"] == "cancelled"
        assert sorted(chrome.downloads.iterdir()) == before


async def test_fifty_parallel_downloads_get_distinct_names(
    own_hub: HubProcess, chrome: Chrome, hostile: HostileSite
) -> None:
    async with http_client(own_hub) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        results = await asyncio.gather(
            *(call(client, "browser_download", url=hostile.url(f"/img.png?{number}")) for number in range(50))
        )
    paths = {Path(result["path"]) for result in results}
    assert len(paths) == 50
    assert all(path.parent == chrome.downloads and path.read_bytes() == PICTURES["img"] for path in paths)


@pytest.mark.parametrize("every", [pytest.param(8), pytest.param(1, marks=pytest.mark.long)])
async def test_hostile_names_are_sanitized(
    own_hub: HubProcess, chrome: Chrome, hostile: HostileSite, every: int
) -> None:
    async with http_client(own_hub) as client:
        await hostile_names_are_sanitized(client, hostile, chrome.downloads, PROPOSED_NAMES[::every])


async def test_progress_is_reported_during_a_download(
    own_hub: HubProcess, chrome: Chrome, hostile: HostileSite
) -> None:
    reported: list[tuple[float, float | None]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        reported.append((progress, total))

    async with http_client(own_hub) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        arguments = {"url": hostile.url("/slow"), "timeout_ms": 1_500}
        begun = await client.call_tool("browser_download", arguments, progress_callback=on_progress)
        assert isinstance(begun, CallToolResult)
        await call(client, "browser_download", id=data_of(begun)["download_id"], cancel=True)
    assert reported[-1] == (1 << 20, 2 << 20)


async def test_an_executable_file_always_needs_approval(
    own_hub: HubProcess, chrome: Chrome, hostile: HostileSite
) -> None:
    person = SimulatedUser([form_response("Deny"), form_response("Deny"), form_response("Allow once")])
    before = sorted(chrome.downloads.iterdir())
    async with asking_client(own_hub, person) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        for arguments in ({"selector": "#program"}, {"url": hostile.url("/disguised.png")}):
            assert (await fail(client, "browser_download", **arguments))["error"] == "APPROVAL_DENIED"
        assert sorted(chrome.downloads.iterdir()) == before
        assert await saved(client, selector="#program") == (PROGRAM, "exe")


async def test_a_denied_or_too_large_download_fails_and_leaves_no_file(
    home: Path, tmp_path: Path, hostile: HostileSite
) -> None:
    home.mkdir()
    denied = f'[policy.domains."localhost:{hostile.port}"]\nread = false\n'
    (home / "config.toml").write_text(f"{OWN}{denied}[files]\nmax_download_mb = 1\n")
    with running_hub(home) as hub:
        async with own_chrome(tmp_path / "chrome") as chrome, http_client(hub) as client:
            await chrome.pair(hub)
            for page in ("/", "/strict"):  # the page fetches; only the browser may
                await call(client, "browser_navigate", url=hostile.url(page))
                for path in ("/big", "/long-chunks"):
                    error = await fail(client, "browser_download", url=hostile.url(path))
                    assert error["reason"] == "too_large", (page, path)
                seen = len(hostile.hits)
                error = await fail(client, "browser_download", url=f"{hostile.other}/hotlink.png")
                assert error["error"] == "DOMAIN_DENIED"
                # Chrome's declarativeNetRequest rules block a redirect to it.
                assert await download_error(client, url=hostile.url("/away")) == "Download blocked by browser"
                assert "/hotlink.png" not in [path for path, _ in hostile.hits[seen:]]
            assert list(chrome.downloads.iterdir()) == []


@pytest.mark.long
@pytest.mark.timeout(150)
@pytest.mark.parametrize(
    ("path", "reason"), [("/never", "no response within 30 s"), ("/big-cut", "no data for 30 s"), ("/slow", "no data")]
)
async def test_a_stalled_download_times_out_and_leaves_no_file(
    own_hub: HubProcess, chrome: Chrome, hostile: HostileSite, path: str, reason: str
) -> None:
    async with http_client(own_hub) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        before = sorted(chrome.downloads.iterdir())
        message = await download_error(client, url=hostile.url(path), timeout_ms=100_000)
        assert message.startswith(f"Network request failed: {reason}"), message
        assert sorted(chrome.downloads.iterdir()) == before


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("size_mb", "max_mb"), [(128, 96), pytest.param(500, MAX_GROWTH_MB, marks=pytest.mark.long)])
async def test_a_large_file_is_saved_whole_with_little_memory(
    own_hub: HubProcess, chrome: Chrome, hostile: HostileSite, size_mb: int, max_mb: int
) -> None:
    """The memory of the hub and of Chrome together: a page would buffer the file in Chrome."""
    pids = own_hub.info.pid, chrome.pid
    async with http_client(own_hub) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))  # for its cookie
        await call(client, "browser_navigate", url=hostile.url("/plain"))
        hostile.big_mb = 64  # warms up the buffers
        Path((await call(client, "browser_download", url=hostile.url("/big")))["path"]).unlink()
        before = memory_mb(*pids)
        hostile.big_mb = size_mb
        async with peak_memory_mb(*pids) as peak:
            result = await call(client, "browser_download", url=hostile.url("/big"), timeout_ms=250_000)
    path = Path(result["path"])
    assert path.stat().st_size == result["size"] == size_mb << 20
    path.unlink()
    assert peak.mb - before < max_mb
