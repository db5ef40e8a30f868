"""The result of a tool call, and how it becomes text: TOON or JSON. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import toon_format

from browser_pilot.config.settings import ResultFormat
from browser_pilot.errors import PilotError
from browser_pilot.json_types import Json
from browser_pilot.redaction.redactor import Redactor

# Inside a quoted cell every quote is escaped, so this is always an empty cell.
_EMPTY_CELL = re.compile(r'(?<=,)""(?=,|$)', re.MULTILINE)


@dataclass(frozen=True)
class ImageData:
    data: bytes
    mime: str


@dataclass(frozen=True)
class ResourceLinkData:
    """A resource that the client may read."""

    uri: str
    name: str
    mime: str
    size: int


@dataclass(frozen=True)
class ToolResult:
    """Data in reading order, then a long text that needs no quoting, images, and links to resources."""

    data: Mapping[str, object]
    images: tuple[ImageData, ...] = ()
    text: str | None = None
    links: tuple[ResourceLinkData, ...] = ()

    def with_notices(self, notices: Sequence[str]) -> ToolResult:
        """The same with further notices."""
        if not notices:
            return self
        known = cast("Sequence[str]", self.data.get("notices", ()))
        return replace(self, data={**self.data, "notices": [*known, *notices]})

    def redacted(self, redactor: Redactor) -> ToolResult:
        """The same with secrets redacted. Images show the page as a person sees it."""
        text = None if self.text is None else redactor.text(self.text)
        return replace(self, data=redacted_data(self.data, redactor), text=text)


def result_of_unreadable_page(site: str) -> ToolResult:
    """For a call after which the tab shows a page that may not be described: nothing of it but its site."""
    notice = f"The tab is on {site} now, which requires approval; nothing of that page is shown."
    return ToolResult({"page": "requires approval", "site": site, "notices": [notice]})


def redacted_data(data: Mapping[str, object], redactor: Redactor) -> Mapping[str, object]:
    return cast("Mapping[str, object]", redactor.data(cast("Json", dict(data))))


def render(data: Mapping[str, object], result_format: ResultFormat) -> str:
    if result_format == "json":
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # Most cells of a snapshot are empty. Without quotes such a cell costs a token less and reads the same.
    return _EMPTY_CELL.sub("", toon_format.encode(dict(data)))


def result_without_page(error: PilotError, facts: Mapping[str, object] | None = None) -> ToolResult:
    """The result of an action that took effect, where the page could not be read afterwards."""
    notice = f"It was done, but the page could not be read afterwards ({error.code})."
    return ToolResult(facts or {}).with_notices([notice])
