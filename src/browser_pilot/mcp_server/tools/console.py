"""The console of a page: messages and uncaught errors, filtered, in pages, redacted."""

from __future__ import annotations

import time
from typing import Annotated, Literal

from pydantic import BeforeValidator

from browser_pilot.gateway import ToolContext
from browser_pilot.mcp_server.tool_registry import EVERYWHERE, Operation, Tool
from browser_pilot.mcp_server.tool_result import ToolResult
from browser_pilot.mcp_server.tool_schema import TabArguments
from browser_pilot.page.observe.console import ConsoleEntry
from browser_pilot.redaction.offloading import redact

from .arguments import Since, parse_since
from .log_page import (
    Limit,
    LogRow,
    Number,
    PageRange,
    brief,
    clock_time,
    contains,
    is_at_host,
    local_date,
    log_page,
)

ConsoleLevel = Literal["error", "warning", "info", "debug"]
# The names of the console's own methods.
_METHODS: dict[object, ConsoleLevel] = {"warn": "warning", "log": "info"}


def usual_level(given: object) -> object:
    return _METHODS.get(given, given) if isinstance(given, str) else given


class ConsoleArguments(TabArguments):
    level: Annotated[ConsoleLevel | None, BeforeValidator(usual_level)] = None
    text: str | None = None
    host: str | None = None
    since: Since = None
    limit: Limit = None
    cursor: Number = None

    @property
    def is_filtered(self) -> bool:
        return any(given is not None for given in (self.level, self.text, self.host, self.since))


async def read_console(context: ToolContext, arguments: ConsoleArguments) -> LogRow:
    redactor = context.redactor
    now = time.time()
    since = parse_since(arguments.since, now=now)
    part = PageRange(limit=arguments.limit, before=arguments.cursor, max_tokens=context.max_tokens)

    async def row(entry: ConsoleEntry) -> LogRow:
        text, where = await redact(redactor.text, entry.text), await redact(redactor.url, entry.location)
        shown = brief(text) if part.is_brief else text
        return {"level": entry.level, "time": clock_time(entry.at, now=now), "text": shown, "where": where}

    async def matches(entry: ConsoleEntry) -> bool:
        return (
            (arguments.level is None or entry.level == arguments.level)
            and entry.at >= since
            and (arguments.host is None or is_at_host(entry.location, arguments.host))
            and await contains(entry.text, arguments.text, redactor.text)
        )

    page = await log_page(
        "logs",
        context.tab.console,
        matches if arguments.is_filtered else None,
        row,
        part,
        dropped=context.tab.tracker.dropped_events.console,
    )
    return {"date": local_date(now), **page}


async def render_logs(_: ToolContext, __: ConsoleArguments, logs: LogRow) -> ToolResult:
    return ToolResult(logs)


TOOLS = (
    Tool(
        name="browser_console",
        title="Read the console",
        description="New console messages and errors; with `limit` old ones too.",
        arguments=ConsoleArguments,
        effect="read",
        profiles=EVERYWHERE,
        operation=Operation(execute=read_console, render=render_logs),
    ),
)
