"""Policy in the user's own Chrome: "ask" is the default mode, and the popup changes it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from playwright.async_api import expect

from browser_pilot.config.settings import load_settings
from tests.clients import call, fail, http_client
from tests.hub_process import running_hub
from tests.sites import LOGIN, serving
from tests.waiting import eventually

from .chrome import own_chrome


async def test_an_agent_must_ask_until_the_user_chooses_another_mode_in_the_popup(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text('[browser]\nengine = "own"\n')
    with running_hub(home) as hub, serving({"/": LOGIN}) as site:
        async with own_chrome(tmp_path / "chrome") as chrome:
            await chrome.pair(hub)
            page = await chrome.open(site.url("/"))
            await chrome.share(page)
            async with http_client(hub) as client:
                await call(client, "browser_snapshot")
                asking = asyncio.create_task(fail(client, "browser_click", element="role=checkbox"))
                popup = await chrome.popup(page)
                await expect(popup.locator("#state")).to_have_text("Needs you", timeout=10_000)
                with hub.http() as http:
                    (question,) = http.get("/api/approvals").json()
                    http.post(f"/api/approvals/{question['id']}", json={"choice": "deny"})
                assert (await asking)["error"] == "APPROVAL_DENIED"
                await expect(popup.locator("#state")).to_have_text("Connected")
                await expect(popup.get_by_role("radio", name="Ask")).to_be_checked()
                await popup.get_by_text("Auto", exact=True).click()
                await eventually(lambda: load_settings(home=home).policy.own_mode == "auto")
                await expect(popup.get_by_role("radio", name="Auto")).to_be_checked()
                await popup.close()
                await call(client, "browser_click", element="role=checkbox")
                assert await page.locator("input[type=checkbox]").is_checked()
