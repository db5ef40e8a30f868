"""Scripts need approval unless they have no side effects, and the person is shown all of the script."""

from __future__ import annotations

import pytest

from tests.clients import call, fail, http_client
from tests.conftest import HubWith
from tests.hub_process import HubProcess
from tests.sites import Site, serving

from .simulated_users import SimulatedUser, asking_client, form_response

pytestmark = pytest.mark.browser

SHOP = """<!doctype html><html lang=en><title>Shop</title><p id=p>Price: 5</p>
<form id=f method=post action=/paid><button id=pay>Pay now</button></form>"""
FRAMED = "<!doctype html><html lang=en><title>Outer</title><iframe src='http://localhost:{port}/'></iframe>"
# On loopback nothing needs approval by default; with this it is like any other site.
SETTINGS = """
[tools]
profile = "full"
[policy]
approval_timeout_s = 20
[policy.ask_from]
loopback = "high"
[policy.domains."localhost"]
read = true
write = false
"""
DENY, ALLOW_ONCE = form_response("Deny"), form_response("Allow once")
PAY = "document.querySelector('#pay').click()"


def paid(site: Site) -> int:
    return site.hits.count("/paid")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("browser_evaluate", {"expression": PAY}),
        ("browser_evaluate", {"expression": "document.querySelector('#f').submit()"}),
        ("browser_evaluate", {"expression": "e => e.click()", "element": "#pay"}),
        ("browser_evaluate", {"expression": "async () => { await 0; document.querySelector('#f').submit() }"}),
        ("browser_wait_for", {"function": f"() => {{ {PAY}; return true }}"}),
    ],
)
async def test_a_script_with_a_side_effect_needs_approval(
    hub_with: HubWith, tool: str, arguments: dict[str, str]
) -> None:
    hub = hub_with(SETTINGS)
    person = SimulatedUser([DENY, ALLOW_ONCE])
    with serving({"/": SHOP, "/paid": "<title>Paid</title>"}) as site:
        async with asking_client(hub, person) as client:
            await call(client, "browser_navigate", url=site.url())
            assert (await fail(client, tool, **arguments))["error"] == "APPROVAL_DENIED"
            assert paid(site) == 0
            script = arguments.get("expression") or arguments["function"]
            assert script in person.forms[0].message
            assert "High risk" in person.forms[0].message
            await call(client, tool, **arguments)
            await call(client, "browser_wait_for", url="/paid")
    assert paid(site) == 1
    assert len(person.forms) == 2


async def test_a_script_that_only_reads_needs_no_approval(hub_with: HubWith) -> None:
    hub = hub_with(SETTINGS)
    person = SimulatedUser()
    with serving({"/": SHOP}) as site:
        async with asking_client(hub, person) as client:
            await call(client, "browser_navigate", url=site.url())
            read = await call(client, "browser_evaluate", expression="document.querySelector('#p').innerText")
            assert read["result"] == "Price: 5"
            # "Pay now" is only read, not pressed.
            on_element = await call(client, "browser_evaluate", expression="e => e.textContent", element="#pay")
            assert on_element["result"] == "Pay now"
            await call(client, "browser_wait_for", function="() => document.readyState === 'complete'")
            assert (await fail(client, "browser_evaluate", expression="1 +"))["error"] == "INVALID_ARGUMENT"
    assert person.forms == []


async def test_a_long_script_is_shown_in_full_or_not_run(hub_with: HubWith) -> None:
    hub = hub_with(SETTINGS)
    person = SimulatedUser([DENY])
    long = f"/* {'a' * 5_000} */ {PAY}"
    with serving({"/": SHOP}) as site:
        async with asking_client(hub, person) as client:
            await call(client, "browser_navigate", url=site.url())
            assert (await fail(client, "browser_evaluate", expression=long))["error"] == "APPROVAL_DENIED"
            assert long in person.forms[0].message
            too_long = await fail(client, "browser_evaluate", expression=f"/* {'a' * 20_000} */ {PAY}")
            assert too_long["error"] == "INVALID_ARGUMENT"
    assert len(person.forms) == 1
    assert paid(site) == 0


async def test_a_script_is_allowed_once_and_never_for_the_session(hub_with: HubWith) -> None:
    hub = hub_with(SETTINGS)
    person = SimulatedUser([ALLOW_ONCE, form_response("Allow for this session"), DENY])
    with serving({"/": SHOP, "/paid": "<title>Paid</title>"}) as site:
        async with asking_client(hub, person) as client:
            await call(client, "browser_navigate", url=site.url())
            harmless = "e => { e.dataset.seen = 1 }"
            await call(client, "browser_evaluate", expression=harmless, element="#pay")
            # It is not offered, so this answer is none.
            for script in (harmless, "e => e.click()"):
                error = await fail(client, "browser_evaluate", expression=script, element="#pay")
                assert error["error"] == "APPROVAL_DENIED"
    assert paid(site) == 0
    assert len(person.forms) == 3
    assert all("session" not in str(form.requested_schema) for form in person.forms)


async def test_a_script_on_an_element_is_authorized_for_the_site_of_its_frame(hub_with: HubWith) -> None:
    hub = hub_with(SETTINGS)
    with serving({"/": SHOP}) as site:
        site.pages["/outer"] = FRAMED.replace("{port}", str(site.port))
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=site.url("/outer"))
            await call(client, "browser_wait_for", text="Price")
            error = await fail(client, "browser_evaluate", expression="e => e.click()", element="#pay")
            assert error["error"] == "DOMAIN_DENIED"
            assert (await fail(client, "browser_evaluate", expression="e => e.id", element="#pay"))["error"] == (
                "DOMAIN_DENIED"
            )
    assert paid(site) == 0


async def test_a_rule_that_asks_about_every_change_asks_about_every_script(hub_with: HubWith) -> None:
    hub = hub_with(SETTINGS + '[policy.domains."127.0.0.1"]\nwrite = "ask"\n')
    person = SimulatedUser([DENY, ALLOW_ONCE])
    with serving({"/": SHOP}) as site:
        async with asking_client(hub, person) as client:
            await call(client, "browser_navigate", url=site.url())
            assert (await fail(client, "browser_evaluate", expression="document.title"))["error"] == "APPROVAL_DENIED"
            assert (await call(client, "browser_evaluate", expression="document.title"))["result"] == "Shop"
    assert len(person.forms) == 2


async def test_the_standard_profile_runs_no_scripts(hub: HubProcess) -> None:
    with serving({"/": SHOP}) as site:
        for tools in ("standard", "minimal,browser_wait_for", "full,-browser_wait_for,standard"):
            async with http_client(hub, query=f"?tools={tools}") as client:
                listed = {tool.name: tool for tool in (await client.list_tools()).tools}
                assert "function" not in listed["browser_wait_for"].input_schema["properties"]
                await call(client, "browser_navigate", url=site.url())
                error = await fail(client, "browser_wait_for", function=PAY)
                assert error["error"] == "INVALID_ARGUMENT"
                assert "`full`" in error["message"]
        for tools in ("full", "standard,full", "full,standard"):
            async with http_client(hub, query=f"?tools={tools}") as client:
                listed = {tool.name: tool for tool in (await client.list_tools()).tools}
                assert "function" in listed["browser_wait_for"].input_schema["properties"]
    assert paid(site) == 0
