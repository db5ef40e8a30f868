"""Traces of a session, for people who want to see afterwards what happened."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ...sessions.session import Session
from ..answers import Answer
from ..registry import FULL_ONLY, Call, Tool
from ..schema import TabArguments


class TraceArguments(TabArguments):
    action: Literal["start", "stop"] = "start"
    path: Annotated[str | None, Field(description="file name to save to", max_length=200)] = None


async def trace(call: Call, arguments: TraceArguments) -> Answer:
    async def work(session: Session) -> Answer:
        if arguments.action == "start":
            await session.start_trace()
            return Answer({"trace": "started"})
        name = None if arguments.path is None else call.gateway.redactor.filename(arguments.path)
        path = await session.stop_trace(call.client.settings.files.trace_dir, name)
        return Answer({"path": str(path), "bytes": path.stat().st_size, "view": f"npx playwright show-trace {path}"})

    # A trace holds what was typed and every cookie.
    return await call.gateway.on_session(call.intent(arguments), work)


TOOLS = (
    Tool(
        name="browser_trace",
        title="Trace",
        description="Record the session as a Playwright trace file.",
        arguments=TraceArguments,
        effect="cookies",
        profiles=FULL_ONLY,
        handler=trace,
    ),
)
