"""Parses key names (``Enter``, ``a``, ``Control+Shift+T``) and makes the CDP key events for them. Pure."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from browser_pilot.errors import InvalidArgument

Modifier = Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]

_BITS = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}
_MAIN_MODIFIER = "Meta" if sys.platform == "darwin" else "Control"
_ALIASES = {
    "ctrl": "Control",
    "cmd": "Meta",
    "command": "Meta",
    "option": "Alt",
    "esc": "Escape",
    "return": "Enter",
    "del": "Delete",
    "ins": "Insert",
    "up": "ArrowUp",
    "down": "ArrowDown",
    "left": "ArrowLeft",
    "right": "ArrowRight",
    "spacebar": "Space",
    "controlormeta": _MAIN_MODIFIER,
}
_EDITING_KEYS = frozenset(
    "a c x v z y home end pageup pagedown arrowleft arrowright arrowup arrowdown left right up down backspace"
    " delete del tab insert ins".split()
)


@dataclass(frozen=True, slots=True)
class Key:
    """One key: ``key`` and ``code`` as in KeyboardEvent, the Windows key code, and the text that it types."""

    key: str
    code: str
    number: int
    text: str = ""
    location: int = 0


def _named() -> dict[str, Key]:
    plain = {
        "Backspace": 8, "Tab": 9, "Pause": 19, "CapsLock": 20, "Escape": 27, "PageUp": 33, "PageDown": 34, "End": 35,
        "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "PrintScreen": 44, "Insert": 45,
        "Delete": 46, "ContextMenu": 93, "NumLock": 144, "ScrollLock": 145,
    }  # fmt: skip
    keys = {name: Key(name, name, number) for name, number in plain.items()}
    keys |= {f"F{number}": Key(f"F{number}", f"F{number}", 111 + number) for number in range(1, 25)}
    keys |= {
        "Enter": Key("Enter", "Enter", 13, "\r"),
        "Space": Key(" ", "Space", 32, " "),
        "Shift": Key("Shift", "ShiftLeft", 16, location=1),
        "Control": Key("Control", "ControlLeft", 17, location=1),
        "Alt": Key("Alt", "AltLeft", 18, location=1),
        "Meta": Key("Meta", "MetaLeft", 91, location=1),
    }
    return keys


def _typed() -> dict[str, Key]:
    keys = {
        " ": Key(" ", "Space", 32, " "),
        "\n": Key("Enter", "Enter", 13, "\r"),
        "\r": Key("Enter", "Enter", 13, "\r"),
    }
    for letter in "abcdefghijklmnopqrstuvwxyz":
        code, number = f"Key{letter.upper()}", ord(letter.upper())
        keys[letter] = Key(letter, code, number, letter)
        keys[letter.upper()] = Key(letter.upper(), code, number, letter.upper())
    for digit, shifted in zip("1234567890", "!@#$%^&*()", strict=True):
        keys[digit] = Key(digit, f"Digit{digit}", ord(digit), digit)
        keys[shifted] = Key(shifted, f"Digit{digit}", ord(digit), shifted)
    signs = {
        ";:": ("Semicolon", 186), "=+": ("Equal", 187), ",<": ("Comma", 188), "-_": ("Minus", 189),
        ".>": ("Period", 190), "/?": ("Slash", 191), "`~": ("Backquote", 192), "[{": ("BracketLeft", 219),
        "\\|": ("Backslash", 220), "]}": ("BracketRight", 221), "'\"": ("Quote", 222),
    }  # fmt: skip
    for pair, (code, number) in signs.items():
        keys |= {sign: Key(sign, code, number, sign) for sign in pair}
    return keys


NAMED = _named()
TYPED = _typed()
_SHIFTED = frozenset('ABCDEFGHIJKLMNOPQRSTUVWXYZ!@#$%^&*()_+{}|:"<>?~')


@dataclass(frozen=True, slots=True)
class Chord:
    """A key with the modifiers that are held while it is pressed."""

    modifiers: tuple[str, ...]
    key: Key

    @property
    def mask(self) -> int:
        return sum(_BITS[name] for name in self.modifiers)


def modifier_mask(modifiers: Sequence[Modifier]) -> int:
    names = {_MAIN_MODIFIER if name == "ControlOrMeta" else name for name in modifiers}
    return sum(_BITS[name] for name in names)


def parse_chord(text: str) -> Chord:
    """``Control+Shift+a``, ``Enter``, ``+``: modifiers joined by plus, then one key."""
    *held, name = _parts(text)
    modifiers = [_ALIASES.get(word.lower(), word.capitalize()) for word in held]
    unknown = [word for word, modifier in zip(held, modifiers, strict=True) if modifier not in _BITS]
    key = _key(name)
    if unknown or key is None:
        wrong = unknown[0] if unknown else name
        near = difflib.get_close_matches(wrong[:40], [*NAMED, *_BITS], n=3, cutoff=0.5)
        hint = f"Did you mean {', '.join(near)}?" if near else "Keys are like Enter, Tab, ArrowDown, a, Control+a."
        raise InvalidArgument(f"There is no key {wrong[:80]!r}.", suggestions=[hint])
    if "Shift" in modifiers and len(name) == 1 and name.islower():
        key = TYPED[name.upper()]
    elif name in _SHIFTED and "Shift" not in modifiers and not modifiers:
        modifiers.append("Shift")
    return Chord(tuple(dict.fromkeys(modifiers)), key)


def activating_key(text: str) -> Literal["Enter", "Space"] | None:
    """Which of the keys that press a button this is, if any; Enter also submits the form of a field."""
    name = _parts(text)[-1].lower()
    if name in ("enter", "return", "numpadenter"):
        return "Enter"
    return "Space" if name in (" ", "space", "spacebar") else None


def is_shortcut(text: str) -> bool:
    """Whether a page may take this chord for a command: a key with Control, Alt or Meta, except for editing keys."""
    *held, name = _parts(text)
    modifiers = {_ALIASES.get(word.lower(), word.capitalize()) for word in held}
    return not modifiers.isdisjoint({"Control", "Alt", "Meta"}) and name.lower() not in _EDITING_KEYS


def needs_authorization(text: str) -> bool:
    """Whether this key can activate the element that has the focus, or submit the form around it."""
    return activating_key(text) is not None or is_shortcut(text)


def _parts(text: str) -> list[str]:
    if text == "+":
        return ["+"]
    if text.endswith("++"):
        return [*text[:-2].split("+"), "+"]
    return [part if part == " " else part.strip() for part in text.split("+")]


def _key(name: str) -> Key | None:
    if name in TYPED or name in NAMED:
        return TYPED.get(name) or NAMED[name]
    known = {key.lower(): key for key in NAMED}
    proper = _ALIASES.get(name.lower()) or known.get(name.lower())
    if proper is not None:
        return NAMED[proper]
    return Key(name, "", 0, name) if len(name) == 1 else None


def key_events(chord: Chord) -> list[dict[str, object]]:
    """The CDP events that press and release a chord; modifiers are pressed first and released last."""
    events: list[dict[str, object]] = []
    mask = 0
    for name in chord.modifiers:
        mask |= _BITS[name]
        events.append(_event("rawKeyDown", NAMED[name], mask))
    shifted_only = mask in (0, _BITS["Shift"])
    if chord.key.text and shifted_only:
        events.append(_event("keyDown", chord.key, mask) | {"text": chord.key.text, "unmodifiedText": chord.key.text})
    else:
        events.append(_event("rawKeyDown", chord.key, mask) | _editing(chord))
    events.append(_event("keyUp", chord.key, mask))
    for name in reversed(chord.modifiers):
        mask &= ~_BITS[name]
        events.append(_event("keyUp", NAMED[name], mask))
    return events


def _event(kind: str, key: Key, mask: int) -> dict[str, object]:
    return {
        "type": kind,
        "key": key.key,
        "code": key.code,
        "windowsVirtualKeyCode": key.number,
        "modifiers": mask,
        "location": key.location,
    }


def _editing(chord: Chord) -> dict[str, object]:
    """On macOS, Chromium does not handle editing shortcuts itself: they need explicit commands."""
    if sys.platform != "darwin" or chord.modifiers != ("Meta",):
        return {}
    commands = {"a": "selectAll", "c": "copy", "v": "paste", "x": "cut", "z": "undo"}
    command = commands.get(chord.key.key)
    return {"commands": [command]} if command else {}
