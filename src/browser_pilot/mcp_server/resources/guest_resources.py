"""Resources that guests' results link to (``browser-pilot://guests/news/archive%3A%2F%2F1``), read from the guest.

Nothing is listed: a guest's link is in its result. Each client reads through its own process of the guest.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import Any, cast
from urllib.parse import unquote

import mcp_types as types
from mcp.shared.exceptions import MCPError

from browser_pilot.errors import PilotError
from browser_pilot.guests.call_context import CallContext
from browser_pilot.guests.manager import GuestManager
from browser_pilot.mcp_server.guest_result import URI_PREFIX
from browser_pilot.redaction.offloading import redact
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.safe_text import sanitize
from browser_pilot.sessions.client import Client

from .resource_registry import ResourceContent, ResourceNotFound

MAX_RESOURCE_CHARACTERS = 4 << 20


class GuestResources:
    """``context_of`` makes the context of a request by a client."""

    def __init__(self, guests: GuestManager, redactor: Redactor, context_of: Callable[[Client], CallContext]) -> None:
        self._guests = guests
        self._redactor = redactor
        self._context_of = context_of

    @property
    def templates(self) -> Sequence[types.ResourceTemplate]:
        return [
            types.ResourceTemplate(
                name="guest resource",
                uri_template=f"{URI_PREFIX}{{guest}}/{{uri}}",
                description="A resource that a guest's tool result links to.",
            )
        ]

    def list(self, client: Client) -> Sequence[types.Resource]:
        return []

    async def read(self, client: Client, uri: str) -> ResourceContent:
        name, _, quoted = uri.removeprefix(URI_PREFIX).partition("/")
        if not uri.startswith(URI_PREFIX) or not quoted:
            raise ResourceNotFound
        try:
            result = await self._guests.read_resource(name, unquote(quoted), self._context_of(client))
        except PilotError as error:
            raise MCPError(types.INVALID_PARAMS, error.message) from None
        return await self._content(name, result.get("contents"))

    async def _content(self, guest: str, contents: object) -> ResourceContent:
        first: Any = cast("Sequence[object]", contents)[0] if isinstance(contents, list) and contents else None
        given = cast("dict[str, object]", first) if isinstance(first, dict) else {}
        mime, text, blob = given.get("mimeType"), given.get("text"), given.get("blob")
        kind = mime if isinstance(mime, str) and mime.isprintable() and len(mime) <= 100 else None
        if isinstance(text, str) and len(text) <= MAX_RESOURCE_CHARACTERS:
            return ResourceContent(await redact(self._redactor.text, sanitize(text)), kind or "text/plain")
        if isinstance(blob, str) and len(blob) <= MAX_RESOURCE_CHARACTERS:
            try:
                return ResourceContent(base64.b64decode(blob, validate=True), kind or "application/octet-stream")
            except (binascii.Error, ValueError):
                pass
        raise MCPError(types.INVALID_PARAMS, f"The guest {guest} returned no contents that can be used.")
