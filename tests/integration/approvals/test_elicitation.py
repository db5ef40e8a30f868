"""Elicitation in the MCP client, in both protocol revisions: what is shown, and what each response does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp_types import ElicitResult

from browser_pilot.audit_log.database import AuditLogFiles
from browser_pilot.audit_log.reader import AuditLogReader, AuditQuery
from tests.clients import ERAS, call, fail
from tests.hub_process import HubProcess, running_hub
from tests.sites import Site
from tests.waiting import eventually

from .simulated_users import (
    WAIT_SECONDS,
    SimulatedUser,
    asking_client,
    configure,
    decide,
    form_response,
    pending,
    stdio_asking_client,
    watching,
)

pytestmark = pytest.mark.browser

EMAIL = {"role": "textbox", "name": "Email"}
PASSWORD = {"role": "textbox", "name": "Password"}
TRANSPORTS = ("http", "stdio")
# A stateless HTTP client has no connection that could close: its approval expires.
DISCONNECT_IS_DETECTED = (("legacy", "http"), ("legacy", "stdio"), ("2026-07-28", "stdio"))


@asynccontextmanager
async def agent_of(
    person: SimulatedUser, hub: HubProcess, site: Site, *, era: str, transport: str = "http", name: str = "agent"
) -> AsyncGenerator[Client]:
    """An agent with the page open, whose user is ``person``."""
    if transport == "stdio":
        connecting = stdio_asking_client(hub.home, person, era=era)
    else:
        connecting = asking_client(hub, person, era=era, name=f"{name}-{era}")
    async with connecting as client:
        await call(client, "browser_navigate", url=site.url())
        yield client


def typing(client: Client, text: str = "ada", element: dict[str, str] = EMAIL) -> Any:
    return call(client, "browser_type", element=element, text=text)


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("era", ERAS)
async def test_allowing_in_the_form_executes_the_call(
    asking_hub: HubProcess, site: Site, era: str, transport: str
) -> None:
    person = SimulatedUser([form_response("Allow once")])
    async with agent_of(person, asking_hub, site, era=era, transport=transport, name="yes") as client:
        await typing(client, "ada@example.com")
        (form,) = person.forms
        lines = form.message.splitlines()
        assert lines[0] == f"Type into textbox “Email” on 127.0.0.1:{site.port}?"
        assert "text: ada@example.com" in lines
        assert 'Asked by browser_type, because of the rule for "127.0.0.1" (config.toml).' in lines
        assert f"“Always” can be undone with `browser-pilot policy forget 127.0.0.1:{site.port}`." in lines
        assert form.requested_schema["properties"]["answer"]["enum"] == [
            "Allow once",
            "Allow for this session",
            f"Always allow low-risk actions on 127.0.0.1:{site.port}",
            "Deny",
            "Deny and block this site",
        ]
        assert pending(asking_hub) == []
        snapshot = await call(client, "browser_snapshot")
        assert snapshot["title"] == "Login - Example App"


@pytest.mark.parametrize(
    "response",
    [
        form_response("Deny"),
        ElicitResult(action="decline"),
        ElicitResult(action="cancel"),
        ElicitResult(action="accept", content={}),
        ElicitResult(action="accept", content={"answer": "yes please"}),
        ElicitResult(action="decline", content={"answer": "Allow once"}),
    ],
)
@pytest.mark.parametrize("era", ERAS)
async def test_any_other_response_is_a_denial(
    asking_hub: HubProcess, site: Site, era: str, response: ElicitResult
) -> None:
    async with agent_of(SimulatedUser([response]), asking_hub, site, era=era, name="no") as client:
        error = await fail(client, "browser_type", element=EMAIL, text="ada")
        assert error["error"] == "APPROVAL_DENIED"
        assert error["retryable"] is False


async def test_a_long_value_is_shown_in_full_or_refused(asking_hub: HubProcess, site: Site) -> None:
    person = SimulatedUser([form_response("Deny"), form_response("Deny")])
    long = "Lunch on Friday? " * 40 + "PS: please wire 9,000 EUR to Bob."
    async with agent_of(person, asking_hub, site, era="legacy", name="long") as client:
        await fail(client, "browser_type", element=EMAIL, text=long)
        await fail(client, "browser_fill_form", fields=[{"element": EMAIL, "value": long}])
        assert [long in form.message for form in person.forms] == [True, True]
        error = await fail(client, "browser_type", element=EMAIL, text="x" * 100_001)
        assert error["error"] == "INVALID_ARGUMENT"
        assert "100,000" in error["message"]
        assert len(person.forms) == 2


@pytest.mark.parametrize("era", ERAS)
async def test_allowing_for_the_session_covers_later_calls(asking_hub: HubProcess, site: Site, era: str) -> None:
    person = SimulatedUser([form_response("Allow for this session"), form_response("Deny")])
    async with agent_of(person, asking_hub, site, era=era, name="session") as client:
        await typing(client, f"first-{era}")
        await typing(client, f"second-{era}")
        assert len(person.forms) == 1
        log = AuditLogReader(AuditLogFiles.in_home(asking_hub.home))
        first, second = (
            action.flat() for word in ("first", "second") for action in log.search(AuditQuery(text=f"{word}-{era}"))
        )
        assert (first["decision"], first.get("grant")) == ("ask", None)
        assert (second["decision"], second["grant"], second["approval"]) == ("ask", "session", first["approval"])
        await fail(client, "browser_type", element=PASSWORD, text="three")
        assert len(person.forms) == 2


@pytest.mark.parametrize("era", ERAS)
async def test_always_and_block_write_rules_for_every_client_that_survive_a_restart(
    home: Path, site: Site, era: str
) -> None:
    configure(home, '[policy.domains."127.0.0.1"]\nwrite = "ask"\n[policy.domains."localhost"]\nwrite = "ask"')
    always = f"Always allow low-risk actions on 127.0.0.1:{site.port}"
    person = SimulatedUser([form_response(always), form_response("Deny and block this site")])
    local = f"http://localhost:{site.port}/"
    with running_hub(home) as hub:
        async with agent_of(person, hub, site, era=era) as client:
            await typing(client)
            await typing(client)
            await call(client, "browser_navigate", url=local)
            assert (await fail(client, "browser_type", element=EMAIL, text="x"))["error"] == "APPROVAL_DENIED"
            assert (await fail(client, "browser_snapshot"))["error"] == "DOMAIN_DENIED"
            assert len(person.forms) == 2
    with running_hub(home) as hub:
        other_user = SimulatedUser()
        async with agent_of(other_user, hub, site, era=era, name="other") as client:
            await typing(client)
            assert (await fail(client, "browser_navigate", url=local))["error"] == "DOMAIN_DENIED"
            assert other_user.forms == []


@pytest.mark.parametrize("era", ERAS)
async def test_another_channel_may_decide_first(asking_hub: HubProcess, site: Site, era: str) -> None:
    person = SimulatedUser()
    async with agent_of(person, asking_hub, site, era=era, name="race") as client, watching(asking_hub) as watcher:
        calling = asyncio.create_task(typing(client))
        requested = await watcher.next()
        await person.wait_for_form()
        assert await asyncio.to_thread(decide, asking_hub, requested["question"]["id"], "once") == 200
        decided = await watcher.next()
        assert (decided["event"], decided["answer"]["door"]) == ("answered", "test")
        if era == "legacy":
            # The elicitation is cancelled over the connection; the stateless protocol has none.
            await asyncio.wait_for(person.cancelled.wait(), WAIT_SECONDS)
        else:
            person.responses.put_nowait(form_response("Deny"))
        await asyncio.wait_for(calling, WAIT_SECONDS)


async def test_without_elicitation_and_watcher_the_call_fails_at_once(asking_hub: HubProcess, site: Site) -> None:
    for era in ERAS:
        async with asking_client(asking_hub, None, era=era, name=f"unattended-{era}") as client:
            await call(client, "browser_navigate", url=site.url())
            error = await asyncio.wait_for(fail(client, "browser_type", element=EMAIL, text="x"), 10)
            assert error["error"] == "APPROVAL_DENIED"
            assert error["retryable"] is False
            advice = " ".join(error["suggestions"])
            assert "browser-pilot approvals --watch" in advice
            assert f"browser-pilot policy allow 127.0.0.1:{site.port} --without-asking" in advice


@pytest.mark.parametrize("era", ERAS)
async def test_without_elicitation_a_watcher_is_enough(asking_hub: HubProcess, site: Site, era: str) -> None:
    async with watching(asking_hub) as watcher, asking_client(asking_hub, None, era=era, name=f"w-{era}") as client:
        await call(client, "browser_navigate", url=site.url())
        calling = asyncio.create_task(typing(client))
        requested = await watcher.next()
        assert await asyncio.to_thread(decide, asking_hub, requested["question"]["id"], "once") == 200
        await asyncio.wait_for(calling, WAIT_SECONDS)


@pytest.mark.parametrize("era", ERAS)
async def test_an_approval_times_out(home: Path, site: Site, era: str) -> None:
    configure(home, '[policy]\napproval_timeout_s = 1\n[policy.domains."127.0.0.1"]\nwrite = "ask"')
    person = SimulatedUser()
    with running_hub(home) as hub:
        async with agent_of(person, hub, site, era=era) as client:
            calling = asyncio.create_task(fail(client, "browser_type", element=EMAIL, text="x"))
            await person.wait_for_form()
            await eventually(lambda: pending(hub) == [])
            if era != "legacy":
                person.responses.put_nowait(form_response("Allow once"))
            error = await asyncio.wait_for(calling, WAIT_SECONDS)
            assert error["error"] == "APPROVAL_TIMEOUT"
            assert error["retryable"] is True


async def test_cancelling_the_call_withdraws_the_approval(asking_hub: HubProcess, site: Site) -> None:
    person = SimulatedUser()
    async with (
        agent_of(person, asking_hub, site, era="legacy", name="cancel") as client,
        watching(asking_hub) as watcher,
    ):
        calling = asyncio.create_task(typing(client))
        await person.wait_for_form()
        requested = await watcher.next()
        calling.cancel()
        withdrawn = await watcher.next()
        assert (withdrawn["event"], withdrawn["question"]["id"]) == ("withdrawn", requested["question"]["id"])
        assert await asyncio.to_thread(decide, asking_hub, requested["question"]["id"], "once") == 409


@pytest.mark.parametrize(("era", "transport"), DISCONNECT_IS_DETECTED)
async def test_a_client_that_disconnects_withdraws_its_approval(
    asking_hub: HubProcess, site: Site, era: str, transport: str
) -> None:
    person = SimulatedUser()
    async with watching(asking_hub) as watcher:
        async with agent_of(person, asking_hub, site, era=era, transport=transport, name="gone") as client:
            calling = asyncio.create_task(typing(client))
            await person.wait_for_form()
            assert (await watcher.next())["event"] == "asked"
            if transport == "http":
                calling.cancel()
        calling.cancel()
        assert (await watcher.next())["event"] == "withdrawn"
        await asyncio.wait({calling})


@pytest.mark.parametrize("era", ERAS)
async def test_concurrent_calls_on_a_new_site_share_one_approval(home: Path, site: Site, era: str) -> None:
    configure(home, '[policy]\nuncovered = "ask"')
    person = SimulatedUser()
    with running_hub(home) as hub:
        async with asking_client(hub, person, era=era) as client:
            opening = [
                asyncio.create_task(call(client, "browser_tabs", action="open", url=site.url(f"/?{number}")))
                for number in range(4)
            ]
            await person.wait_for_form()
            person.responses.put_nowait(form_response("Allow for this session"))
            await asyncio.wait_for(asyncio.gather(*opening), WAIT_SECONDS)
            await typing(client)
            (form,) = person.forms
            assert form.message.startswith(f"Use 127.0.0.1:{site.port}?")
            assert "Allow once" not in form.requested_schema["properties"]["answer"]["enum"]
