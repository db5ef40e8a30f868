"""Cookies are authorized for the site that they belong to, and the person is shown that site, name and action."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from tests.clients import call, fail, http_client
from tests.conftest import HubWith
from tests.sites import serving

from .simulated_users import SimulatedUser, asking_client, form_response

pytestmark = pytest.mark.browser

FULL = '[tools]\nprofile = "full"\n'
# The bank's pages may load, but the agent may change nothing there.
BANK_DENIED = FULL + '[policy.domains."localhost"]\nread = true\nwrite = false\n'


def bank(handler: BaseHTTPRequestHandler) -> None:
    """Sets a session cookie, unless there is one, and shows the one that it got."""
    handler.send_response(200)
    sent = handler.headers.get("Cookie", "")
    if not sent:
        handler.send_header("Set-Cookie", "sid=real; HttpOnly; Path=/")
    handler.send_header("Content-Type", "text/html")
    handler.end_headers()
    handler.wfile.write(f"<title>Bank</title><p>Cookie {sent or 'none'}.".encode())


@pytest.mark.parametrize(
    "arguments",
    [
        {"action": "set", "name": "sid", "value": "evil", "domain": "localhost"},
        {"action": "set", "name": "sid", "value": "evil", "domain": ".LOCALHOST"},
        {"action": "set", "name": "sid", "value": "evil", "url": "http://localhost:{port}/"},
        {"action": "delete", "name": "sid", "domain": "localhost"},
        {"action": "get", "url": "http://localhost:{port}/"},
        {"action": "clear"},
    ],
)
async def test_cookies_of_a_denied_site_cannot_be_used_from_another(
    hub_with: HubWith, arguments: dict[str, Any]
) -> None:
    hub = hub_with(BANK_DENIED)
    with serving({"/": "<title>Evil</title>", "/bank": bank}) as site:
        bank_url = site.url("/bank").replace("127.0.0.1", "localhost")
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=bank_url)
            await call(client, "browser_navigate", url=site.url())
            given = {name: value.replace("{port}", str(site.port)) for name, value in arguments.items()}
            error = await fail(client, "browser_cookies", **given)
            assert error["error"] == "DOMAIN_DENIED"
            assert "localhost" in error["message"]
            await call(client, "browser_navigate", url=bank_url)
            await call(client, "browser_wait_for", text="Cookie sid=real.")


@pytest.mark.parametrize("page_host", ["shop.localhost", "127.0.0.1"])
async def test_a_cookie_of_a_domain_needs_what_the_names_below_it_need(hub_with: HubWith, page_host: str) -> None:
    hub = hub_with(FULL + '[policy.domains."bank.shop.localhost"]\nread = true\nwrite = false\n')
    with serving({"/": "<title>Shop</title>", "/bank": bank}) as site:
        page = site.url().replace("127.0.0.1", page_host)
        bank_url = site.url("/bank").replace("127.0.0.1", "bank.shop.localhost")
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=page)
            for arguments in (
                {"action": "set", "name": "sid", "value": "evil", "domain": "shop.localhost"},
                {"action": "set", "name": "sid", "value": "evil", "domain": ".shop.localhost"},
                {"action": "delete", "name": "sid", "domain": ".shop.localhost"},
            ):
                error = await fail(client, "browser_cookies", **arguments)
                assert error["error"] == "DOMAIN_DENIED"
                assert "bank.shop.localhost" in error["message"]
            if page_host == "shop.localhost":
                # Without a domain the cookie belongs to the host alone.
                await call(client, "browser_cookies", action="set", name="own", value="1")
                await call(client, "browser_cookies", action="clear")
            await call(client, "browser_cookies", action="set", name="sid", value="1", domain="other.localhost")
            await call(client, "browser_navigate", url=bank_url)
            await call(client, "browser_wait_for", text="Cookie none.")


async def test_without_a_domain_only_cookies_of_the_page_are_deleted(hub_with: HubWith) -> None:
    hub = hub_with(BANK_DENIED)
    with serving({"/": "<title>Evil</title>", "/bank": bank}) as site:
        bank_url = site.url("/bank").replace("127.0.0.1", "localhost")
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=bank_url)
            await call(client, "browser_navigate", url=site.url())
            await call(client, "browser_cookies", action="set", name="sid", value="mine")
            assert (await call(client, "browser_cookies", action="delete", name="sid"))["deleted"] == 1
            await call(client, "browser_navigate", url=bank_url)
            await call(client, "browser_wait_for", text="Cookie sid=real.")


async def test_the_approval_request_names_the_host_the_cookie_and_the_action(hub_with: HubWith) -> None:
    hub = hub_with(FULL + '[policy]\napproval_timeout_s = 20\n[policy.ask_from]\nloopback = "medium"\n')
    person = SimulatedUser([form_response("Deny"), form_response("Deny"), form_response("Allow once")])
    with serving({"/": "<title>Shop</title>"}) as site:
        async with asking_client(hub, person) as client:
            await call(client, "browser_navigate", url=site.url())
            await fail(client, "browser_cookies", action="set", name="sid", value="x", domain="localhost")
            assert "Set the cookie “sid” of localhost" in person.forms[0].message
            await fail(client, "browser_cookies", action="delete", name="sid", domain="localhost")
            assert "Delete the cookie “sid” of localhost" in person.forms[1].message
            await call(client, "browser_cookies", action="set", name="own", value="1")
            assert f"Set the cookie “own” of 127.0.0.1:{site.port}" in person.forms[2].message
            error = await fail(client, "browser_cookies", action="set", name="a", value="1", domain="no host")
            assert error["error"] == "INVALID_ARGUMENT"
    assert len(person.forms) == 3
