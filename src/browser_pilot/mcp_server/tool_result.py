"""The result of a tool call, how it is made safe for the client, and how it becomes text: TOON or JSON.

``ToolResult.safe`` is the one way to a client: text from a page or a guest is sanitized, then redacted (a hidden
character must not keep a secret from being found), then cut.
"""

from __future__ import annotations

import json
import random
import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import toon_format

from browser_pilot.config.settings import ResultFormat
from browser_pilot.errors import PilotError
from browser_pilot.json_types import Json
from browser_pilot.page.actions.evaluate import MAX_RESULT_CHARACTERS
from browser_pilot.page.snapshot.snapshot import MAX_URL_CHARACTERS
from browser_pilot.redaction.offloading import redact, redact_data
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.safe_text import cut, sanitize, sanitize_data

from .guest_result import GuestContent

# Inside a quoted cell every quote is escaped, so this is always an empty cell.
_EMPTY_CELL = re.compile(r'(?<=,)""(?=,|$)', re.MULTILINE)

# The longest text in a field, and the longest name of a field.
MAX_TEXT_CHARACTERS = 5_000
MAX_NAME_CHARACTERS = 200
MAX_FIELD_CHARACTERS = {
    "title": 200,
    "url": MAX_URL_CHARACTERS,
    "where": MAX_URL_CHARACTERS,
    "source": MAX_URL_CHARACTERS,
    "filename": 200,
    "message": 2_000,
    "default": 2_000,
    "result": MAX_RESULT_CHARACTERS,
    "value": MAX_RESULT_CHARACTERS,
}
# These are cut to the result's token budget where they are made; a cursor continues them.
BUDGETED_FIELDS = frozenset({"elements", "new", "changed", "request_body", "response_body"})
_random = random.SystemRandom()
# Redaction needs more of a text than is shown, and must not take long for a text of megabytes.
_REDACTED_LENGTHS = 2


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
    """Data in reading order, then a long text, images, and links to resources; or what a guest returned.

    ``page_text`` is fenced, so that a page cannot imitate the data; ``guest`` is returned as it is: all of it is the
    guest's. ``parts`` are the results of a run's steps, made safe already. ``error_code`` is set where it failed.
    """

    data: Mapping[str, object]
    images: tuple[ImageData, ...] = ()
    page_text: str | None = None
    links: tuple[ResourceLinkData, ...] = ()
    guest: GuestContent | None = None
    parts: tuple[ToolResult, ...] = ()
    error_code: str | None = None

    def with_notices(self, notices: Sequence[str]) -> ToolResult:
        """The same with further notices."""
        if not notices:
            return self
        known = cast("Sequence[str]", self.data.get("notices", ()))
        return replace(self, data={**self.data, "notices": [*known, *notices]})

    async def safe(self, redactor: Redactor) -> ToolResult:
        """The same, sanitized, with secrets redacted, and cut. Images show the page as a person sees it."""
        return ToolResult(
            await safe_data(self.data, redactor),
            self.images,
            page_text=await _safe_text(self.page_text, redactor),
            links=tuple(replace(link, name=cut(sanitize(link.name), MAX_NAME_CHARACTERS)) for link in self.links),
            guest=None if self.guest is None else await self.guest.safe(redactor),
            parts=self.parts,
            error_code=self.error_code,
        )


async def _safe_text(text: str | None, redactor: Redactor) -> str | None:
    return None if text is None else await redact(redactor.text, sanitize(text))


def result_of_undescribed_page(site: str) -> ToolResult:
    """For a call after which the tab shows a page that requires approval: nothing of it but its site."""
    notice = f"The tab is on {site} now, which requires approval; nothing of that page is shown."
    return ToolResult({"page": "requires approval", "site": site, "notices": [notice]})


async def safe_data(data: Mapping[str, object], redactor: Redactor) -> Mapping[str, object]:
    """The data of a result or an error, sanitized, with secrets redacted, and cut."""
    bounded = _cut_fields(cast("Mapping[str, object]", sanitize_data(data)), lengths=_REDACTED_LENGTHS)
    return _cut_fields(await redact_data(redactor, cast("Mapping[str, Json]", bounded)))


def _cut_fields(data: Mapping[str, object], *, lengths: int = 1) -> dict[str, object]:
    return {
        cut(name, MAX_NAME_CHARACTERS): value if name in BUDGETED_FIELDS else _cut_texts(value, name, lengths)
        for name, value in data.items()
    }


def _cut_texts(value: object, name: str, lengths: int) -> object:
    if isinstance(value, str):
        return cut(value, MAX_FIELD_CHARACTERS.get(name, MAX_TEXT_CHARACTERS) * lengths)
    if isinstance(value, Mapping):
        items = cast("Mapping[str, object]", value).items()
        # What a script returned is limited as a whole, where it is made.
        return {
            cut(inner, MAX_NAME_CHARACTERS): _cut_texts(item, name if name == "result" else inner, lengths)
            for inner, item in items
        }
    if isinstance(value, list):
        return [_cut_texts(item, name, lengths) for item in cast("list[object]", value)]
    return value


def render(data: Mapping[str, object], result_format: ResultFormat) -> str:
    if result_format == "json":
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # Most cells of a snapshot are empty. Without quotes such a cell costs a token less and reads the same.
    return _EMPTY_CELL.sub("", toon_format.encode(dict(data)))


def fence(text: str) -> tuple[str, str]:
    """A long text between two lines that a page cannot foresee, and the line: what is inside is not ours.

    Such a text is not quoted, so that a page could imitate fields of a result in it.
    """
    while (line := f"--- {''.join(_random.choices(string.ascii_lowercase, k=10))} ---") in text:
        pass
    return f"{line}\n{text}\n{line}", line


def result_without_page(error: PilotError, facts: Mapping[str, object] | None = None) -> ToolResult:
    """The result of an action that took effect, where the page could not be read afterwards."""
    notice = f"It was done, but the page could not be read afterwards ({error.code})."
    return ToolResult(facts or {}).with_notices([notice])
