"""Who gets into the dashboard, how, and for how long."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import httpx
import psutil
import pytest
from playwright.async_api import Browser, BrowserContext, Page, expect

from browser_pilot.dashboard import entrance
from browser_pilot.dashboard.entrance import Entrance
from browser_pilot.dashboard.visits import LIFE_SECONDS, MOST, Visits
from browser_pilot.runtime import read_runtime

from ..cli.conftest import run_pilot
from ..hub_process import HubProcess, running_hub, wait_until_gone
from .visitor import PATIENCE_MS, Visitor, address, enter, ticket_in, visit, visit_by, way_in

RECORDER = """#!{python}
import pathlib, sys
place = pathlib.Path({place!r})
place.with_suffix(".new").write_text(" ".join(sys.argv[1:]))
place.with_suffix(".new").rename(place)
"""


async def test_the_file_is_private_and_lets_its_reader_in_once(context: BrowserContext, asking: HubProcess) -> None:
    file = way_in(asking)
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    copy = file.read_text()
    page = await context.new_page()
    await page.goto(file.as_uri(), wait_until="commit")
    await expect(page.locator("#state")).to_have_text("Connected", timeout=PATIENCE_MS)
    assert page.url == f"{address(asking)}/"
    assert not file.exists()
    file.write_text(copy)
    try:
        await page.goto(file.as_uri(), wait_until="commit")
        await expect(page.get_by_role("heading")).to_have_text("This way in is used up", timeout=PATIENCE_MS)
        await expect(page.get_by_text("browser-pilot dashboard")).to_be_visible()
    finally:
        file.unlink()


async def test_the_file_has_a_button_for_browsers_that_run_no_script(chromium: Browser, asking: HubProcess) -> None:
    context = await chromium.new_context(java_script_enabled=False)
    page = await context.new_page()
    await page.goto(way_in(asking).as_uri())
    await page.get_by_role("button", name="Open the dashboard").click()
    await expect(page.get_by_role("heading")).to_have_text("Opening the dashboard …")
    await expect(page.get_by_text("Nothing happens?")).to_be_visible()
    await context.close()


async def test_after_coming_in_back_does_not_lead_to_the_ticket(page: Page, asking: HubProcess) -> None:
    assert await page.evaluate("history.length") <= 3
    await page.reload()
    await expect(page.locator("#state")).to_have_text("Connected", timeout=PATIENCE_MS)
    assert page.url == f"{address(asking)}/"


async def test_a_second_tab_is_let_in_by_the_same_visit(
    page: Page, context: BrowserContext, asking: HubProcess
) -> None:
    second = await context.new_page()
    await second.goto(address(asking))
    await expect(second.locator("#state")).to_have_text("Connected", timeout=PATIENCE_MS)


async def test_without_a_visit_the_page_says_what_to_run(context: BrowserContext, asking: HubProcess) -> None:
    page = await context.new_page()
    answer = await page.goto(address(asking))
    assert answer is not None and answer.status == 403
    await expect(page.get_by_role("heading")).to_have_text("Open the dashboard from your terminal")
    await expect(page.get_by_text("browser-pilot dashboard", exact=True)).to_be_visible()


async def test_whoever_signs_out_is_out_in_every_tab(page: Page, context: BrowserContext, asking: HubProcess) -> None:
    second = await context.new_page()
    await second.goto(address(asking))
    await page.get_by_role("button", name="Sign out").click()
    for one in (page, second):
        await expect(one.locator("#state")).to_have_text("Signed out", timeout=PATIENCE_MS)
        await expect(one.locator("#problem")).to_contain_text("browser-pilot dashboard")
        await expect(one.locator("#live")).to_be_hidden()
    await second.reload()
    await expect(second.get_by_role("heading")).to_have_text("Open the dashboard from your terminal")


async def test_a_hub_that_ends_and_one_that_comes_after_it_say_how_to_go_on(
    context: BrowserContext, home: Path
) -> None:
    with running_hub(home) as hub:
        page = await enter(context, hub)
        left_behind = way_in(hub)
    await expect(page.locator("#state")).to_have_text("Hub away", timeout=PATIENCE_MS)
    await expect(page.locator("#problem")).to_contain_text("browser-pilot dashboard")
    await expect(page.locator("#live")).to_be_hidden()
    assert not left_behind.exists()
    left_behind.write_text("from a hub that was killed")
    with running_hub(home, "--port", str(hub.info.port)) as next_hub:
        assert next_hub.info.port == hub.info.port
        assert not left_behind.exists()
        await expect(page.locator("#state")).to_have_text("Signed out", timeout=PATIENCE_MS)
        await (await enter(context, next_hub)).close()
        await expect(page.locator("#state")).to_have_text("Connected", timeout=PATIENCE_MS)


def test_the_command_opens_a_file_and_names_no_secret(asking: HubProcess, tmp_path: Path) -> None:
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


def test_without_a_screen_or_when_told_so_the_command_prints_the_path(asking: HubProcess) -> None:
    no_screen = {"BROWSER": None, "DISPLAY": None, "WAYLAND_DISPLAY": None}
    for options, env in ((["--no-open"], {}), ([], no_screen)):
        done = run_pilot(asking.home, "dashboard", *options, env=env)
        assert done.code == 0, done.err
        path = Path(done.out.strip().splitlines()[-1].strip())
        assert path.is_file()
    told = json.loads(run_pilot(asking.home, "dashboard", "--json").out)
    assert Path(told["file"]).is_file() and told["address"] == f"{address(asking)}/"


@pytest.mark.parametrize("ticket", ["", "wrong", "x" * 100_000, "\u0000", "a&ticket=b"])
def test_a_wrong_ticket_opens_nothing_and_says_what_to_do(asking: HubProcess, ticket: str) -> None:
    answer = httpx.post(f"{address(asking)}/dashboard/enter", data={"ticket": ticket})
    assert answer.status_code == 403
    assert "browser-pilot dashboard" in answer.text
    assert "set-cookie" not in answer.headers


def test_the_cookie_is_kept_from_scripts_and_from_other_sites(asking: HubProcess) -> None:
    data = {"ticket": ticket_in(way_in(asking))}
    answer = httpx.post(f"{address(asking)}/dashboard/enter", data=data, headers={"Origin": "null"})
    cookie = answer.headers["set-cookie"].lower()
    assert cookie.startswith(f"browser-pilot-{asking.info.port}=")
    assert {"httponly", "samesite=strict", "path=/"} <= set(cookie.split("; "))


async def test_a_ticket_that_is_too_old_is_void_and_its_file_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    door = Entrance(tmp_path, lambda: now)
    old = ticket_in(door.open("http://127.0.0.1:1"))
    now += entrance.LIFE_SECONDS
    assert not door.take(old)
    monkeypatch.setattr(entrance, "LIFE_SECONDS", 0.01)
    file = door.open("http://127.0.0.1:1")
    async with asyncio.timeout(10):
        while file.exists():
            await asyncio.sleep(0.01)


async def test_only_the_newest_tickets_are_good(tmp_path: Path) -> None:
    door = Entrance(tmp_path, lambda: 0.0)
    files = [door.open("http://127.0.0.1:1") for _ in range(entrance.MOST + 1)]
    assert not files[0].exists()
    assert door.take(ticket_in(files[1]))
    door.close()
    assert list((tmp_path / "run").iterdir()) == []


def test_a_visit_ends_by_itself() -> None:
    visits = Visits()
    opened = visits.open(0.0)
    assert visits.find(opened.cookie, opened.key, LIFE_SECONDS - 1) == opened
    assert visits.find(opened.cookie, "another key", 1.0) is None
    assert visits.find(opened.cookie, opened.key, LIFE_SECONDS) is None
    assert not visits.is_open(opened.cookie, 1.0), "what has ended does not come back"
    assert opened.key not in repr(opened)


def test_too_many_visits_end_the_oldest() -> None:
    visits = Visits()
    first = visits.open(0.0)
    for _ in range(MOST):
        visits.open(0.0)
    assert not visits.is_open(first.cookie, 1.0)


def test_a_visit_opens_the_dashboard_and_nothing_else(asking: HubProcess) -> None:
    visitor = visit(asking)
    assert visitor.ask().status_code == 200
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
        assert visitor.post(path).status_code == 401, path
        assert visitor.post(path, headers={"Authorization": f"Bearer {visitor.key}"}).status_code == 401, path


@pytest.mark.parametrize("missing", ["Origin", "Cookie", "X-Browser-Pilot-Key"])
@pytest.mark.parametrize("path", ["/dashboard/ask/state", "/dashboard/ask/word", "/dashboard/news", "/dashboard/leave"])
def test_cookie_key_and_origin_are_needed_together(asking: HubProcess, missing: str, path: str) -> None:
    whole = visit(asking)
    part = Visitor(asking.info.port, whole.cookie, whole.key, frozenset({missing}))
    answer = part.post(path)
    assert answer.status_code == 401
    assert answer.json()["suggestions"] == ["Run `browser-pilot dashboard`."]
    assert whole.ask().status_code == 200


def test_the_cookie_of_one_visit_and_the_key_of_another_are_none(asking: HubProcess) -> None:
    one, two = visit(asking), visit(asking)
    assert Visitor(asking.info.port, one.cookie, two.key).ask().status_code == 401


@pytest.mark.parametrize(
    "origin", ["null", "http://localhost:{port}", "http://127.0.0.1:1", "http://evil.example", "file://", ""]
)
def test_another_origin_is_refused_with_cookie_and_key(asking: HubProcess, origin: str) -> None:
    answer = visit(asking).ask(headers={"Origin": origin.replace("{port}", str(asking.info.port))})
    assert answer.status_code in (401, 403)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost.evil.example:{port}", "[::1]:{port}"])
@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/"), ("GET", "/extension/theme.css"), ("POST", "/dashboard/enter"), ("POST", "/dashboard/ask/state")],
)
def test_another_host_is_refused(asking: HubProcess, host: str, method: str, path: str) -> None:
    headers = {**visit(asking).headers, "Host": host.replace("{port}", str(asking.info.port))}
    assert httpx.request(method, address(asking) + path, headers=headers).status_code == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:1", "chrome-extension://abc", "file://"])
@pytest.mark.parametrize("path", ["/dashboard/enter", "/dashboard/ask/state"])
def test_no_web_page_of_others_may_even_try(asking: HubProcess, origin: str, path: str) -> None:
    assert httpx.post(address(asking) + path, headers={"Origin": origin}).status_code == 403


def test_only_the_way_in_takes_a_page_without_an_origin(asking: HubProcess) -> None:
    for path in ("/dashboard/ask/state", "/dashboard/news", "/dashboard/leave", "/api/dashboard", "/mcp"):
        headers = {**visit(asking).headers, **asking.headers, "Origin": "null"}
        assert httpx.post(address(asking) + path, headers=headers).status_code == 403, path


@pytest.mark.parametrize(
    "path",
    ["/", "/extension/theme.css", "/dashboard/static/dashboard.js", "/dashboard/static/no"],
)
def test_every_answer_is_closed_to_frames_caches_and_other_pages(asking: HubProcess, path: str) -> None:
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
        "/extension/worker.js",
        "/extension/../app.py",
        "/extension/..%2fapp.py",
        "/dashboard/static/../routes.py",
        "/dashboard/static/%2e%2e/routes.py",
        "/dashboard/static/dashboard.html",
        "/dashboard/static/jsconfig.json",
        "/extension//etc/passwd",
    ],
)
def test_no_other_file_is_served(asking: HubProcess, path: str) -> None:
    raw = httpx.URL(address(asking)).copy_with(raw_path=path.encode())
    assert httpx.get(raw).status_code in (401, 404)


def test_an_open_dashboard_keeps_a_hub_that_nobody_else_needs(home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text("[hub]\nidle_minutes = 0.05\n")
    file = Path(run_pilot(home, "dashboard", "--json").data["file"])
    info = read_runtime(home)
    assert info is not None
    process = psutil.Process(info.pid)
    visitor = visit_by(info.port, ticket_in(file))
    with httpx.stream("POST", f"{visitor.address}/dashboard/news", headers=visitor.headers, timeout=60) as news:
        for said in news.iter_lines():
            assert said == "here"
            if httpx.get(f"{visitor.address}/health").json()["uptime_seconds"] > 8:
                break
        else:
            pytest.fail("the hub ended while the dashboard was open")
    wait_until_gone([process], 30)
