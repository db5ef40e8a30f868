"""What must be saved from each element of the hostile site's page, in any browser."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mcp.client import Client

from tests.clients import call, fail
from tests.files.hostile_filenames import HOSTILE_NAMES
from tests.files.test_filenames import assert_safe

from .hostile_site import LINES, PDF, PICTURES, SOUND, VIDEO, HostileSite, png

MADE = b"made by the page"
# From an element's id to the bytes that are saved for it, and their extension.
ELEMENTS: dict[str, tuple[bytes | None, str]] = {
    "img": (PICTURES["img"], "png"),
    "srcset": (PICTURES["srcset"], "png"),
    "picture": (PICTURES["picture"], "png"),
    "source": (PICTURES["picture"], "png"),
    "video": (VIDEO, "webm"),
    "videosource": (VIDEO, "webm"),
    "audio": (SOUND, "wav"),
    "link": (PDF, "pdf"),
    "linkimg": (PDF, "pdf"),
    "inlink": (PICTURES["img"], "png"),
    "around": (PDF, "pdf"),
    "saved": (PDF, "pdf"),
    "embed": (PDF, "pdf"),
    "object": (PDF, "pdf"),
    "pdfframe": (PDF, "pdf"),
    "pdfblob": (PDF, "pdf"),
    "pdfbloblink": (PDF, "pdf"),
    "pdfdata": (PDF, "pdf"),
    "css": (PICTURES["css"], "png"),
    "before": (PICTURES["svg"], "png"),
    "svg": (None, "svg"),
    "circle": (None, "svg"),
    "svgpic": (PICTURES["svg"], "png"),
    "canvas": (None, "png"),
    "blob": (MADE, "txt"),
    "bloblink": (MADE, "txt"),
    "data": (png(99), "png"),
    "input": (PICTURES["input"], "png"),
    "other": (PICTURES["img"], "png"),
    "shared": (PICTURES["lone"], "png"),
    "one": (PICTURES["lone"], "png"),
    "attached": (LINES, "csv"),
}
NOT_DOWNLOADABLE = ("nowhere", "script", "tainted", "two", "plain")
ADDRESSES: dict[str, tuple[bytes, str]] = {
    "/redirect": (PICTURES["img"], "png"),
    "/away": (PICTURES["img"], "png"),
    "/chunks": (LINES[:9_990], "txt"),
    "/gzip.txt": (LINES, "txt"),
    "/ranges.txt": (LINES, "txt"),
    "/wrong-mime": (PICTURES["img"], "png"),
    "/no-mime": (PDF, "pdf"),
    "/nothing-known": (b"\1\2\3 who knows", "bin"),
    "/empty.txt": (b"", "txt"),
}
# Elements that the browser itself fetches where the page may not.
WITHOUT_FETCHING = (
    *("img", "video", "link", "data", "canvas", "svg", "attached", "embed", "pdfdata"),
    *("other", "blob", "pdfblob"),
)
# A lone surrogate cannot be sent in JSON; the tests of file names cover it.
PROPOSED_NAMES = [name for name in HOSTILE_NAMES if name == name.encode(errors="ignore").decode()]
FAILING: dict[str, str] = {
    "/403": "Resource fetch failed: 403",
    "/404": "Resource fetch failed: 404",
    "/500": "Resource fetch failed: 500",
    "/circle": "Network request failed: the page redirects in a circle (ERR_TOO_MANY_REDIRECTS)",
}


async def saved(client: Client, **arguments: Any) -> tuple[bytes, str]:
    """The bytes that a call saved, and the extension of the file."""
    result = await call(client, "browser_download", **arguments)
    assert result["success"] is True
    path = Path(result["path"])
    assert path.name == result["filename"]
    data = path.read_bytes()
    assert len(data) == result["size"]
    return data, path.suffix[1:]


async def download_error(client: Client, **arguments: Any) -> str:
    """The message of a call that must fail."""
    return str((await fail(client, "browser_download", **arguments))["message"])


async def hostile_names_are_sanitized(
    client: Client, hostile: HostileSite, folder: Path, names: Sequence[str] = PROPOSED_NAMES
) -> None:
    """Each proposed name yields a file of its own, in the folder and nowhere else."""
    await call(client, "browser_navigate", url=hostile.url("/"))
    before = set(folder.iterdir()) if folder.exists() else set[Path]()
    paths: set[Path] = set()
    for first in range(0, len(names), 10):
        batch = names[first : first + 10]
        saving = (call(client, "browser_download", selector="#img", filename=name) for name in batch)
        paths |= {Path(result["path"]) for result in await asyncio.gather(*saving)}
    assert len(paths) == len(names)
    assert set(folder.iterdir()) - before == paths
    for path in paths:
        assert_safe(path.name, "png")
        assert path.read_bytes() == PICTURES["img"]
        path.unlink()


async def pdf_is_saved_from_its_viewer(client: Client, hostile: HostileSite) -> None:
    tab = (await call(client, "browser_navigate", url=hostile.url("/")))["tab"]
    shown = await call(client, "browser_click", element="#link")
    (row,) = shown["elements"]
    assert (row["role"], row["name"]) == ("embed", "PDF document")
    for arguments in ({"element": row["ref"]}, {"selector": "embed"}, {"url": hostile.url("/report.pdf")}):
        assert await saved(client, **arguments) == (PDF, "pdf"), arguments
    assert (await call(client, "browser_navigate", url=hostile.url("/")))["tab"] == tab


async def viewer_outlives_its_page(client: Client, hostile: HostileSite) -> None:
    await call(client, "browser_navigate", url=hostile.url("/"))
    assert (await call(client, "browser_click", element="#pdfbloblink"))["url"].startswith("blob:")
    error = await fail(client, "browser_download", selector="embed")
    assert (error["message"], error["reason"]) == ("Element has no downloadable resource", "no_resource")
    assert "go back" in error["suggestions"][0]
    await call(client, "browser_navigate", action="back")
    assert await saved(client, selector="#pdfbloblink") == (PDF, "pdf")
