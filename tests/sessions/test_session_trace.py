"""A session has one trace at a time, and loses it with its browser."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from browser_pilot.engines.engine import LiveContext
from browser_pilot.errors import InvalidArgument
from browser_pilot.sessions.session_trace import SessionTrace


class FakeTracing:
    async def start(self, **_: object) -> None: ...

    async def stop(self, *, path: Path) -> None:
        path.write_bytes(b"trace")


def context() -> LiveContext:
    return cast("LiveContext", SimpleNamespace(context=SimpleNamespace(tracing=FakeTracing())))


async def test_a_trace_is_written_when_it_is_stopped(tmp_path: Path) -> None:
    trace, live = SessionTrace(), context()
    await trace.start(live)
    with pytest.raises(InvalidArgument, match="already running"):
        trace.require_not_running(live)
    assert (await trace.stop(live, tmp_path, "a.zip")).read_bytes() == b"trace"
    trace.require_not_running(live)


async def test_stopping_without_a_trace_fails(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="No trace is running"):
        await SessionTrace().stop(context(), tmp_path, None)


async def test_a_trace_is_lost_with_its_browser(tmp_path: Path) -> None:
    trace = SessionTrace()
    await trace.start(context())
    reopened = context()
    trace.require_not_running(reopened)
    with pytest.raises(InvalidArgument, match="lost with its browser"):
        await trace.stop(reopened, tmp_path, None)
