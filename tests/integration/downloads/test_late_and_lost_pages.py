"""Downloads whose page is slow, leaves, or starts them late; and resources that a page names in unusual ways."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from http.server import BaseHTTPRequestHandler

import pytest

from tests.clients import call, fail, http_client
from tests.hub_process import HubProcess
from tests.sites import Site, SlowPage, serving
from tests.waiting import eventually

from .expected import download_error, saved
from .hostile_site import png

pytestmark = [pytest.mark.browser, pytest.mark.managed]

PAGE = """<!doctype html><title>Media</title>
<video id=poster poster=/poster.png></video>
<img id=lazy loading=lazy data-src=/real.png src=/pixel.png alt=Lazy>
<img id=loaded data-src=/real.png src=/real.png alt=Loaded>
<img id=unknown class=lazyload src=/pixel.png alt=Unknown>
<img id=policy referrerpolicy=origin src=/needs-referrer.png alt=Policy>
<a id=direct href=/direct-only.png>Direct</a>
<button id=late onclick="setTimeout(() => location = '/attachment', 1500)">Later</button>"""
MANY = "<!doctype html><title>Other</title><p>Another page"

Handler = Callable[[BaseHTTPRequestHandler], None]


def send(
    handler: BaseHTTPRequestHandler,
    body: bytes,
    mime: str = "image/png",
    *headers: tuple[str, str],
    status: int = 200,
) -> None:
    handler.send_response(status)
    handler.send_header("Content-Type", mime)
    for name, value in headers:
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


class SlowFile:
    """A file whose second half comes when ``release`` is set; the first request for it is the page's."""

    def __init__(self) -> None:
        self.release = threading.Event()
        self.requests = 0

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        self.requests += 1
        handler.send_response(200)
        handler.send_header("Content-Type", "text/plain")
        handler.send_header("Content-Length", "200000")
        handler.end_headers()
        handler.wfile.write(b"a" * 100_000)
        handler.wfile.flush()
        self.release.wait(120)
        handler.wfile.write(b"b" * 100_000)


SLOW = SlowFile()
NEVER = SlowPage()


@pytest.fixture(scope="module")
def site() -> Generator[Site]:
    def file(number: int) -> Handler:
        return lambda handler: send(handler, png(number))

    def page(handler: BaseHTTPRequestHandler) -> None:
        send(handler, PAGE.encode(), "text/html", ("Referrer-Policy", "no-referrer"))

    def needs_referrer(handler: BaseHTTPRequestHandler) -> None:
        allowed = handler.headers.get("Referer", "").startswith("http")
        send(handler, png(4) if allowed else b"no", status=200 if allowed else 403)

    def direct_only(handler: BaseHTTPRequestHandler) -> None:
        allowed = handler.headers.get("Sec-Fetch-Mode") == "navigate"
        send(handler, png(5) if allowed else b"no", status=200 if allowed else 403)

    def part(handler: BaseHTTPRequestHandler) -> None:
        send(handler, b"x" * 1000, "video/mp4", ("Content-Range", "bytes 0-999/5012"), status=206)

    def whole_range(handler: BaseHTTPRequestHandler) -> None:
        send(handler, b"x" * 1000, "text/plain", ("Content-Range", "bytes 0-999/1000"), status=206)

    def nothing(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(204)
        handler.end_headers()

    def attachment(handler: BaseHTTPRequestHandler) -> None:
        send(handler, b"a,b\n", "text/csv", ("Content-Disposition", 'attachment; filename="late.csv"'))

    pages: dict[str, str | Handler] = {
        "/": page,
        "/other": MANY,
        "/files/here": MANY,
        "/poster.png": file(1),
        "/real.png": file(2),
        "/pixel.png": file(3),
        "/needs-referrer.png": needs_referrer,
        "/direct-only.png": direct_only,
        "/part.mp4": part,
        "/whole-range": whole_range,
        "/nothing": nothing,
        "/attachment": attachment,
        "/slow": SLOW,
        "/never": NEVER,
    }
    with serving(pages) as site:
        yield site
        SLOW.release.set()


async def test_posters_and_late_images_are_found_and_placeholders_are_noted(
    hub_without_rate_limit: HubProcess, site: Site
) -> None:
    async with http_client(hub_without_rate_limit) as client:
        await call(client, "browser_navigate", url=site.url())
        assert await saved(client, selector="#poster") == (png(1), "png")
        assert await saved(client, selector="#lazy") == (png(2), "png")
        lazy = await call(client, "browser_download", selector="#lazy")
        assert "placeholder" in lazy["note"] and lazy["kept_days"] == 7
        assert "note" not in await call(client, "browser_download", selector="#loaded")
        unknown = await call(client, "browser_download", selector="#unknown")
        assert "scroll to the image" in unknown["note"]


async def test_an_elements_own_referrer_policy_is_honoured(hub_without_rate_limit: HubProcess, site: Site) -> None:
    async with http_client(hub_without_rate_limit) as client:
        await call(client, "browser_navigate", url=site.url())
        assert await saved(client, selector="#policy") == (png(4), "png")


async def test_what_the_page_may_not_fetch_is_downloaded_directly(
    hub_without_rate_limit: HubProcess, site: Site
) -> None:
    async with http_client(hub_without_rate_limit) as client:
        await call(client, "browser_navigate", url=site.url())
        assert await saved(client, selector="#direct") == (png(5), "png")


async def test_a_relative_url_is_resolved_against_the_open_page(hub_without_rate_limit: HubProcess, site: Site) -> None:
    async with http_client(hub_without_rate_limit) as client:
        assert (await fail(client, "browser_download", url="/real.png"))["error"] == "INVALID_ARGUMENT"
        await call(client, "browser_navigate", url=site.url("/files/here"))
        for relative in ("/real.png", "../real.png", f"//127.0.0.1:{site.port}/real.png"):
            assert await saved(client, url=relative) == (png(2), "png"), relative


async def test_a_part_or_nothing_is_no_file(hub_without_rate_limit: HubProcess, site: Site) -> None:
    async with http_client(hub_without_rate_limit) as client:
        await call(client, "browser_navigate", url=site.url())
        part = await fail(client, "browser_download", url=site.url("/part.mp4"))
        assert part["reason"] == "partial" and "bytes 0-999/5012" in part["message"] and part["retryable"] is False
        assert "no file (204)" in await download_error(client, url=site.url("/nothing"))
        assert (await saved(client, url=site.url("/whole-range")))[0] == b"x" * 1000


async def test_without_waiting_a_server_that_does_not_respond_holds_nothing_up(
    hub_without_rate_limit: HubProcess, site: Site
) -> None:
    async with http_client(hub_without_rate_limit) as client:
        await call(client, "browser_navigate", url=site.url())
        # The server does not respond before the test has ended.
        begun = await call(client, "browser_download", url=site.url("/never"), wait=False)
        assert (begun["state"], begun["received"]) == ("running", 0)
        listed = (await call(client, "browser_download", id="all"))["downloads"]
        assert [(row["id"], row["state"]) for row in listed] == [(begun["download_id"], "running")]
        await call(client, "browser_download", id=begun["download_id"], cancel=True)


@pytest.mark.parametrize("leave", ["navigate", "close"])
async def test_a_small_slow_download_outlives_its_page(
    hub_without_rate_limit: HubProcess, site: Site, leave: str
) -> None:
    SLOW.release.clear()
    SLOW.requests = 0
    async with http_client(hub_without_rate_limit) as client:
        tab = (await call(client, "browser_navigate", url=site.url()))["tab"]
        begun = await call(client, "browser_download", url=site.url("/slow"), wait=False)
        if leave == "navigate":
            await call(client, "browser_navigate", url=site.url("/other"))
        else:
            await call(client, "browser_tabs", action="close", tab=tab)
            await call(client, "browser_navigate", url=site.url("/other"))
        # The browser requests it anew: the page's request is gone.
        await eventually(lambda: SLOW.requests >= 2, "the browser fetches it")
        SLOW.release.set()
        data, _ = await saved(client, id=begun["download_id"])
        assert data == b"a" * 100_000 + b"b" * 100_000


async def test_a_download_that_starts_late_is_reported_with_the_next_answer(
    hub_without_rate_limit: HubProcess, site: Site
) -> None:
    async with http_client(hub_without_rate_limit) as client:
        await call(client, "browser_navigate", url=site.url())
        clicked = await call(client, "browser_click", element="#late")
        assert "downloads" not in clicked
        told: list[str] = []

        async def is_told() -> bool:
            told.extend((await call(client, "browser_snapshot")).get("notices", []))
            return bool(told)

        await eventually(is_told, "the download is reported", poll_seconds=0.3)
        assert len(told) == 1 and "d1" in told[0] and "late.csv" in told[0]
        assert "notices" not in await call(client, "browser_snapshot")
        assert (await saved(client, id="d1"))[0] == b"a,b\n"
