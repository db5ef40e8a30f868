"""browser_navigate returns on load; the next snapshot waits for scripts that are still loading."""

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
    time.sleep(LATE_SECONDS)  # the test needs a slow server
    request.send_response(200)
    request.send_header("Content-Type", "text/javascript")
    request.send_header("Content-Length", str(len(MORE)))
    request.end_headers()
    request.wfile.write(MORE)


async def test_a_snapshot_right_after_a_navigation_has_what_a_late_script_adds(hub: HubProcess) -> None:
    with serving({"/": SHOP, "/more.js": _late_script}) as shop:
        async with http_client(hub) as client:
            opened = await call(client, "browser_navigate", url=shop.url())
            assert opened["title"] == "Shop"
            assert any("more.js" in url for url in opened["still_loading"])
            page = await call(client, "browser_snapshot")
            assert "Buy" in [row["name"] for row in page["elements"]]


async def test_a_navigation_with_snapshot_waits_for_a_late_script(hub: HubProcess) -> None:
    with serving({"/": SHOP, "/more.js": _late_script}) as shop:
        async with http_client(hub) as client:
            page = await call(client, "browser_navigate", url=shop.url(), snapshot=True)
            assert "Buy" in [row["name"] for row in page["elements"]]


async def test_a_button_of_a_late_script_can_be_clicked_right_after_a_navigation(hub: HubProcess) -> None:
    with serving({"/": SHOP, "/more.js": _late_script}) as shop:
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=shop.url())
            clicked = await call(client, "browser_click", element="role=button[name=Buy]")
            assert "error" not in clicked


async def test_evaluate_does_not_wait_for_a_late_script_and_the_next_snapshot_does(hub: HubProcess) -> None:
    with serving({"/": SHOP, "/more.js": _late_script}) as shop:
        async with http_client(hub, query="?tools=full") as client:
            await call(client, "browser_navigate", url=shop.url())
            seen = await call(client, "browser_evaluate", expression="document.querySelector('button') === null")
            assert seen == {"result": True}
            page = await call(client, "browser_snapshot")
            assert "Buy" in [row["name"] for row in page["elements"]]
