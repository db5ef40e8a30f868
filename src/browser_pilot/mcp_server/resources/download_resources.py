"""Downloads as a client sees them: the answer of a call, and resources such as ``browser-pilot://downloads/d3``."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import mcp_types as types
from mcp.shared.exceptions import MCPError

from browser_pilot.files.file_types import MAGIC_BYTES, image_mime
from browser_pilot.files.file_writer import SavedFile
from browser_pilot.mcp_server.tool_registry import ToolRegistry
from browser_pilot.mcp_server.tool_result import ImageData, ResourceLinkData, ToolResult
from browser_pilot.page.downloads.transfers import DownloadList, Transfer
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.sessions.client import Client

from .resource_registry import Content, NoResource, Resources

TOOL = "browser_download"
# What is worth showing at once, and what can be passed on at all: the file itself is on the disk.
LARGEST_PICTURE = 512 * 1024
LARGEST_CONTENT = 8 << 20
_URI = re.compile(r"browser-pilot://downloads/(d\d+)")
_TEXTS = ("text/", "application/json", "application/xml", "application/yaml", "image/svg+xml")


def transfer_result(transfer: Transfer) -> ToolResult:
    """How a download stands, and what was saved; small pictures can be seen at once."""
    saved = transfer.saved
    if saved is None:
        total = {} if transfer.total is None else {"total": transfer.total}
        data = {"state": transfer.state, "received": transfer.received, **total, "source": transfer.source}
        return ToolResult({**data, "download_id": transfer.id})
    mime = _mime(transfer)
    picture = _picture(saved)
    return ToolResult(
        {
            "success": True,
            "filename": saved.path.name,
            "path": str(saved.path),
            "size": saved.size,
            "mime": mime,
            "sha256": saved.sha256,
            "source": transfer.source,
            "download_id": transfer.id,
        },
        images=() if picture is None else (picture,),
        links=(ResourceLinkData(_uri(transfer), saved.path.name, mime, saved.size),),
    )


class DownloadFiles:
    """What each client has saved, as resources. Knows of them by their shelves; holds none."""

    def __init__(
        self,
        resources: Resources,
        registry: ToolRegistry,
        shelf_of: Callable[[Client], DownloadList],
        redactor: Redactor,
    ) -> None:
        self._resources = resources
        self._registry = registry
        self._shelf_of = shelf_of
        self._redactor = redactor

    @property
    def templates(self) -> Sequence[types.ResourceTemplate]:
        uri = "browser-pilot://downloads/{id}"
        return [types.ResourceTemplate(name="download", title="A file that was downloaded", uri_template=uri)]

    def list(self, client: Client) -> Sequence[types.Resource]:
        return [
            types.Resource(
                name=transfer.filename,
                title=f"Download {transfer.id}: {transfer.filename}",
                uri=_uri(transfer),
                mime_type=_mime(transfer),
                size=transfer.saved.size,
            )
            for transfer in self._shelf(client)
            if transfer.saved is not None
        ]

    async def read(self, client: Client, uri: str) -> Content:
        found = _URI.fullmatch(uri)
        transfer = next((one for one in self._shelf(client) if found and one.id == found[1]), None)
        if transfer is None or transfer.saved is None:
            raise NoResource(uri)
        saved, mime = transfer.saved, _mime(transfer)
        if saved.size > LARGEST_CONTENT:
            raise MCPError(types.INVALID_REQUEST, f"{saved.size:,} bytes are too much to read here: see {saved.path}.")
        try:
            data = await asyncio.to_thread(saved.path.read_bytes)
        except OSError:
            raise MCPError(types.INVALID_REQUEST, f"{saved.path} is not there any more.") from None
        if mime.startswith(_TEXTS):
            text = data.decode(errors="replace")
            return Content(self._redactor.body(text, content_type=mime), mime)
        return Content(data, image_mime(data[:MAGIC_BYTES]) or mime)

    def note(self, client: Client, transfer: Transfer) -> None:
        """A download has come to its end."""
        if transfer.saved is not None:
            self._resources.list_changed(client)

    def _shelf(self, client: Client) -> Sequence[Transfer]:
        chosen = self._registry.select(client.settings.tools.profile)
        return list(self._shelf_of(client)) if TOOL in chosen else []


def _uri(transfer: Transfer) -> str:
    return f"browser-pilot://downloads/{transfer.id}"


def _mime(transfer: Transfer) -> str:
    return transfer.kind.mime if transfer.kind is not None else "application/octet-stream"


def _picture(saved: SavedFile) -> ImageData | None:
    if saved.size > LARGEST_PICTURE:
        return None
    data = _beginning_of(saved.path, LARGEST_PICTURE)
    mime = image_mime(data[:MAGIC_BYTES])
    return None if mime is None else ImageData(data, mime)


def _beginning_of(path: Path, most: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(most)
    except OSError:
        return b""
