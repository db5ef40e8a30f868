"""What goes on behind the page: its console and its network, filtered, in pages, and without secrets.

Everything is redacted before it is shown, and searched only in its redacted form: a search that finds what may not be
shown would give it away letter by letter.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated, Literal, TypeVar

from pydantic import Field

from ...pages.ceiling import estimate_tokens, longest_fit
from ...pages.console import ConsoleEntry
from ...pages.network import Exchange, details
from ...pages.ring import Numbered, Ring
from ...pages.tab import Tab
from ...policy.hosts import page_site, parse_host
from ...records.redaction import Redactor
from ..answers import Answer
from ..registry import EVERYWHERE, STANDARD, Call, Tool
from ..schema import TabArguments
from .arguments import Since, moment

Limit = Annotated[int, Field(ge=1, le=1000)]
Number = Annotated[int | None, Field(ge=0, le=2**53)]
LONGEST_URL = 200
# What an answer needs besides its rows, and a row besides its cells.
ENVELOPE_TOKENS = 40
ROW_TOKENS = 6

E = TypeVar("E", bound=Numbered)
Row = dict[str, object]


class ConsoleArguments(TabArguments):
    level: Literal["error", "warning", "info", "debug"] | None = None
    text: str | None = None
    host: str | None = None
    since: Since = None
    limit: Limit = 50
    cursor: Number = None


async def console(call: Call, arguments: ConsoleArguments) -> Answer:
    redactor = call.gateway.redactor
    since = moment(arguments.since, now=time.time())

    def row(entry: ConsoleEntry) -> Row:
        said, where = redactor.text(entry.text), redactor.url(entry.where)
        return {"level": entry.level, "time": _clock(entry.at), "text": said, "where": where}

    def wanted(entry: ConsoleEntry) -> bool:
        return (
            (arguments.level is None or entry.level == arguments.level)
            and entry.at >= since
            and (arguments.host is None or _is_at(entry.where, arguments.host))
            and _says(entry.text, arguments.text, redactor.text)
        )

    async def look(tab: Tab) -> Answer:
        max_tokens = call.client.settings.tools.max_tokens
        return Answer(_page("logs", tab.console, wanted, row, arguments.limit, arguments.cursor, max_tokens))

    return await call.gateway.on_tab(call.intent(arguments), look)


class NetworkArguments(TabArguments):
    id: Annotated[Number, Field(description="details of one")] = None
    method: str | None = None
    status: Annotated[str | None, Field(description="404, 4xx, failed")] = None
    type: str | None = None
    url: str | None = None
    host: str | None = None
    since: Since = None
    limit: Limit = 50
    cursor: Number = None


async def network(call: Call, arguments: NetworkArguments) -> Answer:
    redactor = call.gateway.redactor
    since = moment(arguments.since, now=time.time())
    max_tokens = call.client.settings.tools.max_tokens

    def wanted(exchange: Exchange) -> bool:
        return (
            (arguments.method is None or exchange.method == arguments.method.upper())
            and (arguments.type is None or exchange.type == arguments.type)
            and exchange.at >= since
            and (arguments.host is None or _is_at(exchange.url, arguments.host))
            and _has_status(exchange, arguments.status)
            and _says(exchange.url, arguments.url, redactor.url)
        )

    def row(exchange: Exchange) -> Row:
        return _summary(exchange, _shortened(redactor.url(exchange.url)))

    async def look(tab: Tab) -> Answer:
        if arguments.id is not None:
            exchange = tab.network.get(arguments.id)
            return Answer(await _whole(exchange, redactor, start=arguments.cursor or 0, max_tokens=max_tokens))
        return Answer(_page("requests", tab.network, wanted, row, arguments.limit, arguments.cursor, max_tokens))

    return await call.gateway.on_tab(call.intent(arguments), look)


def _page(
    name: str,
    ring: Ring[E],
    wanted: Callable[[E], bool],
    row: Callable[[E], Row],
    limit: int,
    before: int | None,
    max_tokens: int,
) -> Row:
    """The newest entries that are wanted and fit, oldest first, and how to get those before them."""
    found = ring.latest(wanted, limit=limit, before=before)
    shown: list[Row] = []
    budget = max_tokens - ENVELOPE_TOKENS
    for entry in reversed(found.entries):
        told = row(entry)
        budget -= estimate_tokens(",".join(map(str, told.values()))) + ROW_TOKENS
        if budget < 0 and shown:
            break
        shown.append(told)
    left = found.earlier + len(found.entries) - len(shown)
    more: Row = {"earlier": left, "cursor": found.entries[-len(shown)].number} if left else {}
    return {name: shown[::-1], **more}


async def _whole(exchange: Exchange, redactor: Redactor, *, start: int, max_tokens: int) -> Row:
    """One request with its headers and bodies; the answer's body goes on at ``cursor`` where it is long."""
    known = await details(exchange)
    data = {**_summary(exchange, redactor.url(exchange.url)), "time": _clock(exchange.at)}
    if start == 0:
        data["request_headers"] = redactor.headers(known.request_headers)
        if known.request_body is not None:
            sent = redactor.body(known.request_body, content_type=known.request_headers.get("content-type", ""))
            data["request_body"] = _beginning(sent, max_tokens // 4)
        if known.response_headers:
            data["response_headers"] = redactor.headers(known.response_headers)
    if known.response_body is not None:
        kind = known.response_headers.get("content-type", "")
        came = redactor.body(known.response_body, content_type=kind)[start:]
        shown = longest_fit(came, max(max_tokens - ENVELOPE_TOKENS - estimate_tokens(str(data)), max_tokens // 4))
        data["response_body"] = came[:shown]
        if shown < len(came):
            data |= {"characters_left": len(came) - shown, "cursor": start + shown}
    return data


def _summary(exchange: Exchange, url: str) -> Row:
    return {
        "id": exchange.number,
        "method": exchange.method,
        "status": exchange.failure or exchange.status or "pending",
        "type": exchange.type,
        "ms": exchange.duration_ms,
        "url": url,
    }


def _beginning(text: str, max_tokens: int) -> str:
    shown = longest_fit(text, max_tokens)
    return text if shown == len(text) else f"{text[:shown]}… ({len(text)} characters)"


def _shortened(url: str) -> str:
    return url if len(url) <= LONGEST_URL else f"{url[:LONGEST_URL]}…"


def _has_status(exchange: Exchange, wanted: str | None) -> bool:
    if wanted is None:
        return True
    if wanted == "failed":
        return exchange.failure is not None
    status = str(exchange.status or "")
    return status == wanted or (wanted.endswith("xx") and status[:1] == wanted[:1])


def _is_at(url: str, wanted: str) -> bool:
    """Whether a URL is at a host, with or without its port, or at one below it."""
    site = page_site(url)
    name = wanted.removeprefix("*.")
    host = parse_host(name) or name.lower()
    return site is not None and (host in (site.host, str(site)) or site.host.endswith(f".{host}"))


def _says(text: str, wanted: str | None, redact: Callable[[str], str]) -> bool:
    """Whether what may be shown of a text holds what is wanted. Most texts do not even hold it before redaction."""
    if wanted is None:
        return True
    return wanted.lower() in text.lower() and wanted.lower() in redact(text).lower()


def _clock(at: float) -> str:
    return f"{time.strftime('%H:%M:%S', time.localtime(at))}.{int(at * 1000) % 1000:03d}"


TOOLS = (
    Tool(
        name="browser_console",
        title="Read the console",
        description="Console messages and uncaught errors.",
        arguments=ConsoleArguments,
        effect="read",
        profiles=EVERYWHERE,
        handler=console,
    ),
    Tool(
        name="browser_network",
        title="See the network",
        description="Requests of the page; `id` shows one whole.",
        arguments=NetworkArguments,
        effect="read",
        profiles=STANDARD,
        handler=network,
    ),
)
