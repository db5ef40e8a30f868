"""Guests' tools beside our own: ``<guest>__<tool>``, with the guest's schema and words, marked as a third party's.

A selection knows them too: ``-guests`` leaves all of them out, ``-news__search`` one; naming some adds only those.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic import ConfigDict

from ..approvals.words import plain
from ..errors import GuestFailed
from ..guests.context import CallContext
from ..guests.house import GuestHouse
from ..guests.manifest import GuestTool
from ..guests.store import Installed
from ..pages.ceiling import longest_fit
from .answers import Answer, Picture
from .registry import EVERYWHERE, Call, Registry, Tool
from .schema import Arguments

SEPARATOR = "__"
ALL_GUESTS = "guests"
LONGEST_DESCRIPTION = 1_000
LARGEST_PICTURE = 4 << 20


class GuestArguments(Arguments):
    """Anything: the guest's own schema is checked by whoever calls the guest."""

    model_config = ConfigDict(extra="allow", frozen=True)


@dataclass(frozen=True)
class ThirdPartyTool(Tool[GuestArguments]):
    guest_schema: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "object", **self.guest_schema}


def origin_of(client_id: str) -> str:
    return f"client:{client_id}"


class GuestRegistry(Registry):
    """Our own tools, and those of the guests that are there now."""

    def __init__(self, own: Registry, house: GuestHouse) -> None:
        super().__init__(own)
        self._own = own
        self._house = house

    def __iter__(self) -> Iterator[Tool[Any]]:
        return iter([*self._own, *self._guest_tools().values()])

    def select(self, selection: str) -> dict[str, Tool[Any]]:
        words = [word.strip() for word in selection.split(",")]
        about_guests = [word for word in words if _is_about_guests(word)]
        others = [word for word in words if word and not _is_about_guests(word)]
        own = self._own.select(",".join(others)) if others or not about_guests else {}
        named = {word for word in about_guests if not word.startswith("-")} - {ALL_GUESTS}
        removed = {word.removeprefix("-") for word in about_guests if word.startswith("-")}
        guests = {
            name: tool
            for name, tool in self._guest_tools().items()
            if (not named or name in named) and name not in removed and ALL_GUESTS not in removed
        }
        return {**own, **guests}

    def _guest_tools(self) -> dict[str, Tool[Any]]:
        tools = (_describe(self._house, guest, tool) for guest, tool in self._house.tools())
        return {tool.name: tool for tool in tools}


def _is_about_guests(word: str) -> bool:
    name = word.removeprefix("-")
    return name == ALL_GUESTS or SEPARATOR in name


def _describe(house: GuestHouse, guest: Installed, tool: GuestTool) -> ThirdPartyTool:
    async def run(call: Call, _: GuestArguments) -> Answer:
        result = await house.call(guest.name, tool, call.arguments, _context(call))
        return answer_of(guest.name, result, max_tokens=call.client.settings.tools.max_tokens)

    words = plain(tool.description)[:LONGEST_DESCRIPTION]
    return ThirdPartyTool(
        name=f"{guest.name}{SEPARATOR}{tool.name}",
        title=plain(tool.title or tool.name),
        description=f"[third-party guest {guest.name}] {words}".strip(),
        arguments=GuestArguments,
        effect="script",
        profiles=EVERYWHERE,
        handler=run,
        guest_schema=tool.schema,
    )


def _context(call: Call) -> CallContext:
    client = call.client
    return CallContext(
        origin=origin_of(client.id),
        client=client.id,
        client_name=client.name,
        tool=call.tool.name,
        tab_id=_tab_number(call),
        caller=client,
        doors=call.doors,
        approval_seconds=client.settings.policy.approval_timeout_s,
        read_only=client.settings.policy.mode == "readonly",
    )


def _tab_number(call: Call) -> int | None:
    """The client's current tab, as a number: t3 is 3."""
    sessions = call.gateway.sessions
    current = sessions.current_of(call.client)
    tab = next((one.current_tab_id for one in sessions.of(call.client) if one.id == current), None)
    return int(tab[1:]) if tab else None


def answer_of(guest: str, result: Mapping[str, Any], *, max_tokens: int) -> Answer:
    """A guest's result as one of our answers. Raises ``GuestFailed`` for one that says so, or that is none."""
    texts: list[str] = []
    pictures: list[Picture] = []
    for block in _blocks(guest, result.get("content", [])):
        kind, picture = block.get("type"), block.get("data")
        if kind == "text" and isinstance(block.get("text"), str):
            texts.append(block["text"])
        elif kind == "image" and isinstance(picture, str) and len(picture) <= LARGEST_PICTURE:
            pictures.append(Picture(_decoded(guest, picture), str(block.get("mimeType", "image/png"))))
        else:
            texts.append(json.dumps(block, ensure_ascii=False))
    if not texts and not pictures and "structuredContent" in result:
        texts.append(json.dumps(result["structuredContent"], ensure_ascii=False))
    text = "\n".join(texts)
    if result.get("isError") is True:
        raise GuestFailed(f"The guest {guest} says: {text[:2000]}", metadata={"guest": guest, "why": "answer"})
    fitting = longest_fit(text, max_tokens)
    data: dict[str, object] = {}
    if fitting < len(text):
        data["note"] = f"The guest's answer is longer than {max_tokens} tokens; {len(text) - fitting} characters left."
    return Answer(data, tuple(pictures), text=text[:fitting])


def _blocks(guest: str, content: object) -> list[dict[str, Any]]:
    if not isinstance(content, list) or not all(isinstance(block, dict) for block in cast("list[object]", content)):
        raise GuestFailed(
            f"The guest {guest} answered with something that is no tool result.",
            metadata={"guest": guest, "why": "answer"},
        )
    return cast("list[dict[str, Any]]", content)


def _decoded(guest: str, data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise GuestFailed(f"The guest {guest} answered with a picture that is none.") from None
