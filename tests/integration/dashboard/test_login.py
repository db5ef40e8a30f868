"""Signing in to the dashboard: ticket file, cookie and key, and what a login session does not permit."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import httpx
import psutil
import pytest
from playwright.async_api import Browser, BrowserContext, Page, expect

from browser_pilot.hub_discovery.runtime_file import read_runtime
from tests.commands import run_pilot
from tests.hub_process import HubProcess, running_hub, wait_until_gone

from .dashboard_client import (
    TIMEOUT_MS,
    DashboardClient,
    address,
    open_dashboard,
    sign_in,
    sign_in_with,
    ticket_in,
    write_ticket_file,
)

RECORDER = """#!{python}
import pathlib, sys
place = pathlib.Path({place!r})
place.with_suffix(".new").write_text(" ".join(sys.argv[1:]))
place.with_suffix(".new").rename(place)
"""


async def test_the_ticket_file_is_private_and_signs_in_once(context: BrowserContext, asking: HubProcess) -> None:
    file = write_ticket_file(asking)
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    copy = file.read_text()
    page = await context.new_page()
    await page.goto(file.as_uri(), wait_until="commit")
    await expect(page.locator("#state")).to_have_text("Connected", timeout=TIMEOUT_MS)
    assert page.url == f"{address(asking)}/"
    assert not file.exists()
    file.write_text(copy)
    try:
        await page.goto(file.as_uri(), wait_until="commit")
        await expect(page.get_by_role("heading")).to_have_text("This sign-in is no longer valid", timeout=TIMEOUT_MS)
        await expect(page.get_by_text("browser-pilot dashboard")).to_be_visible()
    finally:
        file.unlink()


async def test_the_ticket_file_has_a_button_for_browsers_without_javascript(
    chromium: Browser, asking: HubProcess
) -> None:
    context = await chromium.new_context(java_script_enabled=False)
    page = await context.new_page()
    await page.goto(write_ticket_file(asking).as_uri())
    await page.get_by_role("button", name="Open the dashboard").click()
    await expect(page.get_by_role("heading")).to_have_text("Opening the dashboard …")
    await expect(page.get_by_text("Nothing happens?")).to_be_visible()
    await context.close()


async def test_after_sign_in_history_does_not_lead_back_to_the_ticket(page: Page, asking: HubProcess) -> None:
    assert await page.evaluate("history.length") <= 3
    await page.reload()
    await expect(page.locator("#state")).to_have_text("Connected", timeout=TIMEOUT_MS)
    assert page.url == f"{address(asking)}/"


async def test_a_second_tab_shares_the_login_session(page: Page, context: BrowserContext, asking: HubProcess) -> None:
    second = await context.new_page()
    await second.goto(address(asking))
    await expect(second.locator("#state")).to_have_text("Connected", timeout=TIMEOUT_MS)


async def test_without_a_login_session_the_page_says_what_to_run(context: BrowserContext, asking: HubProcess) -> None:
    page = await context.new_page()
    response = await page.goto(address(asking))
    assert response is not None and response.status == 403
    await expect(page.get_by_role("heading")).to_have_text("Open the dashboard from your terminal")
    await expect(page.get_by_text("browser-pilot dashboard", exact=True)).to_be_visible()


async def test_signing_out_ends_the_session_in_every_tab(
    page: Page, context: BrowserContext, asking: HubProcess
) -> None:
    second = await context.new_page()
    await second.goto(address(asking))
    await page.get_by_role("button", name="Sign out").click()
    for one in (page, second):
        await expect(one.locator("#state")).to_have_text("Signed out", timeout=TIMEOUT_MS)
        await expect(one.locator("#problem")).to_contain_text("browser-pilot dashboard")
        await expect(one.locator("#live")).to_be_hidden()
    await second.reload()
    await expect(second.get_by_role("heading")).to_have_text("Open the dashboard from your terminal")


async def test_a_stopped_hub_and_its_successor_say_how_to_sign_in_again(context: BrowserContext, home: Path) -> None:
    with running_hub(home) as hub:
        page = await open_dashboard(context, hub)
        ticket_file = write_ticket_file(hub)
    await expect(page.locator("#state")).to_have_text("Hub offline", timeout=TIMEOUT_MS)
    await expect(page.locator("#problem")).to_contain_text("browser-pilot dashboard")
    await expect(page.locator("#live")).to_be_hidden()
    assert not ticket_file.exists()
    ticket_file.write_text("from a hub that was killed")
    with running_hub(home, "--port", str(hub.info.port)) as next_hub:
        assert next_hub.info.port == hub.info.port
        assert not ticket_file.exists()
        await expect(page.locator("#state")).to_have_text("Signed out", timeout=TIMEOUT_MS)
        await (await open_dashboard(context, next_hub)).close()
        await expect(page.locator("#state")).to_have_text("Connected", timeout=TIMEOUT_MS)


def test_the_command_opens_the_ticket_file_and_prints_no_secret(asking: HubProcess, tmp_path: Path) -> None:
    place, browser = tmp_path / "arguments", tmp_path / "browser"
    browser.write_text(RECORDER.format(python=sys.executable, place=str(place)))
    browser.chmod(0o700)
    done = run_pilot(asking.home, "dashboard", env={"BROWSER": f"{browser} %s"})
    assert done.code == 0, done.err
    assert address(asking) in done.out
    arguments = place.read_text()
    file = Path(arguments.removeprefix("file://"))
    assert file.parent == asking.home / "run"
    assert ticket_in(file) not in arguments + done.out
    assert asking.info.token not in file.read_text()


def test_without_a_display_or_with_no_open_the_command_prints_the_path(asking: HubProcess) -> None:
    no_screen = {"BROWSER": None, "DISPLAY": None, "WAYLAND_DISPLAY": None}
    for options, env in ((["--no-open"], {}), ([], no_screen)):
        done = run_pilot(asking.home, "dashboard", *options, env=env)
        assert done.code == 0, done.err
        path = Path(done.out.strip().splitlines()[-1].strip())
        assert path.is_file()
    printed = json.loads(run_pilot(asking.home, "dashboard", "--json").out)
    assert Path(printed["file"]).is_file() and printed["address"] == f"{address(asking)}/"


@pytest.mark.parametrize("ticket", ["", "wrong", "x" * 100_000, "\u0000", "a&ticket=b"])
def test_an_invalid_ticket_is_refused_and_says_what_to_do(asking: HubProcess, ticket: str) -> None:
    response = httpx.post(f"{address(asking)}/dashboard/login", data={"ticket": ticket})
    assert response.status_code == 403
    assert "browser-pilot dashboard" in response.text
    assert "set-cookie" not in response.headers


def test_the_cookie_is_httponly_and_same_site_strict(asking: HubProcess) -> None:
    data = {"ticket": ticket_in(write_ticket_file(asking))}
    response = httpx.post(f"{address(asking)}/dashboard/login", data=data, headers={"Origin": "null"})
    cookie = response.headers["set-cookie"].lower()
    assert cookie.startswith(f"browser-pilot-{asking.info.port}=")
    assert {"httponly", "samesite=strict", "path=/"} <= set(cookie.split("; "))


def test_a_login_session_is_valid_for_the_dashboard_only(asking: HubProcess) -> None:
    client = sign_in(asking)
    assert client.request().status_code == 200
    for path in (
        "/mcp",
        "/api/stop",
        "/api/approvals",
        "/api/pairing",
        "/api/dashboard",
        "/api/reload",
        "/",
        "/metrics",
    ):
        assert client.post(path).status_code == 401, path
        assert client.post(path, headers={"Authorization": f"Bearer {client.key}"}).status_code == 401, path


@pytest.mark.parametrize("missing", ["Origin", "Cookie", "X-Browser-Pilot-Key"])
@pytest.mark.parametrize(
    "path", ["/dashboard/request/state", "/dashboard/request/command", "/dashboard/events", "/dashboard/logout"]
)
def test_cookie_key_and_origin_are_all_required(asking: HubProcess, missing: str, path: str) -> None:
    client = sign_in(asking)
    incomplete = DashboardClient(asking.info.port, client.cookie, client.key, frozenset({missing}))
    response = incomplete.post(path)
    assert response.status_code == 401
    assert response.json()["suggestions"] == ["Run `browser-pilot dashboard`."]
    assert client.request().status_code == 200


def test_the_cookie_of_one_session_and_the_key_of_another_are_refused(asking: HubProcess) -> None:
    one, two = sign_in(asking), sign_in(asking)
    assert DashboardClient(asking.info.port, one.cookie, two.key).request().status_code == 401


@pytest.mark.parametrize(
    "origin", ["null", "http://localhost:{port}", "http://127.0.0.1:1", "http://evil.example", "file://", ""]
)
def test_another_origin_is_refused_despite_cookie_and_key(asking: HubProcess, origin: str) -> None:
    response = sign_in(asking).request(headers={"Origin": origin.replace("{port}", str(asking.info.port))})
    assert response.status_code in (401, 403)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost.evil.example:{port}", "[::1]:{port}"])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/extension/lib/theme.css"),
        ("POST", "/dashboard/login"),
        ("POST", "/dashboard/request/state"),
    ],
)
def test_another_host_is_refused(asking: HubProcess, host: str, method: str, path: str) -> None:
    headers = {**sign_in(asking).headers, "Host": host.replace("{port}", str(asking.info.port))}
    assert httpx.request(method, address(asking) + path, headers=headers).status_code == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:1", "chrome-extension://abc", "file://"])
@pytest.mark.parametrize("path", ["/dashboard/login", "/dashboard/request/state"])
def test_web_pages_of_other_origins_are_refused(asking: HubProcess, origin: str, path: str) -> None:
    assert httpx.post(address(asking) + path, headers={"Origin": origin}).status_code == 403


def test_only_sign_in_accepts_a_null_origin(asking: HubProcess) -> None:
    for path in ("/dashboard/request/state", "/dashboard/events", "/dashboard/logout", "/api/dashboard", "/mcp"):
        headers = {**sign_in(asking).headers, **asking.headers, "Origin": "null"}
        assert httpx.post(address(asking) + path, headers=headers).status_code == 403, path


@pytest.mark.parametrize(
    "path",
    ["/", "/extension/lib/theme.css", "/ui/dashboard/static/dashboard.js", "/ui/dashboard/static/no"],
)
def test_every_response_forbids_framing_caching_and_cross_origin_use(asking: HubProcess, path: str) -> None:
    headers = httpx.get(address(asking) + path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'self'" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-frame-options"] == "DENY"
    assert headers["cache-control"] == "no-store"
    assert headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize(
    "path",
    [
        "/extension/manifest.json",
        "/extension/background/service_worker.js",
        "/extension/../app.py",
        "/extension/..%2fapp.py",
        "/ui/dashboard/static/../routes.py",
        "/ui/dashboard/static/%2e%2e/routes.py",
        "/ui/dashboard/static/dashboard.html",
        "/ui/dashboard/static/jsconfig.json",
        "/extension//etc/passwd",
    ],
)
def test_no_other_file_is_served(asking: HubProcess, path: str) -> None:
    raw = httpx.URL(address(asking)).copy_with(raw_path=path.encode())
    assert httpx.get(raw).status_code in (401, 404)


def test_an_open_dashboard_keeps_an_idle_hub_running(home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text("[hub]\nidle_minutes = 10\n")
    file = Path(run_pilot(home, "dashboard", "--json").data["file"])
    info = read_runtime(home)
    assert info is not None
    process = psutil.Process(info.pid)
    client = sign_in_with(info.port, ticket_in(file))
    with httpx.stream("POST", f"{client.address}/dashboard/events", headers=client.headers, timeout=60) as events:
        lines = events.iter_lines()
        assert next(lines) == "alive"
        (home / "config.toml").write_text("[hub]\nidle_minutes = 0.05\n")
        token = {"Authorization": f"Bearer {info.token}"}
        assert httpx.post(f"{client.address}/api/reload", headers=token, timeout=60).json() == {"problem": None}
        open_seconds = _uptime_seconds(client.address)
        for line in lines:
            assert line == "alive"
            if _uptime_seconds(client.address) > open_seconds + 8:
                break
        else:
            pytest.fail("the hub ended while the dashboard was open")
    wait_until_gone([process])


def _uptime_seconds(address: str) -> float:
    return httpx.get(f"{address}/health", timeout=60).json()["uptime_seconds"]
