"""Downloads in the protocol: the tool result of a download, and resources such as ``browser-pilot://downloads/d3``."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import mcp_types as types
from mcp.shared.exceptions import MCPError

from browser_pilot.files.file_types import MAGIC_BYTES, image_mime
from browser_pilot.files.file_writer import SavedFile
from browser_pilot.mcp_server.tool_registry import ToolRegistry
from browser_pilot.mcp_server.tool_result import ImageData, ResourceLinkData, ToolResult
from browser_pilot.page.downloads.transfers import DownloadList, Transfer
from browser_pilot.redaction.offloading import redact_body
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.sessions.client import Client

from .resource_registry import ResourceContent, ResourceNotFound, ResourceRegistry

TOOL = "browser_download"
# Larger images are not part of the tool result, and larger files cannot be read as a resource: the client has the path.
MAX_INLINE_IMAGE_BYTES = 512 * 1024
MAX_RESOURCE_BYTES = 8 << 20
_URI = re.compile(r"browser-pilot://downloads/(d\d+)")
_TEXT_TYPES = ("text/", "application/json", "application/xml", "application/yaml", "image/svg+xml")


def transfer_result(transfer: Transfer, *, kept_days: int | None = None) -> ToolResult:
    """The state of a download, or the saved file; a small image is included.

    ``kept_days``: when the file is removed, if it is in a folder that is cleaned up.
    """
    saved = transfer.saved
    note = {"note": transfer.note} if transfer.note else {}
    if saved is None:
        total = {} if transfer.total is None else {"total": transfer.total}
        data = {"state": transfer.state, "received": transfer.received, **total, "source": transfer.source}
        return ToolResult({**data, "download_id": transfer.id, **note})
    mime = _mime(transfer)
    image = _image(saved)
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
            **({} if kept_days is None else {"kept_days": kept_days}),
            **note,
        },
        images=() if image is None else (image,),
        links=(ResourceLinkData(_uri(transfer), saved.path.name, mime, saved.size),),
    )


def list_result(transfers: Iterable[Transfer]) -> ToolResult:
    """All downloads, one row each."""
    rows = [
        {
            "id": transfer.id,
            "state": transfer.state,
            "filename": transfer.filename,
            "received": transfer.received if transfer.saved is None else transfer.saved.size,
            "source": transfer.source,
        }
        for transfer in transfers
    ]
    return ToolResult({"downloads": rows})


class DownloadResources:
    """The saved files of each client as resources. Reads the clients' download lists; holds none."""

    def __init__(
        self,
        resources: ResourceRegistry,
        registry: ToolRegistry,
        downloads_of: Callable[[Client], DownloadList],
        redactor: Redactor,
    ) -> None:
        self._resources = resources
        self._registry = registry
        self._downloads_of = downloads_of
        self._redactor = redactor

    @property
    def templates(self) -> Sequence[types.ResourceTemplate]:
        uri = "browser-pilot://downloads/{id}"
        return [types.ResourceTemplate(name="download", title="A downloaded file", uri_template=uri)]

    def list(self, client: Client) -> Sequence[types.Resource]:
        return [
            types.Resource(
                name=transfer.filename,
                title=f"Download {transfer.id}: {transfer.filename}",
                uri=_uri(transfer),
                mime_type=_mime(transfer),
                size=transfer.saved.size,
            )
            for transfer in self._downloads(client)
            if transfer.saved is not None
        ]

    async def read(self, client: Client, uri: str) -> ResourceContent:
        found = _URI.fullmatch(uri)
        transfer = next((one for one in self._downloads(client) if found and one.id == found[1]), None)
        if transfer is None or transfer.saved is None:
            raise ResourceNotFound(uri)
        saved, mime = transfer.saved, _mime(transfer)
        if saved.size > MAX_RESOURCE_BYTES:
            raise MCPError(
                types.INVALID_REQUEST, f"{saved.size:,} bytes are too large for a resource; the file is {saved.path}."
            )
        try:
            data = await asyncio.to_thread(saved.path.read_bytes)
        except OSError:
            raise MCPError(types.INVALID_REQUEST, f"{saved.path} no longer exists.") from None
        if mime.startswith(_TEXT_TYPES):
            text = data.decode(errors="replace")
            return ResourceContent(await redact_body(self._redactor, text, mime), mime)
        return ResourceContent(data, image_mime(data[:MAGIC_BYTES]) or mime)

    def on_transfer_end(self, client: Client, transfer: Transfer) -> None:
        if transfer.saved is not None:
            self._resources.notify_list_changed(client)

    def _downloads(self, client: Client) -> Sequence[Transfer]:
        chosen = self._registry.select(client.settings.tools.profile)
        return list(self._downloads_of(client)) if TOOL in chosen else []


def _uri(transfer: Transfer) -> str:
    return f"browser-pilot://downloads/{transfer.id}"


def _mime(transfer: Transfer) -> str:
    return transfer.kind.mime if transfer.kind is not None else "application/octet-stream"


def _image(saved: SavedFile) -> ImageData | None:
    if saved.size > MAX_INLINE_IMAGE_BYTES:
        return None
    data = _read_start(saved.path, MAX_INLINE_IMAGE_BYTES)
    mime = image_mime(data[:MAGIC_BYTES])
    return None if mime is None else ImageData(data, mime)


def _read_start(path: Path, max_bytes: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(max_bytes)
    except OSError:
        return b""
