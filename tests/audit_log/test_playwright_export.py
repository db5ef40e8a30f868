"""The Playwright test that is exported from the audit log."""

from __future__ import annotations

from browser_pilot.audit_log.playwright_export import to_playwright_test
from browser_pilot.audit_log.reader import AuditedAction


def action(tool: str, status: str = "ok", aims: object = (), **arguments: object) -> AuditedAction:
    intent = {"kind": "intent", "tool": tool, "arguments": arguments, "tab": "t1", "aims": aims}
    return AuditedAction(1, intent, {"status": status})  # pyright: ignore[reportArgumentType]


def test_secrets_and_redacted_values_come_from_the_environment() -> None:
    aims = [{"role": "textbox", "name": "Key", "given": "e1"}]
    text = to_playwright_test(
        [
            action("browser_type", aims=aims, text="{{secret:api-key}}"),
            action("browser_type", aims=aims, text="before [redacted:password]"),
        ],
        "s",
    )
    assert 'fill(os.environ["API_KEY"])' in text
    assert """fill('before ' + os.environ["PASSWORD"])""" in text
    compile(text, "test", "exec")


def test_failed_actions_and_reads_are_left_out() -> None:
    text = to_playwright_test(
        [action("browser_snapshot"), action("browser_navigate", "error", url="https://x.test/")], "s"
    )
    assert text.endswith("    pass\n")
