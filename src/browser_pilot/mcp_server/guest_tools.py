"""The tools of guests beside our own: ``<guest>__<tool>``, with the guest's schema and texts, marked as third-party.

A selection includes them: ``-guests`` removes all of them, ``-news__search`` one; naming some adds only those.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic import ConfigDict

from browser_pilot.approvals.descriptions import plain_text
from browser_pilot.errors import GuestFailed
from browser_pilot.guests.call_context import CallContext
from browser_pilot.guests.guest_store import InstalledGuest
from browser_pilot.guests.manager import GuestManager
from browser_pilot.guests.manifest import GuestTool
from browser_pilot.page.snapshot.offloading import fitting_length_of

from .tool_registry import EVERYWHERE, CallRequest, Tool, ToolRegistry
from .tool_result import ImageData, ToolResult
from .tool_schema import Arguments

SEPARATOR = "__"
ALL_GUESTS = "guests"
MAX_DESCRIPTION_CHARACTERS = 1_000
MAX_IMAGE_CHARACTERS = 4 << 20


class GuestArguments(Arguments):
    """Anything: the guest manager validates them against the guest's schema."""

    model_config = ConfigDict(extra="allow", frozen=True)


@dataclass(frozen=True)
class ThirdPartyTool(Tool[GuestArguments]):
    guest_schema: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "object", **self.guest_schema}


def origin_of(client_id: str) -> str:
    return f"client:{client_id}"


class GuestRegistry(ToolRegistry):
    """Our own tools, and those of the enabled guests."""

    def __init__(self, own: ToolRegistry, guests: GuestManager) -> None:
        super().__init__(own)
        self._own = own
        self._guests = guests

    def __iter__(self) -> Iterator[Tool[Any]]:
        return iter([*self._own, *self._guest_tools().values()])

    def select(self, selection: str) -> dict[str, Tool[Any]]:
        selected = [word.strip() for word in selection.split(",")]
        about_guests = [word for word in selected if _is_about_guests(word)]
        others = [word for word in selected if word and not _is_about_guests(word)]
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
        tools = (_describe(self._guests, guest, tool) for guest, tool in self._guests.tools())
        return {tool.name: tool for tool in tools}


def _is_about_guests(word: str) -> bool:
    name = word.removeprefix("-")
    return name == ALL_GUESTS or SEPARATOR in name


def _describe(guests: GuestManager, guest: InstalledGuest, tool: GuestTool) -> ThirdPartyTool:
    async def run(request: CallRequest, _: GuestArguments) -> ToolResult:
        result = await guests.call(guest.name, tool, request.arguments, _context(request))
        return await result_of_guest(guest.name, result, max_tokens=request.client.settings.tools.max_tokens)

    description = plain_text(tool.description)[:MAX_DESCRIPTION_CHARACTERS]
    return ThirdPartyTool(
        name=f"{guest.name}{SEPARATOR}{tool.name}",
        title=plain_text(tool.title or tool.name),
        description=f"[third-party guest {guest.name}] {description}".strip(),
        arguments=GuestArguments,
        effect="script",
        profiles=EVERYWHERE,
        handler=run,
        guest_schema=tool.schema,
    )


def _context(request: CallRequest) -> CallContext:
    client = request.client
    return CallContext(
        origin=origin_of(client.id),
        client=client.id,
        client_name=client.name,
        tool=request.tool.name,
        tab_id=_tab_number(request),
        caller=client,
        approval_channels=request.channels,
        approval_timeout_seconds=client.settings.policy.approval_timeout_s,
        read_only=client.settings.policy.mode == "readonly",
    )


def _tab_number(request: CallRequest) -> int | None:
    """The client's current tab, as a number: t3 is 3."""
    sessions = request.gateway.sessions
    current = sessions.current_of(request.client)
    tab = next((one.current_tab_id for one in sessions.of(request.client) if one.id == current), None)
    return int(tab[1:]) if tab else None


async def result_of_guest(guest: str, result: Mapping[str, Any], *, max_tokens: int) -> ToolResult:
    """Convert a guest's result. Raises ``GuestFailed`` for an error result and for an invalid one."""
    texts: list[str] = []
    images: list[ImageData] = []
    for block in _blocks(guest, result.get("content", [])):
        kind, image = block.get("type"), block.get("data")
        if kind == "text" and isinstance(block.get("text"), str):
            texts.append(block["text"])
        elif kind == "image" and isinstance(image, str) and len(image) <= MAX_IMAGE_CHARACTERS:
            images.append(ImageData(_decoded(guest, image), str(block.get("mimeType", "image/png"))))
        else:
            texts.append(json.dumps(block, ensure_ascii=False))
    if not texts and not images and "structuredContent" in result:
        texts.append(json.dumps(result["structuredContent"], ensure_ascii=False))
    text = "\n".join(texts)
    if result.get("isError") is True:
        raise GuestFailed(
            f"The guest {guest} returned an error: {text[:2000]}", metadata={"guest": guest, "why": "answer"}
        )
    fitting = await fitting_length_of(text, max_tokens)
    data: dict[str, object] = {}
    if fitting < len(text):
        data["note"] = (
            f"The guest's result is longer than {max_tokens} tokens; {len(text) - fitting} characters were cut off."
        )
    return ToolResult(data, tuple(images), text=text[:fitting])


def _blocks(guest: str, content: object) -> list[dict[str, Any]]:
    if not isinstance(content, list) or not all(isinstance(block, dict) for block in cast("list[object]", content)):
        raise GuestFailed(
            f"The guest {guest} returned an invalid tool result.",
            metadata={"guest": guest, "why": "answer"},
        )
    return cast("list[dict[str, Any]]", content)


def _decoded(guest: str, data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise GuestFailed(f"The guest {guest} returned an image that cannot be decoded.") from None
