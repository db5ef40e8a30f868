"""The user's own Chrome in the hub: audit notes of the bridge, and the mode that the user chooses."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Playwright
from starlette.applications import Starlette
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from browser_pilot.audit_log.entries import AuditNote
from browser_pilot.config.live_reload import LiveConfig
from browser_pilot.config.settings import Settings, load_settings
from browser_pilot.config.user_rules import UserRulesStore
from browser_pilot.extension_bridge.ui_backend import UiBackend
from browser_pilot.http_api.browsers import bridge_routes
from browser_pilot.hub.user_chrome import MAX_REJECTION_NOTES, UserChrome


class Scene:
    def __init__(self, home: Path) -> None:
        def load() -> Settings:
            return load_settings(home=home, environ={})

        async def no_driver() -> Playwright:
            raise AssertionError("no browser is opened here")

        self.notes: list[AuditNote] = []
        self.config = LiveConfig(load(), UserRulesStore(home), home=home, load=load, on_rule=lambda _: None)
        self.user_chrome = UserChrome(
            home, config=self.config, ui=UiBackend(), note=self.notes.append, driver=no_driver
        )


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def test_the_mode_that_the_user_chooses_is_stored_applied_and_noted(scene: Scene, tmp_path: Path) -> None:
    scene.user_chrome.bridge.apply_user_command("readonly", where="on the dashboard")
    assert 'own_mode = "readonly"' in (tmp_path / "config.toml").read_text()
    assert scene.config.settings.policy.own_mode == scene.user_chrome.bridge.mode == "readonly"
    (note,) = scene.notes
    assert (note.text, note.by) == ("The user chose “readonly” on the dashboard.", "user")


def test_rejected_connections_are_noted_up_to_a_limit(scene: Scene) -> None:
    client = TestClient(Starlette(routes=bridge_routes(scene.user_chrome.bridge)))
    for _ in range(MAX_REJECTION_NOTES + 5):
        with pytest.raises(WebSocketDisconnect), client.websocket_connect("/cdp/unknown"):
            pass
    assert [note.text for note in scene.notes] == ["Rejected a connection to the CDP endpoint."] * MAX_REJECTION_NOTES
    assert scene.notes[0].details == {"reason": "secret"}
