"""Parses ``element`` arguments into selectors, and resolves selectors to elements.

``parse_element`` turns an argument (a ref, a selector string or an object) into a ``Selector``; it is pure.
``Elements.resolve`` finds the element in the page's frames and returns its frame and ref. It raises an error with
suggestions when nothing matches (similar elements), several match (which), or the ref is stale.
"""

from __future__ import annotations

import asyncio
import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

from browser_pilot.errors import ElementAmbiguous, ElementNotFound, InvalidArgument, StaleRef, Timeout
from browser_pilot.json_types import ReadOnlyJson
from browser_pilot.page.bounded_regex import REGEX_TIMEOUT_SECONDS, regex_timeout
from browser_pilot.page.frames import MAIN, Frame
from browser_pilot.page.isolated_world import DEFAULT_TIMEOUT_MS, RemoteObject, World

_REF = re.compile(r"(?:f([1-9]\d*))?e[1-9]\d*")
# Possessive, and the spaces before the end are stripped afterwards: in linear time.
_ROLE = re.compile(r"role=(?P<role>[\w-]++)\s*+(?:\[\s*+name\s*+(?P<how>\*?=)\s*+(?P<name>.+)\])?", re.DOTALL)
_MAX_SIMILAR_SEARCHED = 400
_MAX_SIMILAR_SHOWN = 5
# Comparing is quadratic, and both texts are others'.
MAX_COMPARED_CHARACTERS = 100

ElementArgument = str | Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Selector:
    """How a caller names an element; exactly one of ref, css, text, role and xpath is set."""

    ref: str | None = None
    css: str | None = None
    text: str | None = None
    role: str | None = None
    name: str | None = None
    xpath: str | None = None
    exact: bool = False
    regex: bool = False

    def wire(self) -> dict[str, ReadOnlyJson]:
        return {key: value for key, value in asdict(self).items() if value is not None}

    def __str__(self) -> str:
        if self.role is not None:
            return self.role if self.name is None else f'{self.role} "{self.name}"'
        return next(str(v) for v in (self.ref, self.css, self.text, self.xpath) if v is not None)


@dataclass(frozen=True, slots=True)
class Element:
    """An element of the page, with its role, name and states when it was resolved."""

    frame: Frame
    ref: str
    role: str
    name: str
    states: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join(word for word in (self.ref, self.role, f'"{self.name}"' if self.name else "") if word)


def parse_element(argument: ElementArgument) -> Selector:
    """Read an ``element`` argument; raises InvalidArgument when it is empty or has two kinds of selectors."""
    if isinstance(argument, str):
        return _parse_text(argument.strip())
    known = {key: value for key, value in argument.items() if value is not None}
    kinds = [key for key in ("ref", "css", "text", "role", "xpath") if key in known]
    unknown = sorted(set(known) - {"ref", "css", "text", "role", "xpath", "name", "exact"})
    if unknown or len(kinds) != 1 or not all(isinstance(known[key], str) and known[key] for key in kinds):
        raise invalid_element(f"It has {', '.join(map(str, unknown or kinds)) or 'nothing'}.")
    name = known.get("name")
    if name is not None and (kinds != ["role"] or not isinstance(name, str)):
        raise invalid_element("A name goes with a role.")
    if kinds == ["ref"]:
        return _parse_ref(str(known["ref"]))
    return Selector(
        css=_text_of(known, "css"),
        text=_text_of(known, "text"),
        role=_text_of(known, "role"),
        name=_text_of(known, "name"),
        xpath=_text_of(known, "xpath"),
        exact=known.get("exact") is True,
    )


def is_selector(argument: ElementArgument | None) -> bool:
    """Whether the element can be looked up again; a ref or an index names one element of one document."""
    if argument is None:
        return False
    if not isinstance(argument, str):
        if set(argument) == {"x", "y"}:
            return True
        argument = {key: value for key, value in argument.items() if key != "at"}
    try:
        return parse_element(argument).ref is None
    except InvalidArgument:
        return False


def _text_of(known: Mapping[str, object], key: str) -> str | None:
    return str(known[key]) if key in known else None


def _parse_text(text: str) -> Selector:
    if not text:
        raise invalid_element("It is empty.")
    if _REF.fullmatch(text.removeprefix("@")):
        return Selector(ref=text.removeprefix("@"))
    if text.startswith("text="):
        wanted, exact, regex = _parse_wanted(text.removeprefix("text="))
        return Selector(text=wanted, exact=exact, regex=regex)
    if text.startswith("role="):
        match = _ROLE.fullmatch(text)
        if match is None:
            raise invalid_element('A role is written role=button or role=button[name="Save"].')
        if match["name"] is None:
            return Selector(role=match["role"])
        wanted, exact, regex = _parse_wanted(match["name"].rstrip())
        return Selector(role=match["role"], name=wanted, exact=exact and match["how"] == "=", regex=regex)
    if text.startswith(("xpath=", "//")):
        return Selector(xpath=text.removeprefix("xpath="))
    return Selector(css=text.removeprefix("css="))


def _parse_ref(text: str) -> Selector:
    if not _REF.fullmatch(text):
        raise invalid_element(f"{text!r} is not a ref such as e12 or f2e4.")
    return Selector(ref=text)


def _parse_wanted(text: str) -> tuple[str, bool, bool]:
    """A text to look for, and whether it must match exactly (in quotes) or is a regular expression (in slashes)."""
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1], True, False
    if len(text) > 2 and text[0] == text[-1] == "/":
        return text[1:-1], False, True
    return text, False, False


def invalid_element(reason: str) -> InvalidArgument:
    return InvalidArgument(
        f"The element cannot be read. {reason.rstrip('.')}.",
        suggestions=('Give a ref ("e12"), a CSS selector, text=…, role=button[name="Save"], or {role, name}.',),
    )


class Elements:
    """Resolves selectors on one page."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def resolve(self, selector: Selector, *, timeout_ms: int = DEFAULT_TIMEOUT_MS) -> Element:
        """The one element that matches; raises when none or several do."""
        if selector.ref is not None:
            return await self._resolve_ref(selector.ref, timeout_ms)
        found, count = await self.match(selector, timeout_ms=timeout_ms)
        if count == 1:
            return found[0]
        if count:
            raise ElementAmbiguous(
                f"{count} elements match {selector}.",
                suggestions=[f"Use the ref of the one you mean: {element}" for element in found],
                metadata={"count": count},
            )
        similar = await self._similar(selector, timeout_ms)
        raise ElementNotFound(
            f"No element matches {selector}.",
            suggestions=[f"Did you mean {element}?" for element in similar]
            or ["Take a snapshot to see what is there."],
        )

    async def match(self, selector: Selector, *, timeout_ms: int = DEFAULT_TIMEOUT_MS) -> tuple[list[Element], int]:
        """The first few elements that match, in all frames, and how many there are."""
        replies = await self._replies(selector, timeout_ms)
        found: list[Element] = []
        count = 0
        for frame, response in replies:
            reply = cast("dict[str, Any]", response)
            if "invalid" in reply:
                raise invalid_element(str(reply["invalid"]))
            self._world.note_refs_used(frame, reply["lastRef"])
            count += reply["count"]
            found += [_element(frame, row) for row in reply["candidates"]]
        return found, count

    async def _replies(self, selector: Selector, timeout_ms: int) -> list[tuple[Frame, object]]:
        """A regular expression that takes too long in the page is ended there, which keeps the page."""
        if not selector.regex:
            return await self._world.call_everywhere("resolveSelector", selector.wire(), timeout_ms=timeout_ms)
        timeout_ms = min(timeout_ms, int(REGEX_TIMEOUT_SECONDS * 1000))
        try:
            return await self._world.call_everywhere("resolveSelector", selector.wire(), timeout_ms=timeout_ms)
        except (Timeout, asyncio.CancelledError) as error:
            await self._world.terminate_scripts(self._world.frames.known())
            if isinstance(error, asyncio.CancelledError):
                raise
            raise regex_timeout() from None

    async def handle(self, element: Element, *, timeout_ms: int = DEFAULT_TIMEOUT_MS) -> RemoteObject:
        """A CDP handle on the element, for commands such as DOM.setFileInputFiles."""
        remote = await self._world.call_for_object(element.frame, "elementOf", element.ref, timeout_ms=timeout_ms)
        if remote is None:
            raise StaleRef(f"{element} is no longer on the page.", suggestions=("Take a new snapshot.",))
        return remote

    async def _resolve_ref(self, ref: str, timeout_ms: int) -> Element:
        number = _REF.fullmatch(ref)
        frames = await self._world.live_frames(timeout_ms=timeout_ms)
        wanted = int(number[1]) if number and number[1] else MAIN
        frame = next((frame for frame in frames if frame.number == wanted), None)
        if frame is None:
            raise StaleRef(f"The frame of {ref} is no longer on the page.", suggestions=("Take a new snapshot.",))
        reply = cast(
            "dict[str, Any]",
            await self._world.call(frame, "resolveSelector", {"ref": ref}, repeatable=True, timeout_ms=timeout_ms),
        )
        similar = [_element(frame, row) for row in reply["candidates"]]
        if reply["count"]:
            return similar[0]
        self._world.note_refs_used(frame, reply["lastRef"])
        if reply["was"] is None:
            raise StaleRef(
                f"{ref} is not an element of the page as it is now.",
                suggestions=("Take a new snapshot: the page is another one, or the ref was never given.",),
            )
        role, name = reply["was"]
        raise StaleRef(
            f'{ref} was {role} "{name}" and is no longer on the page.',
            suggestions=[f"A similar element exists now: {element}" for element in similar] or ["Take a new snapshot."],
        )

    async def _similar(self, selector: Selector, timeout_ms: int) -> list[Element]:
        """The elements most similar to a selector that matched nothing, best first."""
        wanted = (selector.name or selector.text or selector.role or "")[:MAX_COMPARED_CHARACTERS].lower()
        if not wanted:
            return []
        replies = await self._world.call_everywhere("actionableElements", _MAX_SIMILAR_SEARCHED, timeout_ms=timeout_ms)
        scored: list[tuple[float, Element]] = []
        for frame, response in replies:
            reply = cast("dict[str, Any]", response)
            self._world.note_refs_used(frame, reply["lastRef"])
            for row in reply["rows"]:
                element = _element(frame, row)
                await asyncio.sleep(0)
                scored.append((_similarity(selector, wanted, element), element))
        best = sorted((pair for pair in scored if pair[0] > 0.4), key=lambda pair: -pair[0])
        return [element for _, element in best[:_MAX_SIMILAR_SHOWN]]


def _similarity(selector: Selector, wanted: str, element: Element) -> float:
    """From 0 to 1.25: how similar an element is to the selector."""
    name = element.name[:MAX_COMPARED_CHARACTERS].lower()
    same_role = 0.25 if selector.role == element.role else 0.0
    if selector.role and not selector.name:
        return difflib.SequenceMatcher(None, wanted, element.role).ratio()
    if not name:
        return 0.0
    wanted_words = set(wanted.split())
    shared = len(wanted_words & set(name.split())) / len(wanted_words)
    return max(difflib.SequenceMatcher(None, wanted, name).ratio(), shared * 0.9) + same_role


def _element(frame: Frame, row: Sequence[Any]) -> Element:
    ref, role, name, states = row
    return Element(frame, ref, role, name, tuple(states))
