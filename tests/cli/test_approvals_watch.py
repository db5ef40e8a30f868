"""The live view in a terminal: what it shows, and that a key answers only the question that it was meant for."""

from __future__ import annotations

from rich.console import Console

from browser_pilot.cli.approvals import ShownQuestion
from browser_pilot.cli.watch import SETTLE_SECONDS, ShownAnswer, ShownEvent, View

ALL = ["once", "session", "always", "deny", "block"]


def question(question_id: str = "abc234", **changes: object) -> ShownQuestion:
    shown = {
        "id": question_id,
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
        "choices": ALL,
        "expires_at": 1060.0,
    }
    return ShownQuestion.model_validate({**shown, **changes})


def asked(one: ShownQuestion) -> ShownEvent:
    return ShownEvent(event="asked", question=one)


def shown(view: View, now: float = 100.0) -> str:
    console = Console(width=100, force_terminal=False)
    with console.capture() as capture:
        console.print(view.render(now, 1012.0))
    return capture.get()


def view_with(*questions: ShownQuestion, at: float = 0.0) -> View:
    view = View()
    view.connect(True, at)
    for one in questions:
        view.take(asked(one), at)
    return view


def test_the_question_is_the_largest_thing() -> None:
    text = shown(view_with(question(steps=["Email: a", "Name: b"])))
    for part in (
        "Needs you",
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


def test_only_the_answers_that_are_possible_are_offered() -> None:
    text = shown(view_with(question(about="site", what="Use shop.example", choices=["session", "always", "deny"])))
    assert "allow once" not in text
    assert "block" not in text
    assert "Use shop.example on" not in text


def test_each_key_is_its_answer() -> None:
    view = view_with(question())
    assert [view.press(key, 10.0) for key in "aswdb"] == [("abc234", choice) for choice in ALL]
    assert view.press("x", 10.0) is None
    assert view.press("\x1b", 10.0) is None


def test_a_key_for_the_question_before_does_not_answer_this_one() -> None:
    view = view_with(question("first"), question("second"))
    assert view.press("a", 10.0) == ("first", "once")
    view.take(
        ShownEvent(event="answered", question=question("first"), answer=ShownAnswer(choice="deny", door="x")), 10.0
    )
    assert view.press("a", 10.0 + SETTLE_SECONDS / 2) is None
    assert view.press("a", 10.1 + SETTLE_SECONDS) == ("second", "once")


def test_a_later_question_does_not_push_the_shown_one_away() -> None:
    view = view_with(question("first"))
    view.take(asked(question("second")), 50.0)
    assert view.press("d", 50.0) == ("first", "deny")
    assert "and 1 more" in shown(view)


def test_a_site_is_allowed_for_the_session() -> None:
    view = view_with(question(about="site", choices=["session", "always", "deny", "block"]))
    assert view.press("a", 10.0) == ("abc234", "session")


def test_what_cannot_be_chosen_has_no_key() -> None:
    view = view_with(question(choices=["once", "session", "deny"]))
    assert view.press("w", 10.0) is None
    assert view.press("b", 10.0) is None


def test_how_questions_ended_stays_in_sight() -> None:
    view = view_with(question())
    view.take(ShownEvent(event="expired", question=question()), 10.0)
    text = shown(view)
    assert "Nothing waits" in text
    assert "expired" in text


def test_a_lost_hub_is_told_and_its_questions_are_gone() -> None:
    view = view_with(question())
    view.connect(False, 10.0)
    assert "No hub is running" in shown(view)
    assert view.press("a", 100.0) is None
