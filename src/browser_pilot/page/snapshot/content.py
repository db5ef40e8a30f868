"""The page's content as Markdown, text or clean HTML: the article, the whole page with its frames, or one element.

Readability extracts the article from a copy of the page. When it would lose more than a quarter of the page's text, or
is not installed, the whole page is returned instead, and the result says so. Long content comes in pieces: a cursor
continues where the last piece ended.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, cast

from browser_pilot import assets
from browser_pilot.errors import StaleRef
from browser_pilot.page.frames import MAIN, Frame
from browser_pilot.page.isolated_world import DEFAULT_TIMEOUT_MS, FrameGone, World
from browser_pilot.safe_text import parse_json

from .token_budget import DEFAULT_MAX_TOKENS, Cursor, estimate_tokens, fitting_length

Format: TypeAlias = Literal["markdown", "text", "html"]
Scope: TypeAlias = Literal["article", "page"]

# As much text as fifty results of the default size hold.
MAX_TEXT_LENGTH = 1_500_000
# What a result has beside the text.
TOKENS_OF_FIELDS = 70
_FRAME_PLACEHOLDER = re.compile("\u2063frame(\\d+)\u2063")
_BLANK_LINES = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True)
class PageContent:
    """A piece of a page's content. ``tokens_left`` estimates the rest; the cursor continues with it."""

    url: str
    title: str
    scope: str
    text: str
    tokens_left: int = 0
    cursor: str | None = None
    note: str | None = None
    concealed_texts: int = 0
    concealed_characters: int = 0
    """Texts that nobody can see: left out, unless they were requested."""


async def read_content(
    world: World,
    *,
    format: Format = "markdown",  # noqa: A002 - the name of the tool's argument
    scope: Scope = "article",
    root: tuple[Frame, str] | None = None,
    concealed: bool = False,
    max_tokens: int = DEFAULT_MAX_TOKENS,
    cursor: str | None = None,
    timeout_ms: int = DEFAULT_TIMEOUT_MS,
) -> PageContent:
    """Read the page, or the part of it inside ``root`` (a frame and a ref), from the cursor on.

    Texts that nobody can see are included, with a mark, if ``concealed``.
    """
    frames = await world.live_frames(timeout_ms=timeout_ms)
    top = root[0].number if root else MAIN
    wants_article = scope == "article" and root is None
    library = assets.locate("readability") if wants_article else None

    async def one(frame: Frame) -> tuple[int, dict[str, Any]] | None:
        is_top = frame.number == top
        try:
            if library and is_top:
                await world.add_library(frame, "readability", library.read_text(encoding="utf-8"), "Readability")
            settings = {
                "root": root[1] if root and is_top else None,
                "article": bool(library) and is_top,
                "maxLength": MAX_TEXT_LENGTH,
                "concealed": concealed,
            }
            text = await world.call(frame, "readContent", settings, repeatable=True, timeout_ms=timeout_ms)
        except FrameGone:
            if is_top:
                raise
            return None
        return frame.number, cast("dict[str, Any]", parse_json(cast("str", text)))

    contents = dict(content for content in await asyncio.gather(*map(one, frames)) if content is not None)
    main = contents[top]
    if not main["found"]:
        raise StaleRef("The element is no longer on the page.")
    text = _with_frames(top, contents, format)
    note = "Readability is not installed, so this is the whole page." if wants_article and library is None else None
    if main["truncated"]:
        note = "The page is too long to be read completely; this is its beginning."
    piece = _piece(main, text, max_tokens, cursor, note)
    if concealed:
        return piece
    return replace(
        piece,
        concealed_texts=sum(content["concealedTexts"] for content in contents.values()),
        concealed_characters=sum(content["concealedCharacters"] for content in contents.values()),
    )


def _piece(main: dict[str, Any], text: str, max_tokens: int, cursor: str | None, note: str | None) -> PageContent:
    where = Cursor.decode(cursor) if cursor else None
    start = min(where.offset, len(text)) if where and where.document == main["document"] else 0
    end = start + fitting_length(text[start:], max(max_tokens - TOKENS_OF_FIELDS, 20))
    more = Cursor(main["document"], 0, "", end).encode() if end < len(text) else None
    return PageContent(
        url=main["url"],
        title=main["title"],
        scope=main["scope"],
        text=text[start:end].strip("\n"),
        tokens_left=estimate_tokens(text[end:]),
        cursor=more,
        note=note,
    )


def _with_frames(number: int, contents: dict[int, dict[str, Any]], format: Format) -> str:  # noqa: A002
    """A frame's content, with the content of its child frames in place of their elements."""
    text = convert_html(contents[number]["html"], format)

    def inside(match: re.Match[str]) -> str:
        child = int(match[1])
        return _with_frames(child, contents, format).strip() if child in contents else ""

    return _BLANK_LINES.sub("\n\n", _FRAME_PLACEHOLDER.sub(inside, text)).strip()


def convert_html(html: str, format: Format) -> str:  # noqa: A002
    """HTML converted to another format."""
    if format == "html":
        return html
    from html_to_markdown import ConversionOptions, convert  # 4 MB, imported on first use

    plain = "plain" if format == "text" else "markdown"
    options = ConversionOptions(output_format=plain, extract_metadata=False, compact_tables=True)
    return convert(html, options).content or ""
