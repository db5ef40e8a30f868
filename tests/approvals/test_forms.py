"""The door in the MCP client, in both protocol eras: what is shown, and what each answer does."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp.client import Client

from tests.approvals.people import Person, answer, asking_client, form_answer, pending
from tests.clients import ERAS, call
from tests.hub_process import HubProcess
from tests.sites import Site

pytestmark = pytest.mark.browser

SIGN_IN = {"role": "button", "name": "Sign in"}
EMAIL = {"role": "textbox", "name": "Email"}


async def type_email(client: Client) -> dict[str, Any]:
    return await call(client, "browser_type", element=EMAIL, text="ada@example.com")


async def test_the_api_settles_what_a_form_asks(asking_hub: HubProcess, site: Site) -> None:
    person = Person()
    async with asking_client(asking_hub, person) as client:
        await call(client, "browser_navigate", url=site.url())
        typing = asyncio.create_task(type_email(client))
        await person.is_asked()
        (question,) = pending(asking_hub)
        assert answer(asking_hub, question["id"], "once") == 200
        await typing
        await asyncio.wait_for(person.cancelled.wait(), 10)


@pytest.mark.parametrize("era", ERAS)
async def test_a_yes_in_the_clients_form_lets_the_call_go_on(asking_hub: HubProcess, site: Site, era: str) -> None:
    person = Person([form_answer("Allow once")])
    async with asking_client(asking_hub, person, era=era, name=f"yes-{era}") as client:
        await call(client, "browser_navigate", url=site.url())
        await type_email(client)
        (form,) = person.forms
        assert form.message.startswith("Type into textbox “Email” on 127.0.0.1")
        assert "text: ada@example.com" in form.message
        assert pending(asking_hub) == []
