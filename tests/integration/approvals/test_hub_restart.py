"""A hub that dies with a pending approval: the next hub executes nothing that was pending."""

from __future__ import annotations

import asyncio
from pathlib import Path

import psutil
import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, InputRequiredResult

from browser_pilot.hub_discovery.runtime_file import read_runtime
from tests.clients import call, text_of
from tests.hub_process import running_hub
from tests.sites import Site

from .simulated_users import (
    WAIT_SECONDS,
    SimulatedUser,
    asking_client,
    configure,
    decide,
    form_response,
    pending,
    stdio_asking_client,
)

pytestmark = pytest.mark.browser

SETTINGS = '[hub]\nport = {port}\n[policy.domains."127.0.0.1"]\nwrite = "ask"\n'
ARGUMENTS = {"element": {"role": "textbox", "name": "Email"}, "text": "x"}


async def test_a_deferred_call_is_rejected_after_a_restart(home: Path, site: Site) -> None:
    configure(home, SETTINGS.format(port=0))
    with running_hub(home) as hub:
        async with asking_client(hub, SimulatedUser(), era="2026-07-28") as client:
            await call(client, "browser_navigate", url=site.url())
            result = await client.session.call_tool("browser_type", ARGUMENTS, allow_input_required=True)
            assert isinstance(result, InputRequiredResult)
            state = result.request_state
            (approval,) = pending(hub)
    with running_hub(home) as hub:
        assert pending(hub) == []
        assert decide(hub, approval["id"], "once") == 409
        async with asking_client(hub, SimulatedUser(), era="2026-07-28") as client:
            await call(client, "browser_navigate", url=site.url())
            with pytest.raises(MCPError, match="requestState"):
                await client.session.call_tool(
                    "browser_type",
                    ARGUMENTS,
                    input_responses={"approval": form_response("Allow once")},
                    request_state=state,
                    allow_input_required=True,
                )


async def test_a_killed_hub_executes_no_pending_call(home: Path, site: Site) -> None:
    configure(home, SETTINGS.format(port=0))
    person = SimulatedUser()
    async with stdio_asking_client(home, person) as client:
        await call(client, "browser_navigate", url=site.url())
        calling = asyncio.create_task(client.call_tool("browser_type", ARGUMENTS))
        await person.wait_for_form()
        info = read_runtime(home)
        assert info is not None
        psutil.Process(info.pid).kill()
        result = await asyncio.wait_for(calling, WAIT_SECONDS)
        assert isinstance(result, CallToolResult)
        assert result.is_error
        assert "OUTCOME_UNKNOWN" in text_of(result)
        person.responses.put_nowait(form_response("Allow once"))
        await call(client, "browser_navigate", url=site.url())
        again = read_runtime(home)
        assert again is not None
        assert again.pid != info.pid
        psutil.Process(again.pid).terminate()
