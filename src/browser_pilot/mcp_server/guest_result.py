"""The result of a guest's tool, in the blocks that the guest sent: checked, bounded, and made safe for the client.

All of it is the guest's, so that nothing is fenced. Links to resources of the guest become resources of the hub
(``resources.guest_resources``), which asks the guest for them.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast
from urllib.parse import quote

import mcp_types as types

from browser_pilot.approvals.descriptions import plain_text
from browser_pilot.errors import GuestFailed
from browser_pilot.guests.argument_validation import validate_result
from browser_pilot.json_types import Json
from browser_pilot.page.snapshot.offloading import fitting_length_of
from browser_pilot.redaction.offloading import redact, redact_data
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.safe_text import cut, sanitize, sanitize_data

URI_PREFIX = "browser-pilot://guests/"
MAX_MEDIA_CHARACTERS = 4 << 20
MAX_BLOCKS = 500
MAX_ERROR_CHARACTERS = 2_000
MAX_NAME_CHARACTERS = 200
MAX_URI_CHARACTERS = 2_000
_MIME = re.compile(r"[a-z]{1,40}/[A-Za-z0-9][A-Za-z0-9.+_-]{0,80}(; ?charset=[A-Za-z0-9_-]{1,40})?")
_WEB = ("http://", "https://")


@dataclass(frozen=True)
class TextBlock:
    text: str


@dataclass(frozen=True)
class MediaBlock:
    """An image or audio; ``data`` is base64."""

    kind: Literal["image", "audio"]
    data: str
    mime: str


@dataclass(frozen=True)
class LinkBlock:
    """A resource that the client may read."""

    uri: str
    name: str
    title: str
    description: str
    mime: str | None
    size: int | None


@dataclass(frozen=True)
class ResourceBlock:
    """A resource in the result itself: text, or base64."""

    uri: str
    mime: str | None
    text: str | None
    blob: str | None


GuestBlock = TextBlock | MediaBlock | LinkBlock | ResourceBlock


@dataclass(frozen=True)
class GuestContent:
    """``structured`` is MCP's structured content."""

    blocks: tuple[GuestBlock, ...]
    structured: Mapping[str, Any] | None = None

    async def safe(self, redactor: Redactor) -> GuestContent:
        """The same, sanitized, with secrets redacted. Images are what the guest shows."""
        blocks = [await _safe(block, redactor) for block in self.blocks]
        if self.structured is None:
            return GuestContent(tuple(blocks))
        structured = await redact_data(redactor, cast("Mapping[str, Json]", sanitize_data(self.structured)))
        return GuestContent(tuple(blocks), structured)

    def to_mcp(self) -> list[types.ContentBlock]:
        return [_to_mcp(block) for block in self.blocks]


async def content_of_guest(
    guest: str, result: Mapping[str, Any], *, output_schema: Mapping[str, Any] | None, max_tokens: int
) -> tuple[GuestContent, str | None]:
    """A guest's result, and a note on what was cut. Raises ``GuestFailed`` for an error and for an invalid result."""
    blocks = _blocks(guest, result.get("content", []))
    if result.get("isError") is True:
        text = "\n".join(block.text for block in blocks if isinstance(block, TextBlock))
        raise GuestFailed(
            f"The guest {guest} returned an error: {cut(text, MAX_ERROR_CHARACTERS)}",
            metadata={"guest": guest, "why": "answer"},
        )
    structured, structured_note = await _structured(guest, result.get("structuredContent"), output_schema, max_tokens)
    if not blocks and "structuredContent" in result:
        # For clients that know only content.
        blocks = [TextBlock(json.dumps(result["structuredContent"], ensure_ascii=False))]
    texts = [_text_of(block) for block in blocks]
    total = sum(map(len, texts))
    left = await fitting_length_of("\n".join(texts), max_tokens)
    is_cut = left < total
    kept: list[GuestBlock] = []
    for block, text in zip(blocks, texts, strict=True):
        if len(text) <= left:
            kept.append(block)
        elif isinstance(block, TextBlock) and left > 0:
            kept.append(TextBlock(text[:left]))
        left = max(0, left - len(text))
    notes = [] if structured_note is None else [structured_note]
    if is_cut:
        rest = total - sum(len(_text_of(block)) for block in kept)
        notes.append(f"The guest's result is longer than {max_tokens} tokens; {rest} characters were cut off.")
    return GuestContent(tuple(kept), structured), " ".join(notes) or None


async def _structured(
    guest: str, structured: object, output_schema: Mapping[str, Any] | None, max_tokens: int
) -> tuple[Mapping[str, Any] | None, str | None]:
    """The structured content that may be returned, and a note if it was left out. Raises ``GuestFailed``."""
    if structured is None:
        if output_schema is not None:
            raise _invalid(guest, "it has no structured content, which its tool's outputSchema promises")
        return None, None
    if not isinstance(structured, dict):
        raise _invalid(guest, "its structured content is not an object")
    content = cast("dict[str, Any]", structured)
    if output_schema is not None and (problem := await validate_result(output_schema, content)) is not None:
        raise _invalid(guest, f"its structured content does not match the tool's outputSchema ({problem})")
    text = json.dumps(content, ensure_ascii=False)
    if await fitting_length_of(text, max_tokens) == len(text):
        return content, None
    if output_schema is None:
        return None, f"The guest's structured result is longer than {max_tokens} tokens and was left out."
    # Without it the result would break the promise of the schema, and part of it too.
    raise GuestFailed(
        f"The guest {guest} returned a structured result that is longer than {max_tokens} tokens.",
        suggestions=["Ask the tool for less.", "Your user can raise tools.max_tokens."],
        metadata={"guest": guest, "why": "answer"},
    )


def _blocks(guest: str, content: object) -> list[GuestBlock]:
    if not isinstance(content, list) or not all(isinstance(block, dict) for block in cast("list[object]", content)):
        raise _invalid(guest, "its content is not a list of blocks")
    given = cast("list[dict[str, Any]]", content)
    if len(given) > MAX_BLOCKS:
        raise _invalid(guest, f"it has more than {MAX_BLOCKS} blocks")
    return [_block(guest, block) for block in given]


def _block(guest: str, block: Mapping[str, Any]) -> GuestBlock:
    kind = block.get("type")
    if kind == "text" and isinstance(block.get("text"), str):
        return TextBlock(block["text"])
    if kind in ("image", "audio"):
        mime = _mime(guest, block.get("mimeType"), default="image/png" if kind == "image" else "audio/wav")
        if not mime.startswith(f"{kind}/"):
            raise _invalid(guest, f"{mime} is not the type of an {kind}" if kind == "image" else f"{mime} is no audio")
        return MediaBlock(kind, _base64(guest, block.get("data"), kind), mime)
    if kind == "resource_link" and isinstance(block.get("uri"), str):
        size = block.get("size")
        return LinkBlock(
            uri=_uri(guest, block["uri"]),
            name=_text(block.get("name")) or "resource",
            title=_text(block.get("title")),
            description=_text(block.get("description"), 1_000),
            mime=_optional_mime(guest, block.get("mimeType")),
            size=size if isinstance(size, int) and not isinstance(size, bool) and size >= 0 else None,
        )
    if kind == "resource" and isinstance(block.get("resource"), dict):
        return _resource(guest, cast("dict[str, Any]", block["resource"]))
    return TextBlock(json.dumps(block, ensure_ascii=False))


def _resource(guest: str, resource: Mapping[str, Any]) -> ResourceBlock:
    text, blob = resource.get("text"), resource.get("blob")
    if not isinstance(resource.get("uri"), str) or isinstance(text, str) == isinstance(blob, str):
        raise _invalid(guest, "an embedded resource has a uri, and either text or a blob")
    return ResourceBlock(
        uri=_uri(guest, resource["uri"]),
        mime=_optional_mime(guest, resource.get("mimeType")),
        text=text if isinstance(text, str) else None,
        blob=_base64(guest, blob, "resource") if isinstance(blob, str) else None,
    )


def guest_uri(guest: str, uri: str) -> str:
    """The hub's URI for a resource of a guest."""
    return f"{URI_PREFIX}{guest}/{quote(uri, safe='')}"


def _uri(guest: str, uri: str) -> str:
    """The web's addresses are the client's own business; all others are read through the guest."""
    if len(uri) > MAX_URI_CHARACTERS or any(character.isspace() or not character.isprintable() for character in uri):
        raise _invalid(guest, "the URI of a resource is too long, or has spaces")
    return uri if uri.lower().startswith(_WEB) else guest_uri(guest, uri)


def _base64(guest: str, data: object, what: str) -> str:
    if not isinstance(data, str) or len(data) > MAX_MEDIA_CHARACTERS:
        raise _invalid(guest, f"the data of its {what} is missing, or larger than {MAX_MEDIA_CHARACTERS >> 20} MB")
    try:
        base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise _invalid(guest, f"the data of its {what} cannot be decoded") from None
    return data


def _optional_mime(guest: str, mime: object) -> str | None:
    return None if mime is None else _mime(guest, mime, default="")


def _mime(guest: str, mime: object, *, default: str) -> str:
    if mime is None:
        return default
    if not isinstance(mime, str) or not _MIME.fullmatch(mime):
        raise _invalid(guest, f"{str(mime)[:80]!r} is not a MIME type")
    return mime


def _text(value: object, max_characters: int = MAX_NAME_CHARACTERS) -> str:
    return cut(plain_text(value[:max_characters]), max_characters) if isinstance(value, str) else ""


def _text_of(block: GuestBlock) -> str:
    """What counts for the token budget."""
    if isinstance(block, TextBlock):
        return block.text
    return (block.text or "") if isinstance(block, ResourceBlock) else ""


async def _safe(block: GuestBlock, redactor: Redactor) -> GuestBlock:
    match block:
        case TextBlock():
            return TextBlock(await redact(redactor.text, sanitize(block.text)))
        case ResourceBlock(text=str() as text):
            return replace(block, text=await redact(redactor.text, sanitize(text)))
        case LinkBlock():
            texts = {name: redactor.text(getattr(block, name)) for name in ("name", "title", "description")}
            return replace(block, uri=redactor.text(block.uri), **texts)
        case _:
            return block


def _to_mcp(block: GuestBlock) -> types.ContentBlock:
    match block:
        case TextBlock():
            return types.TextContent(type="text", text=block.text)
        case MediaBlock(kind="image"):
            return types.ImageContent(type="image", data=block.data, mime_type=block.mime)
        case MediaBlock():
            return types.AudioContent(type="audio", data=block.data, mime_type=block.mime)
        case LinkBlock():
            return types.ResourceLink(
                uri=block.uri,
                name=block.name,
                title=block.title or None,
                description=block.description or None,
                mime_type=block.mime,
                size=block.size,
            )
        case ResourceBlock(text=str() as text):
            return types.EmbeddedResource(
                type="resource",
                resource=types.TextResourceContents(uri=block.uri, mime_type=block.mime, text=text),
            )
        case ResourceBlock():
            return types.EmbeddedResource(
                type="resource",
                resource=types.BlobResourceContents(uri=block.uri, mime_type=block.mime, blob=block.blob or ""),
            )


def _invalid(guest: str, why: str) -> GuestFailed:
    return GuestFailed(
        f"The guest {guest} returned an invalid tool result: {why}.", metadata={"guest": guest, "why": "answer"}
    )
