"""How much of a page a snapshot contains."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bench.coverage import make_reference


def test_a_snapshot_with_all_words_and_names_is_complete() -> None:
    reference = make_reference("Hello, big world", ["Sign in", "Buy now!"])
    snapshot = '- heading "hello big world"\n- link "Sign in" [ref=e1]\n- button "buy now"'
    assert (reference.words_kept(snapshot), reference.controls_kept(snapshot)) == (1.0, 1.0)


def test_missing_words_and_names_lower_the_share() -> None:
    reference = make_reference("one two three four", ["Sign in", "Buy now"])
    assert reference.words_kept("one two") == 0.5
    assert reference.controls_kept("sign out, sign in") == 0.5


def test_a_name_does_not_match_inside_a_word() -> None:
    assert make_reference("", ["log"]).controls_kept("the blog is a logbook") == 0.0


def test_controls_without_a_name_are_ignored() -> None:
    assert make_reference("", ["", "  "]).controls_kept("") == 1.0


@given(st.text())
def test_the_text_of_a_page_covers_the_page(text: str) -> None:
    reference = make_reference(text, text.splitlines())
    assert reference.words_kept(text) == 1.0
    assert reference.controls_kept(text) == 1.0
