"""The pairing key in the user's Chrome: no script can export it, and one of an earlier version is moved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.async_api import expect

from browser_pilot.extension_bridge.protocol import EXTENSION_ID
from tests.hub_process import HubProcess
from tests.waiting import eventually

from .chrome import TIMEOUT_MS, Chrome, own_chrome

pytestmark = pytest.mark.browser

# What a script of the extension can find out about the stored keys.
STORED = """async () => {
  const database = await new Promise((resolve) => {
    const opening = indexedDB.open('pairing');
    opening.onsuccess = () => resolve(opening.result);
  });
  const values = await new Promise((resolve) => {
    const request = database.transaction('keys').objectStore('keys').getAll();
    request.onsuccess = () => resolve(request.result);
  });
  database.close();
  const tried = values.map((key) => crypto.subtle.exportKey('raw', key).then(() => 'exported', () => 'refused'));
  const exported = await Promise.all(tried);
  return {
    keys: values.map((key) => [key.extractable, key.algorithm.name, key.usages.join()]),
    exported,
    settings: await chrome.storage.local.get(null),
  };
}"""
CLEAR = """() => new Promise((resolve) => {
  const opening = indexedDB.open('pairing');
  opening.onsuccess = () => {
    const transaction = opening.result.transaction('keys', 'readwrite');
    transaction.objectStore('keys').clear();
    transaction.oncomplete = () => (opening.result.close(), resolve());
  };
})"""
SAFE = {"keys": [[False, "HMAC", "sign"]], "exported": ["refused"]}


async def stored(chrome: Chrome) -> dict[str, object]:
    return await (await chrome.worker()).evaluate(STORED)


async def show_state(chrome: Chrome, state: str) -> None:
    popup = await chrome.popup()
    await expect(popup.locator("#state")).to_have_text(state, timeout=TIMEOUT_MS)
    await popup.close()


async def restart_extension(chrome: Chrome) -> None:
    """As after an update of the extension."""
    worker = await chrome.worker()
    async with chrome.context.expect_event("serviceworker", lambda one: EXTENSION_ID in one.url, timeout=TIMEOUT_MS):
        await worker.evaluate("() => { setTimeout(() => chrome.runtime.reload()) }")


async def test_the_key_cannot_be_exported_and_goes_with_the_pairing(own_hub: HubProcess, tmp_path: Path) -> None:
    async with own_chrome(tmp_path) as chrome:
        await chrome.pair(own_hub)
        found = await stored(chrome)
        settings = found.pop("settings")
        assert found == SAFE
        assert isinstance(settings, dict)
        assert settings["browser"] and "key" not in settings
        options = await chrome.options()
        await options.locator("#unpair").click()

        async def no_key() -> bool:
            return (await stored(chrome))["keys"] == []

        await eventually(no_key)
        await show_state(chrome, "Not paired")


async def test_a_key_that_an_earlier_version_kept_as_text_is_moved(own_hub: HubProcess, tmp_path: Path) -> None:
    async with own_chrome(tmp_path) as chrome:
        await chrome.pair(own_hub)
        settings = (await stored(chrome))["settings"]
        assert isinstance(settings, dict)
        paired = json.loads((own_hub.home / "browsers.json").read_text())
        (key,) = (one["key"] for one in paired if one["id"] == settings["browser"])
        worker = await chrome.worker()
        await worker.evaluate(CLEAR)
        await worker.evaluate("(key) => chrome.storage.local.set({ key })", key)
        await restart_extension(chrome)
        await show_state(chrome, "Connected")
        found = await stored(chrome)
        after = found.pop("settings")
        assert found == SAFE
        assert after == settings


async def test_a_pairing_without_its_key_says_what_to_do(own_hub: HubProcess, tmp_path: Path) -> None:
    async with own_chrome(tmp_path) as chrome:
        await chrome.pair(own_hub)
        await (await chrome.worker()).evaluate(CLEAR)
        await restart_extension(chrome)
        options = await chrome.options()
        await expect(options.locator("#problem")).to_contain_text("pairing key is missing", timeout=TIMEOUT_MS)
