"""A session can be exported as a Playwright test that runs without the hub, and traced."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.clients import call, http_client
from tests.hub_process import HubProcess, environment
from tests.sites import serving

SHOP = """<!doctype html><title>Shop</title>
<form onsubmit="event.preventDefault(); out.textContent = `${who.value} wants ${size.value}, ${gift.checked}`">
<label>Name <input id="who" name="who"></label>
<label>Password <input type="password" name="password"></label>
<label>Size <select id="size" name="size"><option>Small<option>Large</select></label>
<label><input type="checkbox" id="gift" name="gift"> Gift</label>
<button>Order</button></form><p id="out"></p>
<a href="/terms" target="_blank">Terms</a>
<button onclick="out.textContent = confirm('Sure?') ? 'Gone' : 'Kept'">Remove</button>"""
TERMS = "<!doctype html><title>Terms</title><button onclick=\"document.title = 'Agreed'\">Agree</button>"
# The fixtures of pytest-playwright, without its browser downloads.
CONFTEST = """
import pytest
from playwright.sync_api import sync_playwright

@pytest.fixture
def context():
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path={executable!r}, args=["--no-sandbox"])
        yield browser.new_context()
        browser.close()

@pytest.fixture
def page(context):
    return context.new_page()
"""


@pytest.mark.browser
async def test_an_exported_session_runs_as_a_playwright_test(
    hub_without_rate_limit: HubProcess, tmp_path: Path
) -> None:
    with serving({"/": SHOP, "/terms": TERMS}) as site:
        async with http_client(hub_without_rate_limit, query="?tools=full") as client:
            session = (await call(client, "browser_session", action="create"))["session"]
            await call(client, "browser_trace", action="start")
            await call(client, "browser_navigate", url=site.url())
            rows = (await call(client, "browser_snapshot"))["elements"]
            refs = {row["name"]: row["ref"] for row in rows}
            await call(client, "browser_type", element=refs["Name"], text="Ada")
            await call(client, "browser_type", element=refs["Password"], text="correct horse battery")
            await call(client, "browser_select", element=refs["Size"], values=["Large"])
            await call(client, "browser_click", element=refs["Gift"])
            await call(client, "browser_click", element="role=button[name=Order]")
            await call(client, "browser_wait_for", text="Ada wants Large, true")
            await call(client, "browser_click", element="text=Remove")
            await call(client, "browser_dialog", accept=True)
            await call(client, "browser_wait_for", text="Gone")
            await call(client, "browser_click", element=refs["Terms"])
            await call(client, "browser_click", element="text=Agree", tab="t2")
            traced = await call(client, "browser_trace", action="stop", path="shop.zip")
        with zipfile.ZipFile(traced["path"]) as trace:
            assert "trace.trace" in trace.namelist()
        written = tmp_path / "test_shop.py"
        subprocess.run(
            [sys.executable, "-m", "browser_pilot", "log", "export-test", session, "--output", str(written)],
            env=environment(hub_without_rate_limit.home),
            check=True,
            timeout=120,
        )
        text = written.read_text()
        assert "correct horse" not in text and 'get_by_role("textbox", name="Name", exact=True)' in text
        (tmp_path / "conftest.py").write_text(CONFTEST.format(executable=_executable()))
        ran = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:asyncio", str(written)],
            env={**os.environ, "PASSWORD": "x"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert "1 passed" in ran.stdout, f"{ran.stdout}\n{text}"


def _executable() -> str:
    from browser_pilot.engines.browser_finder import find_browser

    return str(find_browser().executable)
