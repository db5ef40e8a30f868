"""The door in the MCP client, in both protocol eras: what is shown, and what each answer does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp_types import ElicitResult

from tests.approvals.people import (
    WAIT_SECONDS,
    Person,
    answer,
    asking_client,
    configure,
    eventually,
    form_answer,
    pending,
    stdio_asking_client,
    watching,
)
from tests.clients import ERAS, call, fail
from tests.hub_process import HubProcess, running_hub
from tests.sites import Site

pytestmark = pytest.mark.browser

EMAIL = {"role": "textbox", "name": "Email"}
PASSWORD = {"role": "textbox", "name": "Password"}
TRANSPORTS = ("http", "stdio")
# A stateless HTTP client has no connection that could end: its question expires.
SEEN_TO_GO = (("legacy", "http"), ("legacy", "stdio"), ("2026-07-28", "stdio"))


@asynccontextmanager
async def agent_of(
    person: Person, hub: HubProcess, site: Site, *, era: str, transport: str = "http", name: str = "agent"
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
async def test_a_yes_in_the_form_lets_the_call_go_on(
    asking_hub: HubProcess, site: Site, era: str, transport: str
) -> None:
    person = Person([form_answer("Allow once")])
    async with agent_of(person, asking_hub, site, era=era, transport=transport, name="yes") as client:
        await typing(client, "ada@example.com")
        (form,) = person.forms
        lines = form.message.splitlines()
        assert lines[0] == f"Type into textbox “Email” on 127.0.0.1:{site.port}?"
        assert "text: ada@example.com" in lines
        assert 'Asked because of the rule for "127.0.0.1" (config.toml).' in lines
        assert form.requested_schema["properties"]["answer"]["enum"] == [
            "Allow once",
            "Allow for this session",
            "Always allow on this site",
            "Deny",
            "Deny and block this site",
        ]
        assert pending(asking_hub) == []
        snapshot = await call(client, "browser_snapshot")
        assert snapshot["title"] == "Login - Example App"


@pytest.mark.parametrize(
    "no",
    [
        form_answer("Deny"),
        ElicitResult(action="decline"),
        ElicitResult(action="cancel"),
        ElicitResult(action="accept", content={}),
        ElicitResult(action="accept", content={"answer": "yes please"}),
        ElicitResult(action="decline", content={"answer": "Allow once"}),
    ],
)
@pytest.mark.parametrize("era", ERAS)
async def test_anything_but_a_yes_is_a_no(asking_hub: HubProcess, site: Site, era: str, no: ElicitResult) -> None:
    async with agent_of(Person([no]), asking_hub, site, era=era, name="no") as client:
        error = await fail(client, "browser_type", element=EMAIL, text="ada")
        assert error["error"] == "APPROVAL_DENIED"
        assert error["retryable"] is False


@pytest.mark.parametrize("era", ERAS)
async def test_a_yes_for_the_session_is_not_asked_again(asking_hub: HubProcess, site: Site, era: str) -> None:
    person = Person([form_answer("Allow for this session"), form_answer("Deny")])
    async with agent_of(person, asking_hub, site, era=era, name="session") as client:
        await typing(client, "one")
        await typing(client, "two")
        assert len(person.forms) == 1
        await fail(client, "browser_type", element=PASSWORD, text="three")
        assert len(person.forms) == 2


@pytest.mark.parametrize("era", ERAS)
async def test_always_and_block_make_rules_that_hold_for_every_client_and_after_a_restart(
    home: Path, site: Site, era: str
) -> None:
    configure(home, '[policy.domains."127.0.0.1"]\nwrite = "ask"\n[policy.domains."localhost"]\nwrite = "ask"')
    person = Person([form_answer("Always allow on this site"), form_answer("Deny and block this site")])
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
        stranger = Person()
        async with agent_of(stranger, hub, site, era=era, name="stranger") as client:
            await typing(client)
            assert (await fail(client, "browser_navigate", url=local))["error"] == "DOMAIN_DENIED"
            assert stranger.forms == []


@pytest.mark.parametrize("era", ERAS)
async def test_another_door_may_answer_first(asking_hub: HubProcess, site: Site, era: str) -> None:
    person = Person()
    async with agent_of(person, asking_hub, site, era=era, name="race") as client, watching(asking_hub) as watcher:
        working = asyncio.create_task(typing(client))
        asked = await watcher.next()
        await person.is_asked()
        assert await asyncio.to_thread(answer, asking_hub, asked["question"]["id"], "once") == 200
        settled = await watcher.next()
        assert (settled["event"], settled["answer"]["door"]) == ("answered", "test")
        if era == "legacy":
            # The form is taken back over the channel; in the stateless era there is none.
            await asyncio.wait_for(person.cancelled.wait(), WAIT_SECONDS)
        else:
            person.told.put_nowait(form_answer("Deny"))
        await asyncio.wait_for(working, WAIT_SECONDS)


async def test_without_a_form_and_a_watcher_the_agent_is_told_at_once(asking_hub: HubProcess, site: Site) -> None:
    for era in ERAS:
        async with asking_client(asking_hub, None, era=era, name=f"nobody-{era}") as client:
            await call(client, "browser_navigate", url=site.url())
            error = await asyncio.wait_for(fail(client, "browser_type", element=EMAIL, text="x"), 10)
            assert error["error"] == "APPROVAL_DENIED"
            assert error["retryable"] is False
            advice = " ".join(error["suggestions"])
            assert "browser-pilot approvals --watch" in advice
            assert f"browser-pilot policy allow 127.0.0.1:{site.port} --without-asking" in advice


@pytest.mark.parametrize("era", ERAS)
async def test_without_a_form_a_watcher_is_enough(asking_hub: HubProcess, site: Site, era: str) -> None:
    async with watching(asking_hub) as watcher, asking_client(asking_hub, None, era=era, name=f"w-{era}") as client:
        await call(client, "browser_navigate", url=site.url())
        working = asyncio.create_task(typing(client))
        asked = await watcher.next()
        assert await asyncio.to_thread(answer, asking_hub, asked["question"]["id"], "once") == 200
        await asyncio.wait_for(working, WAIT_SECONDS)


@pytest.mark.parametrize("era", ERAS)
async def test_no_answer_in_time_is_a_no(home: Path, site: Site, era: str) -> None:
    configure(home, '[policy]\napproval_timeout_s = 1\n[policy.domains."127.0.0.1"]\nwrite = "ask"')
    person = Person()
    with running_hub(home) as hub:
        async with agent_of(person, hub, site, era=era) as client:
            working = asyncio.create_task(fail(client, "browser_type", element=EMAIL, text="x"))
            await person.is_asked()
            await eventually(lambda: pending(hub) == [])
            if era != "legacy":
                person.told.put_nowait(form_answer("Allow once"))
            error = await asyncio.wait_for(working, WAIT_SECONDS)
            assert error["error"] == "APPROVAL_TIMEOUT"
            assert error["retryable"] is True


async def test_cancelling_the_call_withdraws_the_question(asking_hub: HubProcess, site: Site) -> None:
    person = Person()
    async with (
        agent_of(person, asking_hub, site, era="legacy", name="cancel") as client,
        watching(asking_hub) as watcher,
    ):
        working = asyncio.create_task(typing(client))
        await person.is_asked()
        asked = await watcher.next()
        working.cancel()
        withdrawn = await watcher.next()
        assert (withdrawn["event"], withdrawn["question"]["id"]) == ("withdrawn", asked["question"]["id"])
        assert await asyncio.to_thread(answer, asking_hub, asked["question"]["id"], "once") == 409


@pytest.mark.parametrize(("era", "transport"), SEEN_TO_GO)
async def test_a_client_that_goes_takes_its_question_along(
    asking_hub: HubProcess, site: Site, era: str, transport: str
) -> None:
    person = Person()
    async with watching(asking_hub) as watcher:
        async with agent_of(person, asking_hub, site, era=era, transport=transport, name="gone") as client:
            working = asyncio.create_task(typing(client))
            await person.is_asked()
            assert (await watcher.next())["event"] == "asked"
            if transport == "http":
                working.cancel()
        working.cancel()
        assert (await watcher.next())["event"] == "withdrawn"
        await asyncio.wait({working})


@pytest.mark.parametrize("era", ERAS)
async def test_new_sites_are_asked_about_once_by_calls_at_the_same_time(home: Path, site: Site, era: str) -> None:
    configure(home, '[policy]\nuncovered = "ask"')
    person = Person()
    with running_hub(home) as hub:
        async with asking_client(hub, person, era=era) as client:
            opening = [
                asyncio.create_task(call(client, "browser_tabs", action="open", url=site.url(f"/?{number}")))
                for number in range(4)
            ]
            await person.is_asked()
            person.told.put_nowait(form_answer("Allow for this session"))
            await asyncio.wait_for(asyncio.gather(*opening), WAIT_SECONDS)
            await typing(client)
            (form,) = person.forms
            assert form.message.startswith(f"Use 127.0.0.1:{site.port}?")
            assert "Allow once" not in form.requested_schema["properties"]["answer"]["enum"]
