"""Dialogs are reported, wait for the agent's response, and block nothing else."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import BrowserContext, Page

from browser_pilot.errors import DialogOpen, InvalidArgument
from browser_pilot.page.actions.dialogs import DIALOG_BURST, Dialogs
from browser_pilot.page.tab import Tab
from tests.page.conftest import Show
from tests.waiting import eventually

from .acting import click, evaluate, open_address, respond_to_dialog
from .site import Site

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ASK = "<p id=out></p><button id=b onclick='out.textContent = String({})'>Go</button>"


@pytest.mark.parametrize(
    ("call", "accept", "text", "result"),
    [
        ("alert(`Hi`)", True, None, "undefined"),
        ("confirm(`Hi`)", True, None, "true"),
        ("confirm(`Hi`)", False, None, "false"),
        ("prompt(`Hi`, `me`)", True, None, "me"),
        ("prompt(`Hi`, `me`)", True, "you", "you"),
        ("prompt(`Hi`)", False, None, "null"),
    ],
)
async def test_a_dialog_is_reported_and_responded_to(
    show: Show, call: str, accept: bool, text: str | None, result: str
) -> None:
    tab = await show(ASK.format(call))
    outcome = await click(tab, "#b")
    assert outcome.dialog is not None
    assert (outcome.dialog.kind, outcome.dialog.message) == (call.split("(")[0], "Hi")
    after = await respond_to_dialog(tab, accept=accept, text=text)
    assert after.dialog is None
    assert await tab.page.inner_text("#out") == result


async def test_an_open_dialog_blocks_actions_in_its_tab_only(show: Show, context: BrowserContext) -> None:
    tab = await show(ASK.format("alert(`Hi`)"))
    await click(tab, "#b")
    with pytest.raises(DialogOpen, match="Hi"):
        await click(tab, "#b")
    other = Tab("t2", await context.new_page())
    await other.page.set_content("<button id=b onclick='document.title = `ok`'>Go</button>")
    await click(other, "#b")
    assert await other.page.title() == "ok"
    await respond_to_dialog(tab, accept=True)
    assert (await click(tab, "#b")).dialog is not None


async def test_each_of_several_dialogs_is_reported(show: Show) -> None:
    tab = await show(ASK.format("confirm(`One`) && confirm(`Two`)"))
    first = await click(tab, "#b")
    second = await respond_to_dialog(tab, accept=True)
    assert first.dialog is not None
    assert second.dialog is not None
    assert (first.dialog.message, second.dialog.message) == ("One", "Two")
    await respond_to_dialog(tab, accept=False)
    assert await tab.page.inner_text("#out") == "false"


GUARDED = """<input id=f><button id=b>Go</button><a id=a href="{}">Next</a>
<script>onbeforeunload = e => e.preventDefault()</script>"""


async def test_a_page_that_the_agent_leaves_is_left_though_it_asks(show: Show, site: Site) -> None:
    there = site.add("next", "<p>Next</p>")
    tab = await show(GUARDED.format(there))
    await click(tab, "#b")
    outcome = await open_address(tab, there)
    assert outcome.navigated == there
    assert outcome.dialog is None
    assert any("beforeunload" in notice for notice in outcome.notices)


async def test_a_beforeunload_dialog_of_a_link_or_in_the_users_own_browser_is_the_agents_decision(
    show: Show, site: Site
) -> None:
    there = site.add("next", "<p>Next</p>")
    tab = await show(GUARDED.format(there))
    await click(tab, "#b")
    here = tab.page.url
    outcome = await click(tab, "#a")
    assert outcome.dialog is not None
    assert outcome.dialog.kind == "beforeunload"
    await respond_to_dialog(tab, accept=False)
    assert tab.page.url == here
    tab.dialogs.in_users_browser = True
    assert (await open_address(tab, there)).dialog is not None
    after = await respond_to_dialog(tab, accept=True)
    assert after.navigated == there


async def test_dialogs_beyond_a_limit_are_dismissed_until_the_next_document(show: Show) -> None:
    many = DIALOG_BURST + 3
    tab = await show(
        f"<button id=b onclick='for (let i = 0; i < {many}; i++) alert(i); document.title = `End`'>Go</button>"
    )
    outcome = await click(tab, "#b")
    answered = 0
    while outcome.dialog is not None:
        outcome = await respond_to_dialog(tab, accept=True)
        answered += 1
    assert DIALOG_BURST <= answered < many
    await tab.page.wait_for_function("document.title === 'End'")
    notices = (*outcome.notices, *tab.take_notices())
    assert any("too many dialogs" in notice for notice in notices)
    await tab.page.reload()
    await eventually(lambda: tab.dialogs.accepts, "dialogs are shown again")


async def test_a_dialog_without_a_response_is_dismissed_and_reported(page: Page, site: Site) -> None:
    tab = Tab("t1", page)
    tab.dialogs = Dialogs(page, timeout_seconds=0.3)
    await page.goto(site.add("page", ASK.format("confirm(`Hi`)")))
    await click(tab, "#b")
    await page.wait_for_function("out.textContent === 'false'")
    outcome = await click(tab, "#out")
    assert any("'Hi'" in notice for notice in outcome.notices)


async def test_a_dialog_that_an_evaluated_script_opens_is_reported(show: Show) -> None:
    tab = await show("<p>Text</p>")
    evaluated = await evaluate(tab, "alert('Hi')")
    assert evaluated.outcome.dialog is not None
    await respond_to_dialog(tab, accept=True)


async def test_a_response_without_a_dialog_or_with_unexpected_text_is_refused(show: Show) -> None:
    tab = await show(ASK.format("alert(`Hi`)"))
    with pytest.raises(InvalidArgument):
        await respond_to_dialog(tab, accept=True)
    await click(tab, "#b")
    with pytest.raises(InvalidArgument):
        await respond_to_dialog(tab, accept=True, text="x")
    async with asyncio.timeout(60):
        await respond_to_dialog(tab, accept=True)
