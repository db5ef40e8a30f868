"""Extracts rows from tables, lists and cards, over many pages, into the result or a file. No model is involved."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Annotated, cast, get_args

from pydantic import Field, WithJsonSchema

from browser_pilot.errors import InvalidArgument, PilotError
from browser_pilot.files.file_writer import PartialFile, SavedFile
from browser_pilot.files.filenames import filename_candidates, safe_filename
from browser_pilot.files.row_formats import RowFormat, encode_rows
from browser_pilot.gateway import ToolContext
from browser_pilot.gateway.downloads import saved_summary
from browser_pilot.json_types import Json
from browser_pilot.mcp_server.tool_registry import FULL_ONLY, CallRequest, Operation, Tool
from browser_pilot.mcp_server.tool_result import ToolResult
from browser_pilot.mcp_server.tool_schema import Arguments, TabArguments
from browser_pilot.page.actions import scroll as scrolling
from browser_pilot.page.actions.outcome import Outcome
from browser_pilot.page.snapshot.cell_types import Cell, CellType, typed
from browser_pilot.page.snapshot.extraction import ExtractedRows, ExtractionRequest, extract_rows, has_next_page
from browser_pilot.page.snapshot.token_budget import estimate_tokens
from browser_pilot.redaction.offloading import redact_data
from browser_pilot.safe_text import sanitize_data

from . import user_input
from .arguments import ElementField

MAX_ROWS = 100_000
MAX_PAGES = 200
MAX_SCROLLS = 100
MAX_FIELDS = 50
# The tokens of a result without its rows.
ENVELOPE_TOKENS = 80

CssSelector = Annotated[str, Field(max_length=1_000)]
CLICK = next(tool for tool in user_input.TOOLS if tool.name == "browser_click")


class FieldRule(Arguments):
    """``css`` is within the row; ``css@attribute`` an attribute."""

    css: CssSelector = ""
    type: CellType = "text"


class ExtractArguments(TabArguments):
    element: ElementField | None = None
    rows: Annotated[CssSelector | None, Field(description="CSS")] = None
    fields: Annotated[
        dict[str, CssSelector | FieldRule] | None,
        Field(alias="schema", min_length=1, max_length=MAX_FIELDS),
        WithJsonSchema({"type": "object", "description": "name: css, css@attribute or {css, type}"}),
    ] = None
    example: Annotated[
        dict[str, str] | None,
        Field(min_length=1, max_length=MAX_FIELDS),
        WithJsonSchema({"type": "object", "description": "texts of one row by name"}),
    ] = None
    types: Annotated[
        dict[str, CellType],
        WithJsonSchema({"type": "object", "description": f"name: {', '.join(get_args(CellType))}"}),
    ] = Field(default_factory=dict)
    next: Annotated[
        ElementField | None, WithJsonSchema({"type": ["string", "object"], "description": "selector of the pager"})
    ] = None
    max_pages: Annotated[int, Field(ge=1, le=MAX_PAGES)] = 50
    scrolls: Annotated[int, Field(ge=0, le=MAX_SCROLLS)] = 0
    max_rows: Annotated[int, Field(ge=1, le=MAX_ROWS)] = 10_000
    file: Annotated[str | None, Field(description="name.csv, .json or .jsonl", max_length=200)] = None


@dataclass(frozen=True)
class _Page:
    """What one page showed. ``has_next``: the pager leads on."""

    found: ExtractedRows
    has_next: bool


@dataclass
class _Collected:
    """The rows of all pages so far."""

    columns: tuple[str, ...] = ()
    rows: list[tuple[str | None, ...]] = field(default_factory=list[tuple[str | None, ...]])
    pages: int = 0
    is_cut: bool = False
    incomplete: str = ""
    _seen: set[tuple[tuple[str | None, ...], ...]] = field(default_factory=set[tuple[tuple[str | None, ...], ...]])

    def add_page(self, found: ExtractedRows) -> bool:
        """False for a page that was there before: the pager led nowhere."""
        if found.rows in self._seen:
            return False
        self._seen.add(found.rows)
        self.columns = self.columns or found.columns
        self.rows += found.rows
        self.pages += 1
        self.is_cut = found.is_cut
        return True


async def extract(request: CallRequest, arguments: ExtractArguments) -> ToolResult:
    form = _file_format(arguments.file)
    if arguments.next is not None and CLICK.name not in request.tools:
        raise InvalidArgument(f"`next` needs {CLICK.name}.", suggestions=["Extract each page alone."])
    collected = _Collected()
    try:
        while collected.pages < arguments.max_pages and len(collected.rows) < arguments.max_rows:
            page = await _read_page(request, arguments, arguments.max_rows - len(collected.rows))
            if not collected.add_page(page.found) or not page.has_next:
                break
            await request.progress(collected.pages, None, f"{len(collected.rows)} rows of {collected.pages} pages")
            if collected.pages < arguments.max_pages and len(collected.rows) < arguments.max_rows:
                await _open_next_page(request, arguments)
            else:
                collected.is_cut = True
    except PilotError as error:
        if not collected.pages:
            raise
        collected.incomplete = f"{error.code}: {error.message}"
    rows, unread = _typed_rows(collected, _types_of(arguments))
    data: dict[str, object] = {"total": len(rows)}
    if collected.pages > 1:
        data["pages"] = collected.pages
    if collected.is_cut:
        data["cut"] = "There is more: raise max_rows or max_pages."
    if unread:
        data["not_typed"] = unread
    if collected.incomplete:
        data["incomplete"] = collected.incomplete
    if form is None:
        return ToolResult(_with_rows(data, rows, _max_tokens(request)))
    return await _save(request, arguments, form, _Rows(collected.columns, rows), data)


async def _read_page(request: CallRequest, arguments: ExtractArguments, max_rows: int) -> _Page:
    """Read the rows of the page that the tab shows; with ``scrolls``, scroll until there are no more."""
    page = await _read(request, arguments, max_rows)
    for _ in range(arguments.scrolls):
        if len(page.found.rows) >= max_rows:
            break
        await request.run(SCROLL, arguments)
        more = await _read(request, arguments, max_rows)
        if more.found.rows == page.found.rows:
            break
        page = replace(more, found=_merged(page.found, more.found))
    return page


def _merged(before: ExtractedRows, after: ExtractedRows) -> ExtractedRows:
    """All rows of both: a page that loads more keeps the earlier ones, or replaces some of them."""
    if after.rows[: len(before.rows)] == before.rows:
        return after
    known = set(before.rows)
    return replace(after, rows=before.rows + tuple(row for row in after.rows if row not in known))


async def _read(request: CallRequest, arguments: ExtractArguments, max_rows: int) -> _Page:
    pages: list[_Page] = []
    wanted = ExtractionRequest(
        element=arguments.element,
        rows=arguments.rows,
        fields=None if arguments.fields is None else {name: _rule(one) for name, one in arguments.fields.items()},
        example=arguments.example,
        max_rows=max_rows,
    )

    async def read(context: ToolContext, _: ExtractArguments) -> None:
        tab, timeout_ms = context.tab, context.call.timeout_ms

        async def read_page() -> _Page:
            found = await extract_rows(tab, wanted, timeout_ms=timeout_ms)
            leads_on = arguments.next is not None and await has_next_page(tab, arguments.next, timeout_ms=timeout_ms)
            return _Page(found, leads_on)

        pages.append(await tab.dialogs.run_without_dialog(read_page))

    await request.run(Operation(execute=read, render=render_nothing), arguments)
    return pages[-1]


async def _open_next_page(request: CallRequest, arguments: ExtractArguments) -> None:
    """Click the pager: an effect, authorized and recorded as any click."""
    operation = replace(cast("Operation[user_input.ClickArguments, Outcome]", CLICK.operation), render=render_nothing)
    clicked = user_input.ClickArguments(
        element=arguments.next or "",
        tab=arguments.tab,
        session=arguments.session,
        timeout_ms=arguments.timeout_ms,
    )
    click = replace(request, tool=CLICK, arguments=clicked.model_dump(exclude_none=True, exclude_defaults=True))
    await click.run(operation, clicked)


async def scroll_down(context: ToolContext, arguments: ExtractArguments) -> Outcome:
    return await scrolling.scroll(context.action, arguments.element, to="bottom", timeout_ms=context.call.timeout_ms)


async def render_nothing(_: ToolContext, __: Arguments, ___: object) -> ToolResult:
    return ToolResult({})


SCROLL = Operation[ExtractArguments, Outcome](execute=scroll_down, render=render_nothing)


@dataclass(frozen=True)
class _Rows:
    columns: tuple[str, ...]
    rows: Sequence[Mapping[str, Cell]]


async def _save(
    request: CallRequest, arguments: ExtractArguments, form: RowFormat, rows: _Rows, data: Mapping[str, object]
) -> ToolResult:
    """Save redacted rows in the download folder, as a file that comes from the page."""

    async def save(context: ToolContext, _: ExtractArguments) -> SavedFile:
        shown = cast("Mapping[str, Json]", sanitize_data({"rows": rows.rows}))
        redacted = cast("list[dict[str, object]]", (await redact_data(context.redactor, shown))["rows"])
        url = context.redactor.url(context.tab.page.url)
        files = context.settings.files
        name = safe_filename(context.redactor.filename(arguments.file or ""), form) or f"rows.{form}"

        def write() -> SavedFile:
            part = PartialFile(files.download_dir, max_bytes=files.max_download_mb << 20)
            try:
                part.write(encode_rows(rows.columns, redacted, form).encode())
                return part.finish(filename_candidates(name), source=url, referrer=url)
            finally:
                part.discard()

        saved = await asyncio.to_thread(write)
        context.summary = saved_summary(saved)
        return saved

    async def render_saved(_: ToolContext, __: ExtractArguments, saved: SavedFile) -> ToolResult:
        return ToolResult({**data, "columns": list(rows.columns), "path": str(saved.path), "bytes": saved.size})

    return await request.run(Operation(effect="capture", execute=save, render=render_saved), arguments)


def _with_rows(data: dict[str, object], rows: Sequence[Mapping[str, Cell]], max_tokens: int) -> dict[str, object]:
    """The rows that fit."""
    left = max_tokens - ENVELOPE_TOKENS
    shown: list[Mapping[str, Cell]] = []
    for row in rows:
        left -= estimate_tokens(",".join(map(str, row.values()))) + 2
        if left < 0:
            break
        shown.append(row)
    if len(shown) < len(rows):
        data["rows_left"] = len(rows) - len(shown)
        data["hint"] = "`file` saves all rows."
    return {**data, "rows": shown}


def _max_tokens(request: CallRequest) -> int:
    limit = request.client.settings.tools.max_tokens
    return limit if request.step is None else min(limit, request.step.max_tokens)


def _typed_rows(collected: _Collected, types: Mapping[str, CellType]) -> tuple[list[dict[str, Cell]], int]:
    """The rows by column, and how many cells are not of the type of their column."""
    kinds: dict[str, CellType] = {column: types.get(column, "text") for column in collected.columns}
    rows: list[dict[str, Cell]] = []
    unread = 0
    for cells in collected.rows:
        row: dict[str, Cell] = {}
        for (column, kind), text in zip(kinds.items(), cells, strict=False):
            row[column] = typed(text, kind)
            unread += row[column] is None and bool(text)
        rows.append(row)
    return rows, unread


def _types_of(arguments: ExtractArguments) -> dict[str, CellType]:
    given = arguments.fields or {}
    return {**{name: one.type for name, one in given.items() if isinstance(one, FieldRule)}, **arguments.types}


def _rule(one: str | FieldRule) -> str:
    """A URL is that of a link, unless its attribute is named."""
    if isinstance(one, str):
        return one
    return f"{one.css}@href" if one.type == "url" and "@" not in one.css else one.css


def _file_format(file: str | None) -> RowFormat | None:
    if file is None:
        return None
    extension = PurePath(file).suffix.removeprefix(".").lower()
    for known in get_args(RowFormat):
        if extension == known:
            return cast("RowFormat", known)
    raise InvalidArgument(
        f"file = {file[:80]!r} is not the name of a CSV, JSON or JSONL file.",
        suggestions=["Give a name such as rows.csv; files are saved in the download folder."],
    )


TOOLS = (
    Tool(
        name="browser_extract",
        title="Extract rows",
        description="Rows of a table, list or cards, of all pages of a pager.",
        arguments=ExtractArguments,
        effect="read",
        profiles=FULL_ONLY,
        handler=extract,
    ),
)
