"""The network of a page: requests and WebSockets, filtered, in pages, redacted; one of them with bodies or frames."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from typing import Annotated

from pydantic import Field, field_validator

from browser_pilot.gateway import ToolContext
from browser_pilot.mcp_server.tool_registry import STANDARD, Operation, Tool
from browser_pilot.mcp_server.tool_result import ToolResult
from browser_pilot.mcp_server.tool_schema import TabArguments
from browser_pilot.page.observe.network_log import NetworkEntry, NetworkRequest, RequestDetails
from browser_pilot.page.observe.response_bodies import Body
from browser_pilot.page.observe.websocket_log import WebSocketConnection
from browser_pilot.page.snapshot.offloading import fitting_length_of
from browser_pilot.page.snapshot.token_budget import estimate_tokens
from browser_pilot.redaction.offloading import redact, redact_body
from browser_pilot.redaction.redactor import Redactor

from .arguments import Since, parse_since
from .log_page import (
    ENVELOPE_TOKENS,
    Limit,
    LogRow,
    Number,
    PageRange,
    contains,
    is_at_host,
    local_time,
    log_page,
)
from .websocket_frames import websocket_details

MAX_URL_CHARACTERS = 200


RESOURCE_TYPES = frozenset(
    "document stylesheet image media font script texttrack xhr fetch prefetch eventsource websocket manifest "
    "signedexchange ping cspviolationreport preflight other".split()
)
# Between the browser and the hub's own proxy: no site sees them.
PROXY_HEADERS = frozenset({"proxy-authorization", "proxy-connection"})


class NetworkArguments(TabArguments):
    id: Number = None
    method: str | None = None
    status: Annotated[str | None, Field(description="404, 4xx, failed", coerce_numbers_to_str=True)] = None
    type: str | None = None
    url: str | None = None
    host: str | None = None
    since: Since = None
    limit: Limit = None
    cursor: Number = None

    @field_validator("type")
    @classmethod
    def _must_be_known(cls, given: str | None) -> str | None:
        if given is not None and given.lower() not in RESOURCE_TYPES:
            raise ValueError(f"not one of {', '.join(sorted(RESOURCE_TYPES))}")
        return given and given.lower()

    @property
    def is_filtered(self) -> bool:
        filters = (self.method, self.status, self.type, self.url, self.host, self.since)
        return any(given is not None for given in filters)


async def read_network(context: ToolContext, arguments: NetworkArguments) -> LogRow:
    redactor, max_tokens = context.redactor, context.max_tokens
    since = parse_since(arguments.since, now=time.time())
    part = PageRange(limit=arguments.limit, before=arguments.cursor, max_tokens=max_tokens)
    if arguments.id is not None:
        entry = context.tab.network.get(arguments.id)
        if isinstance(entry, WebSocketConnection):
            return await websocket_details(entry, redactor, max_tokens=max_tokens, before=arguments.cursor)
        known = await context.tab.network.read_details(entry)
        return await _details(entry, known, redactor, start=arguments.cursor or 0, max_tokens=max_tokens)

    async def matches(entry: NetworkEntry) -> bool:
        return (
            (arguments.method is None or entry.method == arguments.method.upper())
            and (arguments.type is None or entry.type == arguments.type)
            and entry.at >= since
            and (arguments.host is None or is_at_host(entry.url, arguments.host))
            and _has_status(entry, arguments.status)
            and await contains(entry.url, arguments.url, redactor.url)
        )

    async def row(entry: NetworkEntry) -> LogRow:
        return _summary(entry, _shortened(await redact(redactor.url, entry.url)))

    return await log_page(
        "requests",
        context.tab.network,
        matches if arguments.is_filtered else None,
        row,
        part,
        dropped=context.tab.tracker.dropped_events.network,
    )


async def render_requests(_: ToolContext, __: NetworkArguments, requests: LogRow) -> ToolResult:
    return ToolResult(requests)


async def _details(
    request: NetworkRequest, known: RequestDetails, redactor: Redactor, *, start: int, max_tokens: int
) -> LogRow:
    """One request with its headers and bodies; a long response body continues at ``cursor``."""
    data = {**_summary(request, await redact(redactor.url, request.url)), "time": local_time(request.at)}
    if start == 0:
        data["request_headers"] = await _headers(known.request_headers, redactor)
        if known.request_body is not None:
            request_body = await _redacted(known.request_body, known.request_headers, redactor)
            data["request_body"] = await _beginning(request_body, max_tokens // 4)
        if known.response_headers:
            data["response_headers"] = await _headers(known.response_headers, redactor)
    if known.response_body is not None:
        body = (await _redacted(known.response_body, known.response_headers, redactor))[start:]
        left = max_tokens - ENVELOPE_TOKENS - estimate_tokens(str(data))
        shown = await fitting_length_of(body, max(left, max_tokens // 4))
        data["response_body"] = body[:shown]
        if shown < len(body):
            data |= {"characters_left": len(body) - shown, "cursor": start + shown}
    return data


async def _redacted(body: Body, headers: Mapping[str, str], redactor: Redactor) -> str:
    if body.text is None:
        return f"({body.missing})"
    return await redact_body(redactor, body.text, headers.get("content-type", ""))


def _summary(entry: NetworkEntry, url: str) -> LogRow:
    state = entry.state if isinstance(entry, WebSocketConnection) else entry.failure or entry.status or "pending"
    return {
        "id": entry.number,
        "method": entry.method,
        "status": state,
        "type": entry.type,
        "ms": entry.duration_ms,
        "url": url,
    }


async def _headers(headers: dict[str, str], redactor: Redactor) -> dict[str, str]:
    shown = {name: value for name, value in headers.items() if name.lower() not in PROXY_HEADERS}
    return {name: await redact(partial(redactor.header, name), value) for name, value in shown.items()}


async def _beginning(text: str, max_tokens: int) -> str:
    shown = await fitting_length_of(text, max_tokens)
    return text if shown == len(text) else f"{text[:shown]}… ({len(text)} characters)"


def _shortened(url: str) -> str:
    return url if len(url) <= MAX_URL_CHARACTERS else f"{url[:MAX_URL_CHARACTERS]}…"


def _has_status(request: NetworkEntry, wanted: str | None) -> bool:
    if wanted is None:
        return True
    if wanted == "failed":
        return request.failure is not None
    status = str(request.status or "")
    return status == wanted or (wanted.endswith("xx") and status[:1] == wanted[:1])


TOOLS = (
    Tool(
        name="browser_network",
        title="See the network",
        description="New requests and WebSockets; `id` shows one whole.",
        arguments=NetworkArguments,
        effect="read",
        profiles=STANDARD,
        operation=Operation(execute=read_network, render=render_requests),
    ),
)
