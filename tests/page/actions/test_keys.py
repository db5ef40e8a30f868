"""Key names become CDP events, and each pressed modifier is released."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.errors import InvalidArgument
from browser_pilot.page.actions.keys import NAMED, TYPED, is_shortcut, key_events, parse_chord

MODIFIERS = st.lists(st.sampled_from(["Alt", "Control", "Meta", "Shift", "ctrl", "cmd", "ControlOrMeta"]), max_size=4)


@given(MODIFIERS, st.sampled_from([*NAMED, *(key for key in TYPED if key not in "\r\n")]))
def test_every_pressed_key_and_modifier_is_released(held: list[str], key: str) -> None:
    events = key_events(parse_chord("+".join([*held, key])))
    down = [event["code"] for event in events if event["type"] != "keyUp"]
    up = [event["code"] for event in events if event["type"] == "keyUp"]
    assert sorted(map(str, down)) == sorted(map(str, up))
    assert events[-1]["modifiers"] == 0


@pytest.mark.parametrize(
    ("text", "modifiers", "key"),
    [
        ("Enter", (), "Enter"),
        ("enter", (), "Enter"),
        ("esc", (), "Escape"),
        ("a", (), "a"),
        ("A", ("Shift",), "A"),
        ("Shift+a", ("Shift",), "A"),
        ("Control+a", ("Control",), "a"),
        ("ctrl+shift+T", ("Control", "Shift"), "T"),
        ("+", ("Shift",), "+"),
        ("Control++", ("Control",), "+"),
        ("Space", (), " "),
        ("é", (), "é"),
        ("F12", (), "F12"),
    ],
)
def test_common_spellings_of_keys_are_parsed(text: str, modifiers: tuple[str, ...], key: str) -> None:
    chord = parse_chord(text)
    assert (chord.modifiers, chord.key.key) == (modifiers, key)


def test_only_keys_without_command_modifiers_type_text() -> None:
    assert any("text" in event for event in key_events(parse_chord("Shift+a")))
    assert not any("text" in event for event in key_events(parse_chord("Control+a")))


@pytest.mark.parametrize("text", ["", "Entr", "Hyper+a", "Control+", "ab"])
def test_an_invalid_key_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument):
        parse_chord(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Control+Enter", True),
        ("ctrl+s", True),
        ("Alt+p", True),
        ("Meta+Shift+Enter", True),
        ("Enter", False),
        ("Shift+a", False),
        ("Control+a", False),
        ("Control+ArrowLeft", False),
    ],
)
def test_chords_that_a_page_may_take_for_a_command_are_shortcuts(text: str, expected: bool) -> None:
    assert is_shortcut(text) is expected
