"""A navigation is answered when the page is loaded; who looks right after it sees what the page added then."""

from __future__ import annotations

import time
from http.server import BaseHTTPRequestHandler

import pytest

from tests.clients import call, http_client
from tests.hub_process import HubProcess
from tests.sites import serving

pytestmark = pytest.mark.browser

SHOP = "<!doctype html><title>Shop</title><a href=/>Home</a><div id=out></div><script>import('/more.js')</script>"
MORE = b"document.querySelector('#out').innerHTML = '<button>Buy</button>'"
LATE_SECONDS = 0.4


def _late_script(request: BaseHTTPRequestHandler) -> None:
    time.sleep(LATE_SECONDS)  # the server's slowness is what is tried
    request.send_response(200)
    request.send_header("Content-Type", "text/javascript")
    request.send_header("Content-Length", str(len(MORE)))
    request.end_headers()
    request.wfile.write(MORE)


async def test_who_looks_right_after_a_navigation_sees_what_a_late_script_shows(hub: HubProcess) -> None:
    with serving({"/": SHOP, "/more.js": _late_script}) as shop:
        async with http_client(hub) as client:
            opened = await call(client, "browser_navigate", url=shop.url())
            assert opened["title"] == "Shop"
            assert any("more.js" in word for word in opened["still_loading"])
            page = await call(client, "browser_snapshot")
            assert "Buy" in [row["name"] for row in page["elements"]]


async def test_a_navigation_that_brings_the_page_waits_for_what_a_late_script_shows(hub: HubProcess) -> None:
    with serving({"/": SHOP, "/more.js": _late_script}) as shop:
        async with http_client(hub) as client:
            page = await call(client, "browser_navigate", url=shop.url(), snapshot=True)
            assert "Buy" in [row["name"] for row in page["elements"]]


async def test_what_a_late_script_shows_can_be_clicked_right_after_a_navigation(hub: HubProcess) -> None:
    with serving({"/": SHOP, "/more.js": _late_script}) as shop:
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=shop.url())
            clicked = await call(client, "browser_click", element="role=button[name=Buy]")
            assert "error" not in clicked


async def test_a_script_runs_in_the_page_as_it_is_and_who_looks_then_waits_all_the_same(hub: HubProcess) -> None:
    with serving({"/": SHOP, "/more.js": _late_script}) as shop:
        async with http_client(hub, query="?tools=full") as client:
            await call(client, "browser_navigate", url=shop.url())
            seen = await call(client, "browser_evaluate", expression="document.querySelector('button') === null")
            assert seen == {"result": "true"}
            page = await call(client, "browser_snapshot")
            assert "Buy" in [row["name"] for row in page["elements"]]
