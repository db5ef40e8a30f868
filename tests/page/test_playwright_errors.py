"""Playwright's own failures come out as errors of the browser, never as the caller's fault."""

from __future__ import annotations

import pytest
from playwright.async_api import Error

from browser_pilot.errors import BrowserCrashed
from browser_pilot.page.playwright_errors import translate


@pytest.mark.parametrize(
    "message",
    ['Cannot find object to "__dispose__": page@1', 'Page.goto: Cannot find object to "response": request@2'],
)
def test_a_confused_driver_is_an_error_of_the_browser(message: str) -> None:
    error = translate(Error(message), "Opening the page")
    assert isinstance(error, BrowserCrashed)
    assert error.retryable
    assert "@" not in error.message
