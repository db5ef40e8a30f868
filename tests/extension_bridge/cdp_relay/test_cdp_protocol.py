"""Which CDP commands pass, are repeated or rejected, and which cookies an agent sees."""

from __future__ import annotations

import pytest

from browser_pilot.extension_bridge.cdp_relay.cdp_protocol import (
    cookies_for,
    error_response,
    forbidden_reason,
    is_allowed_while_halted,
    is_ignored,
    is_setup_command,
)


@pytest.mark.parametrize(
    ("domain", "url", "seen"),
    [
        ("example.com", "https://example.com/", True),
        (".example.com", "https://www.example.com/", True),
        ("example.com", "https://www.example.com/", False),
        (".example.com", "https://notexample.com/", False),
        ("bank.test", "https://example.com/", False),
        ("login.example.com", "https://example.com/", True),
        (".com", "about:blank", False),
    ],
)
def test_an_agent_sees_the_cookies_of_its_own_pages_only(domain: str, url: str, seen: bool) -> None:
    assert bool(cookies_for([{"domain": domain}], [url])) is seen


def test_chromes_own_errors_are_passed_on_and_others_wrapped() -> None:
    assert error_response('{"code": -32000, "message": "No node"}') == {"code": -32000, "message": "No node"}
    assert error_response("Detached")["message"] == "Detached"
    assert error_response("[1]")["message"] == "[1]"


def test_commands_that_sign_the_user_out_or_steal_focus_are_not_passed_on() -> None:
    assert forbidden_reason("Storage.clearCookies")
    assert forbidden_reason("Target.createBrowserContext")
    assert is_ignored("Page.bringToFront")
    assert forbidden_reason("Page.navigate") is None


def test_only_set_up_commands_are_repeated() -> None:
    assert all(
        map(is_setup_command, ["Page.enable", "Runtime.addBinding", "Target.setAutoAttach", "Emulation.setUserAgent"])
    )
    assert not any(
        map(is_setup_command, ["Page.navigate", "Input.dispatchMouseEvent", "Runtime.evaluate", "Page.reload"])
    )


def test_no_action_passes_while_halted() -> None:
    acts = ["Input.insertText", "Page.navigate", "Runtime.evaluate", "Runtime.callFunctionOn", "DOM.setFileInputFiles"]
    assert not any(map(is_allowed_while_halted, acts))
