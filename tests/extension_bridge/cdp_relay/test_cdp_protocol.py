"""What the relay knows about the protocol."""

from __future__ import annotations

import pytest

from browser_pilot.bridge.cdp import cookies_of, error_of, is_harmless, is_sticky, is_swallowed, why_forbidden


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
    assert bool(cookies_of([{"domain": domain}], [url])) is seen


def test_chromes_own_errors_are_passed_on_and_others_wrapped() -> None:
    assert error_of('{"code": -32000, "message": "No node"}') == {"code": -32000, "message": "No node"}
    assert error_of("Detached")["message"] == "Detached"
    assert error_of("[1]")["message"] == "[1]"


def test_what_would_sign_the_user_out_or_steal_focus_is_not_passed_on() -> None:
    assert why_forbidden("Storage.clearCookies")
    assert why_forbidden("Target.createBrowserContext")
    assert is_swallowed("Page.bringToFront")
    assert why_forbidden("Page.navigate") is None


def test_setting_up_is_repeated_and_doing_is_not() -> None:
    assert all(map(is_sticky, ["Page.enable", "Runtime.addBinding", "Target.setAutoAttach", "Emulation.setUserAgent"]))
    assert not any(map(is_sticky, ["Page.navigate", "Input.dispatchMouseEvent", "Runtime.evaluate", "Page.reload"]))


def test_nothing_that_acts_passes_while_halted() -> None:
    acts = ["Input.insertText", "Page.navigate", "Runtime.evaluate", "Runtime.callFunctionOn", "DOM.setFileInputFiles"]
    assert not any(map(is_harmless, acts))
