"""The console of a page: messages and uncaught errors, filtered, in pages, redacted."""

from __future__ import annotations

import time
from typing import Literal

from browser_pilot.gateway import ToolContext
from browser_pilot.mcp_server.tool_registry import EVERYWHERE, Operation, Tool
from browser_pilot.mcp_server.tool_result import ToolResult
from browser_pilot.mcp_server.tool_schema import TabArguments
from browser_pilot.page.observe.console import ConsoleEntry
from browser_pilot.redaction.offloading import redact

from .arguments import Since, parse_since
from .log_page import Limit, LogRow, Number, clock_time, contains, is_at_host, log_page


class ConsoleArguments(TabArguments):
    level: Literal["error", "warning", "info", "debug"] | None = None
    text: str | None = None
    host: str | None = None
    since: Since = None
    limit: Limit = 50
    cursor: Number = None


async def read_console(context: ToolContext, arguments: ConsoleArguments) -> LogRow:
    redactor = context.redactor
    since = parse_since(arguments.since, now=time.time())

    async def row(entry: ConsoleEntry) -> LogRow:
        text, where = await redact(redactor.text, entry.text), await redact(redactor.url, entry.location)
        return {"level": entry.level, "time": clock_time(entry.at), "text": text, "where": where}

    async def matches(entry: ConsoleEntry) -> bool:
        return (
            (arguments.level is None or entry.level == arguments.level)
            and entry.at >= since
            and (arguments.host is None or is_at_host(entry.location, arguments.host))
            and await contains(entry.text, arguments.text, redactor.text)
        )

    return await log_page(
        "logs",
        context.tab.console,
        matches,
        row,
        limit=arguments.limit,
        before=arguments.cursor,
        max_tokens=context.max_tokens,
        dropped=context.tab.tracker.dropped_events.console,
    )


async def render_logs(_: ToolContext, __: ConsoleArguments, logs: LogRow) -> ToolResult:
    return ToolResult(logs)


TOOLS = (
    Tool(
        name="browser_console",
        title="Console",
        description="Messages and uncaught errors.",
        arguments=ConsoleArguments,
        effect="read",
        profiles=EVERYWHERE,
        operation=Operation(execute=read_console, render=render_logs),
    ),
)
