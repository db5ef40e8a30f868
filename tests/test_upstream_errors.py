"""Real messages of Chrome and Playwright, as they were seen, and which matcher must recognise each of them."""

from __future__ import annotations

import pytest

from browser_pilot import upstream_errors
from browser_pilot.upstream_errors import (
    CALL_INTERRUPTED,
    CALL_NOT_STARTED,
    CONTEXT_DESTROYED,
    OBJECT_NOT_FOUND,
    SESSION_NOT_FOUND,
    TARGET_CLOSED,
    ErrorText,
    RelayError,
    first_line,
    is_detached,
    network_error,
    parse_relay_error,
    script_error,
    without_api_name,
)

NOT_ATTACHED = "Debugger is not attached to the tab with id: 7."
WHILE_RUNNING = '{"code":-32000,"message":"Detached while handling command."}'


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("DEBUGGER_ALREADY_ATTACHED", "Another debugger is already attached to the tab with id: 7."),
        ("DEBUGGER_NOT_ATTACHED", NOT_ATTACHED),
        ("DETACHED_WHILE_RUNNING", WHILE_RUNNING),
        ("OTHER_EXTENSIONS_FRAME", "Cannot access a chrome-extension:// URL of different extension"),
        (
            "DRIVER_CONFUSED",
            'Browser.new_context: Cannot find object to "__dispose__": page@1ff30164fdfa2b17622ca9c55f2a6b48',
        ),
        ("CALL_NOT_STARTED", "Protocol error (Runtime.evaluate): Cannot find context with specified id"),
        ("CALL_NOT_STARTED", "Protocol error (Runtime.callFunctionOn): Could not find object with given id"),
        ("CALL_NOT_STARTED", "Protocol error (Runtime.evaluate): uniqueContextId not found"),
        ("CALL_NOT_STARTED", "Protocol error (Runtime.callFunctionOn): Invalid remote object id"),
        ("CALL_NOT_STARTED", "Protocol error (Page.createIsolatedWorld): No frame for given id found"),
        ("CALL_NOT_STARTED", "Protocol error (DOM.getFrameOwner): Frame with the given id was not found."),
        ("CALL_NOT_STARTED", "CDPSession.send: Protocol error (Page.getFrameTree): Session closed."),
        ("CALL_NOT_STARTED", "CDPSession.send: Target page, context or browser has been closed"),
        ("CALL_INTERRUPTED", "Protocol error (Runtime.callFunctionOn): Execution context was destroyed."),
        ("CALL_INTERRUPTED", "Protocol error (Runtime.callFunctionOn): Inspected target navigated or closed"),
        ("CALL_INTERRUPTED", "Protocol error (Runtime.evaluate): Cannot find default execution context"),
        ("PAGE_WENT_AWAY", "Page.evaluate: Execution context was destroyed, most likely because of a navigation"),
        (
            "NAVIGATION_INTERRUPTED",
            'Page.goto: Navigation to "http://a.test/" is interrupted by another navigation to "http://b.test/"',
        ),
        ("PAGE_CRASHED", "Page.evaluate: Target crashed"),
        ("PAGE_CRASHED", "Page.goto: Page crashed"),
        ("TARGET_WAS_CLOSED", "Page.title: Target page, context or browser has been closed"),
        ("DRIVER_GONE", "BrowserType.launch: Connection closed while reading from the driver"),
        ("STRICT_MODE_VIOLATION", 'Locator.click: Error: strict mode violation: locator("b") resolved to 2 elements:'),
        ("ELEMENT_NOT_ACTIONABLE", "ElementHandle.click: Element is not visible"),
        ("ELEMENT_NOT_ACTIONABLE", '<div class="over"></div> intercepts pointer events'),
        ("ELEMENT_GONE", "ElementHandle.click: Element is not attached to the DOM"),
        ("INVALID_SELECTOR", "Failed to execute 'querySelectorAll' on 'Document': '[[' is not a valid selector."),
        ("INVALID_SELECTOR", 'Page.query_selector: Unknown engine "foo" while parsing selector foo=bar'),
        ("UNKNOWN_KEY", 'Keyboard.press: Unknown key: "Entre"'),
        ("COOKIE_REFUSED", "Protocol error (Network.setCookie): Sanitizing cookie failed"),
        ("NO_DISPLAY", "Missing X server or $DISPLAY"),
        ("PROFILE_IN_USE", "Failed to create a ProcessSingleton for your profile directory."),
        ("UNKNOWN_LOCALE_OR_TIMEZONE", "Browser.new_context: Invalid timezone ID: Mars/Olympus"),
        ("UNKNOWN_LOCALE_OR_TIMEZONE", "Protocol error (Emulation.setLocaleOverride): Invalid Locale name"),
        ("BROWSER_CLOSED", "Browser.new_context: Target page, context or browser has been closed"),
        ("REQUEST_BLOCKED", "net::ERR_BLOCKED_BY_CLIENT"),
    ],
)
def test_a_real_message_is_recognised(name: str, message: str) -> None:
    text = getattr(upstream_errors, name)
    assert isinstance(text, ErrorText)
    assert text.matches(message)
    assert not text.matches("Protocol error (DOM.describeNode): No node with given id found")
    assert not text.matches("")


@pytest.mark.parametrize("message", [SESSION_NOT_FOUND, TARGET_CLOSED, OBJECT_NOT_FOUND])
def test_page_code_repeats_a_call_that_the_relay_reports_as_not_started(message: str) -> None:
    assert CALL_NOT_STARTED.matches(message)
    assert not CALL_INTERRUPTED.matches(message)


def test_page_code_does_not_repeat_a_call_that_the_relay_reports_as_interrupted() -> None:
    assert CALL_INTERRUPTED.matches(CONTEXT_DESTROYED)
    assert not CALL_NOT_STARTED.matches(CONTEXT_DESTROYED)


@pytest.mark.parametrize(
    ("message", "detached"),
    [(NOT_ATTACHED, True), (WHILE_RUNNING, True), ("No node with given id found", False), ("", False)],
)
def test_a_detached_debugger_is_recognised(message: str, detached: bool) -> None:
    assert is_detached(message) is detached


@pytest.mark.parametrize("kind", RelayError)
def test_an_error_of_the_relay_comes_back_out_of_playwrights_message(kind: RelayError) -> None:
    message = f"CDPSession.send: Protocol error (Page.navigate): {kind.wrap('the reason.')}"
    assert parse_relay_error(message) == (kind, "the reason.")


def test_an_error_of_chrome_is_not_mistaken_for_one_of_the_relay() -> None:
    assert parse_relay_error("Protocol error (Page.navigate): Cannot navigate to invalid URL") is None


@pytest.mark.parametrize(
    ("message", "found"),
    [
        (
            "Page.goto: net::ERR_NAME_NOT_RESOLVED at http://a.test/\nCall log:",
            ("ERR_NAME_NOT_RESOLVED", "http://a.test/"),
        ),
        ("net::ERR_ABORTED", ("ERR_ABORTED", None)),
        ("Page.goto: Timeout 30000ms exceeded.", None),
    ],
)
def test_the_network_error_of_a_message(message: str, found: tuple[str, str | None] | None) -> None:
    assert network_error(message) == found


def test_the_script_error_of_a_message_starts_with_its_type() -> None:
    message = "Page.wait_for_function: TypeError: Cannot read properties of null\n    at eval"
    assert script_error(message) == "TypeError: Cannot read properties of null"
    assert script_error("Page.wait_for_function: something else") is None


def test_a_message_is_shortened_to_its_reason() -> None:
    message = "\nPage.goto: it failed\nCall log:\n  - navigating"
    assert first_line(message) == "Page.goto: it failed"
    assert without_api_name(first_line(message)) == "it failed"
    assert first_line(" ") == "no reason given"
