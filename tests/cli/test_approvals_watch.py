"""The view of `approvals --watch`: what it shows, and that a key decides only the approval that it was meant for."""

from __future__ import annotations

from rich.console import Console

from browser_pilot.cli.approvals_watch import KEY_GUARD_SECONDS, ApprovalsView, ShownDecision, ShownEvent
from browser_pilot.cli.commands.approvals import ShownApproval

ALL_CHOICES = ["once", "session", "always", "deny", "block"]


def approval(approval_id: str = "abc234", **changes: object) -> ShownApproval:
    shown = {
        "id": approval_id,
        "client_name": "Claude",
        "tool": "browser_click",
        "what": "Click “Pay now”",
        "site": "shop.example",
        "values": {"amount": "49.00 EUR"},
        "steps": [],
        "about": "action",
        "risk": "high",
        "reason": "It may pay for something.",
        "rule": "policy.ask_from",
        "choices": ALL_CHOICES,
        "expires_at": 1060.0,
    }
    return ShownApproval.model_validate({**shown, **changes})


def asked(one: ShownApproval) -> ShownEvent:
    return ShownEvent(event="asked", question=one)


def shown(view: ApprovalsView, now: float = 100.0) -> str:
    console = Console(width=100, force_terminal=False)
    with console.capture() as capture:
        console.print(view.render(now, 1012.0))
    return capture.get()


def view_with(*approvals: ShownApproval, at: float = 0.0) -> ApprovalsView:
    view = ApprovalsView()
    view.set_connected(True, at)
    for one in approvals:
        view.apply(asked(one), at)
    return view


def test_all_details_of_the_approval_are_shown() -> None:
    text = shown(view_with(approval(steps=["Email: a", "Name: b"])))
    for part in (
        "Approval needed",
        "Click “Pay now” on shop.example",
        "HIGH RISK",
        "amount: 49.00 EUR",
        "1. Email: a",
        "It may pay for something.",
        "Claude",
        "48 s",
        "allow once",
        "deny and block",
    ):
        assert part in text


def test_the_form_its_receiver_and_what_changed_are_shown() -> None:
    text = shown(
        view_with(
            approval(
                values={},
                receiver="evil.example/pay",
                receiver_is_other_site=True,
                form={"to": "Bob"},
                amount="999 EUR",
                changes=["amount: 1 EUR → 999 EUR"],
                always_label="Always allow all actions",
                undo_always="browser-pilot policy forget shop.example",
            )
        )
    )
    assert "Changed since you agreed: amount: 1 EUR → 999 EUR" in text
    assert "Sends a form to ANOTHER SITE: evil.example/pay" in text
    assert "Always allow all actions" in text
    assert "policy forget shop.example" in text


def test_only_the_available_choices_are_shown() -> None:
    text = shown(view_with(approval(about="site", what="Use shop.example", choices=["session", "always", "deny"])))
    assert "allow once" not in text
    assert "block" not in text
    assert "Use shop.example on" not in text


def test_each_key_has_its_choice() -> None:
    view = view_with(approval())
    assert [view.decision_for_key(key, 10.0) for key in "aswdb"] == [("abc234", choice) for choice in ALL_CHOICES]
    assert view.decision_for_key("x", 10.0) is None
    assert view.decision_for_key("\x1b", 10.0) is None


def test_a_key_for_the_previous_approval_does_not_decide_the_next_one() -> None:
    view = view_with(approval("first"), approval("second"))
    assert view.decision_for_key("a", 10.0) == ("first", "once")
    view.apply(
        ShownEvent(event="answered", question=approval("first"), answer=ShownDecision(choice="deny", door="x")), 10.0
    )
    assert view.decision_for_key("a", 10.0 + KEY_GUARD_SECONDS / 2) is None
    assert view.decision_for_key("a", 10.1 + KEY_GUARD_SECONDS) == ("second", "once")


def test_a_later_approval_does_not_replace_the_shown_one() -> None:
    view = view_with(approval("first"))
    view.apply(asked(approval("second")), 50.0)
    assert view.decision_for_key("d", 50.0) == ("first", "deny")
    assert "and 1 more" in shown(view)


def test_a_site_is_allowed_for_the_session() -> None:
    view = view_with(approval(about="site", choices=["session", "always", "deny", "block"]))
    assert view.decision_for_key("a", 10.0) == ("abc234", "session")


def test_an_unavailable_choice_has_no_key() -> None:
    view = view_with(approval(choices=["once", "session", "deny"]))
    assert view.decision_for_key("w", 10.0) is None
    assert view.decision_for_key("b", 10.0) is None


def test_a_long_value_is_shown_in_pages_and_allowed_only_after_all_were_shown() -> None:
    words = [f"word{number}" for number in range(400)]
    view = view_with(approval(values={"text": " ".join(words)}))
    seen = ""
    for _ in range(1_000):
        seen += shown(view)
        if words[-1] in seen:
            break
        assert view.decision_for_key("a", 10.0) is view.decision_for_key("w", 10.0) is None
        assert view.decision_for_key("d", 10.0) == ("abc234", "deny")
        view.turn_page("n")
    assert all(word in seen for word in words)
    assert view.decision_for_key("a", 10.0) == ("abc234", "once")
    view.turn_page("p")
    view.turn_page("x")
    assert view.decision_for_key("a", 10.0) == ("abc234", "once")


def test_pages_are_read_anew_for_each_approval() -> None:
    long = {"text": "x" * 5_000}
    view = view_with(approval("first", values=long), approval("second", values=long))
    for _ in range(100):
        view.turn_page("n")
    view.apply(
        ShownEvent(event="answered", question=approval("first"), answer=ShownDecision(choice="deny", door="x")), 10.0
    )
    assert view.decision_for_key("a", 100.0) is None


def test_ended_approvals_stay_visible() -> None:
    view = view_with(approval())
    view.apply(ShownEvent(event="expired", question=approval()), 10.0)
    text = shown(view)
    assert "No approvals are pending" in text
    assert "expired" in text


def test_a_disconnect_is_shown_and_clears_the_approvals() -> None:
    view = view_with(approval())
    view.set_connected(False, 10.0)
    assert "No hub is running" in shown(view)
    assert view.decision_for_key("a", 100.0) is None
