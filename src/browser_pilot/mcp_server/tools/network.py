"""The network of a page: requests, filtered, in pages, redacted; one request with headers and bodies."""

from __future__ import annotations

import time
from functools import partial
from typing import Annotated

from pydantic import Field

from browser_pilot.gateway import ToolContext
from browser_pilot.mcp_server.tool_registry import STANDARD, Operation, Tool
from browser_pilot.mcp_server.tool_result import ToolResult
from browser_pilot.mcp_server.tool_schema import TabArguments
from browser_pilot.page.observe.network_log import NetworkRequest, read_details
from browser_pilot.page.snapshot.offloading import fitting_length_of
from browser_pilot.page.snapshot.token_budget import estimate_tokens
from browser_pilot.redaction.offloading import redact, redact_body
from browser_pilot.redaction.redactor import Redactor

from .arguments import Since, parse_since
from .log_page import ENVELOPE_TOKENS, Limit, LogRow, Number, clock_time, contains, is_at_host, log_page

MAX_URL_CHARACTERS = 200


class NetworkArguments(TabArguments):
    id: Number = None
    method: str | None = None
    status: Annotated[str | None, Field(description="404, 4xx, failed")] = None
    type: str | None = None
    url: str | None = None
    host: str | None = None
    since: Since = None
    limit: Limit = 50
    cursor: Number = None


async def read_network(context: ToolContext, arguments: NetworkArguments) -> LogRow:
    redactor, max_tokens = context.redactor, context.max_tokens
    since = parse_since(arguments.since, now=time.time())
    if arguments.id is not None:
        request = context.tab.network.get(arguments.id)
        return await _details(request, redactor, start=arguments.cursor or 0, max_tokens=max_tokens)

    async def matches(request: NetworkRequest) -> bool:
        return (
            (arguments.method is None or request.method == arguments.method.upper())
            and (arguments.type is None or request.type == arguments.type)
            and request.at >= since
            and (arguments.host is None or is_at_host(request.url, arguments.host))
            and _has_status(request, arguments.status)
            and await contains(request.url, arguments.url, redactor.url)
        )

    async def row(request: NetworkRequest) -> LogRow:
        return _summary(request, _shortened(await redact(redactor.url, request.url)))

    return await log_page(
        "requests",
        context.tab.network,
        matches,
        row,
        limit=arguments.limit,
        before=arguments.cursor,
        max_tokens=max_tokens,
        dropped=context.tab.tracker.dropped_events.network,
    )


async def render_requests(_: ToolContext, __: NetworkArguments, requests: LogRow) -> ToolResult:
    return ToolResult(requests)


async def _details(request: NetworkRequest, redactor: Redactor, *, start: int, max_tokens: int) -> LogRow:
    """One request with its headers and bodies; a long response body continues at ``cursor``."""
    known = await read_details(request)
    data = {**_summary(request, await redact(redactor.url, request.url)), "time": clock_time(request.at)}
    if start == 0:
        data["request_headers"] = await _headers(known.request_headers, redactor)
        if known.request_body is not None:
            kind = known.request_headers.get("content-type", "")
            request_body = await redact_body(redactor, known.request_body, kind)
            data["request_body"] = await _beginning(request_body, max_tokens // 4)
        if known.response_headers:
            data["response_headers"] = await _headers(known.response_headers, redactor)
    if known.response_body is not None:
        kind = known.response_headers.get("content-type", "")
        body = (await redact_body(redactor, known.response_body, kind))[start:]
        left = max_tokens - ENVELOPE_TOKENS - estimate_tokens(str(data))
        shown = await fitting_length_of(body, max(left, max_tokens // 4))
        data["response_body"] = body[:shown]
        if shown < len(body):
            data |= {"characters_left": len(body) - shown, "cursor": start + shown}
    return data


def _summary(request: NetworkRequest, url: str) -> LogRow:
    return {
        "id": request.number,
        "method": request.method,
        "status": request.failure or request.status or "pending",
        "type": request.type,
        "ms": request.duration_ms,
        "url": url,
    }


async def _headers(headers: dict[str, str], redactor: Redactor) -> dict[str, str]:
    return {name: await redact(partial(redactor.header, name), value) for name, value in headers.items()}


async def _beginning(text: str, max_tokens: int) -> str:
    shown = await fitting_length_of(text, max_tokens)
    return text if shown == len(text) else f"{text[:shown]}… ({len(text)} characters)"


def _shortened(url: str) -> str:
    return url if len(url) <= MAX_URL_CHARACTERS else f"{url[:MAX_URL_CHARACTERS]}…"


def _has_status(request: NetworkRequest, wanted: str | None) -> bool:
    if wanted is None:
        return True
    if wanted == "failed":
        return request.failure is not None
    status = str(request.status or "")
    return status == wanted or (wanted.endswith("xx") and status[:1] == wanted[:1])


TOOLS = (
    Tool(
        name="browser_network",
        title="Network",
        description="Requests; `id` shows one whole.",
        arguments=NetworkArguments,
        effect="read",
        profiles=STANDARD,
        operation=Operation(execute=read_network, render=render_requests),
    ),
)
