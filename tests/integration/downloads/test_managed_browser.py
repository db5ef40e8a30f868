"""Downloads in a managed browser, from a hostile site."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
from pathlib import Path

import pytest
from mcp.client import Client
from mcp_types import CallToolResult, ImageContent, ResourceLink

from tests.clients import call, fail, http_client
from tests.hub_process import HubProcess, running_hub
from tests.integration.approvals.simulated_users import SimulatedUser, asking_client, form_response
from tests.waiting import eventually

from .expected import (
    ADDRESSES,
    ELEMENTS,
    FAILING,
    NOT_DOWNLOADABLE,
    PROPOSED_NAMES,
    WITHOUT_FETCHING,
    download_error,
    hostile_names_are_sanitized,
    pdf_is_saved_from_its_viewer,
    saved,
    viewer_outlives_its_page,
)
from .hostile_site import LINES, PICTURES, PROGRAM, HostileSite

pytestmark = [pytest.mark.browser, pytest.mark.managed]


def downloads_of(hub: HubProcess) -> Path:
    return hub.home / "downloads"


def partial_files(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.endswith(".part")] if folder.exists() else []


async def test_every_kind_of_element_is_saved(hub_without_rate_limit: HubProcess, hostile: HostileSite) -> None:
    async with http_client(hub_without_rate_limit) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        for element, (content, extension) in ELEMENTS.items():
            data, found = await saved(client, selector=f"#{element}")
            assert found == extension, element
            assert content is None or data == content, element
        for element in NOT_DOWNLOADABLE:
            assert await download_error(client, selector=f"#{element}") == "Element has no downloadable resource", (
                element
            )
        svg, _ = await saved(client, selector="#svg")
        assert b'<circle id="circle"' in svg and b'xmlns="http://www.w3.org/2000/svg"' in svg


async def test_a_file_is_complete_or_absent_whatever_the_server_does(
    hub_without_rate_limit: HubProcess, hostile: HostileSite
) -> None:
    folder = downloads_of(hub_without_rate_limit)
    async with http_client(hub_without_rate_limit) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        for path, (content, extension) in ADDRESSES.items():
            assert await saved(client, url=hostile.url(path)) == (content, extension), path
        before = sorted(folder.iterdir())
        for path, message in FAILING.items():
            assert await download_error(client, url=hostile.url(path)) == message, path
        # Without a success in between, the circuit breaker would open for this site.
        await call(client, "browser_download", selector="#img")
        for path in ("/reset", "/reset-chunks"):
            assert (await download_error(client, url=hostile.url(path))).startswith("Network request failed"), path
        assert len(sorted(folder.iterdir())) == len(before) + 1
        assert partial_files(folder) == []


async def test_files_are_saved_although_the_pages_csp_forbids_fetching(
    hub_without_rate_limit: HubProcess, hostile: HostileSite
) -> None:
    """The browser fetches with the page as referrer, and saves blobs of the page."""
    async with http_client(hub_without_rate_limit) as client:
        await call(client, "browser_navigate", url=hostile.url("/strict"))
        for element in WITHOUT_FETCHING:
            content, extension = ELEMENTS[element]
            data, found = await saved(client, selector=f"#{element}")
            assert found == extension, element
            assert content is None or data == content, element
        for path in ("/redirect", "/chunks", "/gzip.txt", "/no-mime", "/empty.txt"):
            assert await saved(client, url=hostile.url(path)) == ADDRESSES[path], path
        for path, message in FAILING.items():
            assert await download_error(client, url=hostile.url(path)) == message, path
        assert len(await list_tabs(client)) == 1


async def list_tabs(client: Client) -> list[dict[str, str]]:
    return (await call(client, "browser_tabs", action="list"))["tabs"]


async def test_the_result_describes_the_file_and_includes_small_images(
    hub_without_rate_limit: HubProcess, hostile: HostileSite
) -> None:
    async with http_client(hub_without_rate_limit) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        result = await client.call_tool("browser_download", {"selector": "#img"})
        assert isinstance(result, CallToolResult)
        described = await call(client, "browser_download", id="d1")
        assert re.fullmatch(r"\d{13}\.png", described["filename"])
        assert described["path"] == str(downloads_of(hub_without_rate_limit) / described["filename"])
        assert described["sha256"] == hashlib.sha256(PICTURES["img"]).hexdigest()
        assert (described["size"], described["mime"]) == (len(PICTURES["img"]), "image/png")
        assert (described["source"], described["download_id"]) == (hostile.url("/img.png"), "d1")
        assert [type(block) for block in result.content[1:]] == [ImageContent, ResourceLink]
        listed = {str(one.uri): one for one in (await client.list_resources()).resources}
        assert listed["browser-pilot://downloads/d1"].mime_type == "image/png"
        read = (await client.read_resource("browser-pilot://downloads/d1")).contents[0]
        assert read.model_dump()["blob"]
        with pytest.raises(Exception, match="no resource"):
            await client.read_resource("browser-pilot://downloads/d2")
    async with http_client(hub_without_rate_limit) as other:
        with pytest.raises(Exception, match="no resource"):
            await other.read_resource("browser-pilot://downloads/d1")


async def test_a_proposed_name_is_sanitized_and_never_overwrites(
    hub_without_rate_limit: HubProcess, hostile: HostileSite
) -> None:
    async with http_client(hub_without_rate_limit) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        names = [
            (await call(client, "browser_download", selector="#link", filename="../../My report.exe"))["filename"]
            for _ in range(2)
        ]
    assert names == ["My report.pdf", "My report (1).pdf"]
    path = downloads_of(hub_without_rate_limit) / names[0]
    assert path.stat().st_mode & 0o777 == 0o600
    if "user.xdg.origin.url" in os.listxattr(path):
        assert os.getxattr(path, "user.xdg.origin.url") == hostile.url("/report.pdf").encode()


@pytest.mark.parametrize("every", [pytest.param(8), pytest.param(1, marks=pytest.mark.long)])
async def test_hostile_names_are_sanitized(
    hub_without_rate_limit: HubProcess, hostile: HostileSite, every: int
) -> None:
    assert len(PROPOSED_NAMES) >= 100
    async with http_client(hub_without_rate_limit) as client:
        await hostile_names_are_sanitized(
            client, hostile, downloads_of(hub_without_rate_limit), PROPOSED_NAMES[::every]
        )


async def test_invalid_calls_get_specific_errors(hub_without_rate_limit: HubProcess, hostile: HostileSite) -> None:
    async with http_client(hub_without_rate_limit) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        one_of = "Provide one of: url, index, or selector"
        assert await download_error(client) == one_of
        assert await download_error(client, url=hostile.url("/img.png"), selector="#img") == one_of
        assert await download_error(client, selector="#img", id="d1") == one_of
        assert await download_error(client, selector="#absent") == "Element not found: #absent"
        await call(client, "browser_snapshot")
        assert await download_error(client, index=99_999) == "Element index 99999 out of range."
        assert "no download 'd77'" in await download_error(client, id="d77")
        assert "http" in (await fail(client, "browser_download", url="file:///etc/passwd"))["message"]


async def test_downloads_started_by_a_click_have_an_id(
    hub_without_rate_limit: HubProcess, hostile: HostileSite
) -> None:
    async with http_client(hub_without_rate_limit) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        for element in ("#clicked", "#attached"):
            clicked = await call(client, "browser_click", element=element)
            download_id = clicked["downloads"][0]["id"]
            assert await saved(client, id=download_id) == (LINES, "csv")
        names = [path.name for path in downloads_of(hub_without_rate_limit).iterdir() if "figures" in path.name]
        assert "figures.csv" in names


async def test_a_pdf_is_saved_from_its_viewer(hub_without_rate_limit: HubProcess, hostile: HostileSite) -> None:
    async with http_client(hub_without_rate_limit) as client:
        await pdf_is_saved_from_its_viewer(client, hostile)
        await viewer_outlives_its_page(client, hostile)


async def test_without_waiting_a_download_runs_in_the_background_and_can_be_cancelled(
    hub_without_rate_limit: HubProcess, hostile: HostileSite
) -> None:
    folder = downloads_of(hub_without_rate_limit)
    async with http_client(hub_without_rate_limit) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        begun = await call(client, "browser_download", url=hostile.url("/slow"), wait=False)
        assert begun["state"] == "running" and begun["received"] <= begun["total"] // 2
        download_id = begun["download_id"]
        still = await call(client, "browser_download", id=download_id, timeout_ms=300)
        assert still["state"] == "running"
        ended = await call(client, "browser_download", id=download_id, cancel=True)
        assert ended["state"] == "cancelled"
        assert await download_error(client, id=download_id) == "The download was cancelled."
        assert partial_files(folder) == []


async def test_a_cancelled_call_cancels_its_transfer(hub_without_rate_limit: HubProcess, hostile: HostileSite) -> None:
    folder = downloads_of(hub_without_rate_limit)
    async with http_client(hub_without_rate_limit) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        downloading = asyncio.ensure_future(client.call_tool("browser_download", {"url": hostile.url("/slow")}))
        await eventually(lambda: partial_files(folder), "the transfer runs")
        downloading.cancel()
        await asyncio.wait({downloading})
        await eventually(lambda: not partial_files(folder), "the transfer is removed")
        assert await download_error(client, id="d1") == "The download was cancelled."


async def test_progress_is_reported_during_a_download(hub_without_rate_limit: HubProcess, hostile: HostileSite) -> None:
    reported: list[tuple[float, float | None]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        reported.append((progress, total))

    async with http_client(hub_without_rate_limit) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        arguments = {"url": hostile.url("/slow"), "timeout_ms": 1_500}
        await client.call_tool("browser_download", arguments, progress_callback=on_progress)
        await call(client, "browser_download", id="d1", cancel=True)
    assert len(reported) >= 2
    assert reported[-1][1] == 2 << 20
    assert 0 < reported[-1][0] <= 2 << 20


async def test_an_executable_file_always_requires_approval(home: Path, hostile: HostileSite) -> None:
    """By its name or only by its content, whatever the policy says, and on loopback too."""
    yes, no = form_response("Allow once"), form_response("Deny")
    person = SimulatedUser([no, no, yes, yes])
    with running_hub(home) as hub:
        async with asking_client(hub, person) as client:
            await call(client, "browser_navigate", url=hostile.url("/"))
            for arguments in ({"selector": "#program"}, {"url": hostile.url("/disguised.png")}):
                assert (await fail(client, "browser_download", **arguments))["error"] == "APPROVAL_DENIED"
            assert not downloads_of(hub).exists() or partial_files(downloads_of(hub)) == []
            assert await saved(client, selector="#program") == (PROGRAM, "exe")
            assert await saved(client, url=hostile.url("/disguised.png")) == (PROGRAM, "png")
            for path in downloads_of(hub).iterdir():
                assert not path.stat().st_mode & 0o111
    assert "an executable file (.exe), saved under the time as its name" in person.forms[0].message
    assert "disguised.png" in person.forms[1].message


async def test_the_approval_names_the_file_that_is_written(home: Path, hostile: HostileSite) -> None:
    person = SimulatedUser([form_response("Allow once")])
    with running_hub(home) as hub:
        async with asking_client(hub, person) as client:
            await call(client, "browser_navigate", url=hostile.url("/"))
            result = await call(client, "browser_download", selector="#program", filename="../Holiday.png")
    assert f"saved as “{result['filename']}”" in person.forms[0].message


async def test_a_denied_site_is_not_downloaded_from(home: Path, hostile: HostileSite) -> None:
    home.mkdir()
    rule = f'[policy.domains."localhost:{hostile.port}"]\nread = false\n'
    (home / "config.toml").write_text(rule)
    with running_hub(home) as hub:
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=hostile.url("/"))
            seen = len(hostile.hits)
            error = await fail(client, "browser_download", url=f"{hostile.other}/hotlink.png")
            assert error["error"] == "DOMAIN_DENIED"
            # A redirect there is blocked by the egress proxy.
            assert (await fail(client, "browser_download", url=hostile.url("/away")))["error"] == "DOMAIN_DENIED"
            assert [path for path, _ in hostile.hits[seen:] if path == "/hotlink.png"] == []
        async with http_client(hub, query="?read_only=true") as client:
            await call(client, "browser_navigate", url=hostile.url("/"))
            assert (await fail(client, "browser_download", selector="#img"))["error"] == "READ_ONLY"


async def test_a_file_over_the_size_limit_is_refused_and_removed(home: Path, hostile: HostileSite) -> None:
    home.mkdir()
    (home / "config.toml").write_text("[files]\nmax_download_mb = 1\n")
    with running_hub(home) as hub:
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=hostile.url("/"))
            for path in ("/big", "/long-chunks"):
                error = await fail(client, "browser_download", url=hostile.url(path))
                assert (error["error"], error["reason"]) == ("DOWNLOAD_FAILED", "too_large"), path
            assert partial_files(downloads_of(hub)) == []


async def test_fifty_parallel_downloads_get_distinct_names(
    hub_without_rate_limit: HubProcess, hostile: HostileSite
) -> None:
    async with http_client(hub_without_rate_limit) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        results = await asyncio.gather(
            *(call(client, "browser_download", url=hostile.url(f"/img.png?{number}")) for number in range(50))
        )
    paths = {result["path"] for result in results}
    assert len(paths) == 50
    assert all(Path(path).read_bytes() == PICTURES["img"] for path in paths)
    assert all(re.fullmatch(r"\d{13}\.png", result["filename"]) for result in results)


@pytest.mark.long
@pytest.mark.timeout(150)
@pytest.mark.parametrize(
    ("path", "reason"), [("/never", "no response within 30 s"), ("/big-cut", "no data for 30 s"), ("/slow", "no data")]
)
async def test_a_stalled_download_times_out_and_leaves_nothing(
    hub_without_rate_limit: HubProcess, hostile: HostileSite, path: str, reason: str
) -> None:
    folder = downloads_of(hub_without_rate_limit)
    async with http_client(hub_without_rate_limit) as client:
        await call(client, "browser_navigate", url=hostile.url("/"))
        before = sorted(folder.iterdir()) if folder.exists() else []
        message = await download_error(client, url=hostile.url(path), timeout_ms=100_000)
        assert message.startswith(f"Network request failed: {reason}"), message
        assert (sorted(folder.iterdir()) if folder.exists() else []) == before


async def test_a_full_disk_is_reported_and_no_file_stays(home: Path, hostile: HostileSite, small_disk: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text(f'[files]\ndownload_dir = "{small_disk}"\n')
    with running_hub(home) as hub:
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=hostile.url("/"))
            error = await fail(client, "browser_download", url=hostile.url("/ranges.txt"))
            assert "disk is full" in error["message"], error
            assert list(small_disk.iterdir()) == []
            await call(client, "browser_download", selector="#img")
