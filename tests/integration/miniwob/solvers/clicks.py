"""Tasks that are solved by clicking the right element."""

from __future__ import annotations

import re
from itertools import pairwise
from math import hypot

from tests.integration.miniwob.agent import Agent
from tests.integration.miniwob.table import Row

from .registry import solves


@solves("click-test")
async def the_only_button(agent: Agent) -> None:
    await agent.click(agent.one("button"))


@solves("click-test-2", "click-test-transfer", "click-button-sequence")
async def buttons_in_order(agent: Agent) -> None:
    for name in re.findall(r"button (\w+)", agent.task):
        await agent.click(agent.one("button", name))


@solves("click-button", "unicode-test")
async def a_button_by_its_name(agent: Agent) -> None:
    await agent.click(agent.one("button", agent.quoted[0]))


@solves("click-link")
async def a_link_in_a_text(agent: Agent) -> None:
    await agent.click(agent.one("click", agent.quoted[0]))


@solves("click-dialog")
async def the_cross_of_a_dialog(agent: Agent) -> None:
    await agent.click(agent.one("button", "Close"))


@solves("click-dialog-2")
async def a_button_of_a_dialog(agent: Agent) -> None:
    wanted = agent.quoted[0]
    await agent.click(agent.one("button", "Close" if wanted == "x" else wanted))


@solves("click-tab")
async def a_tab(agent: Agent) -> None:
    await agent.click(agent.one("tab", agent.match_task(r"Click on (Tab #\d)")[0]))


@solves("click-tab-2", "click-tab-2-easy", "click-tab-2-medium", "click-tab-2-hard")
async def a_link_behind_tabs(agent: Agent) -> None:
    for tab in agent.all("tab"):
        if found := agent.all("click", agent.quoted[0]):
            await agent.click(found[0])
        if agent.finished:
            return
        await agent.click(tab)
    if not agent.finished:
        await agent.click(agent.one("click", agent.quoted[0]))


@solves("click-collapsible", "click-collapsible-nodelay")
async def a_section_that_opens(agent: Agent) -> None:
    await agent.click(agent.one("tab"))
    await agent.call_tool("wait_for", element={"role": "button", "name": "Submit"})
    await agent.submit()


@solves("click-collapsible-2", "click-collapsible-2-nodelay")
async def a_link_behind_sections(agent: Agent) -> None:
    for section in agent.all("tab"):
        await agent.click(section)
        await agent.call_tool("wait_for", function="!$(':animated').length")
        if found := agent.all("click", agent.quoted[0]):
            await agent.click(found[0])
            return


@solves("click-menu")
async def a_menu_in_a_menu(agent: Agent) -> None:
    names = agent.match_task(r"Select (.*)")[0].split(">")
    for name, following in pairwise(names):
        await agent.call_tool("hover", element=agent.one("menuitem", name))
        await agent.call_tool("wait_for", element={"role": "menuitem", "name": following, "exact": True})
    await agent.click(agent.one("menuitem", names[-1]))


@solves("click-widget")
async def a_kind_of_widget(agent: Agent) -> None:
    """A field of one line and one of many lines have the same role; the DOM tree distinguishes them."""
    tags = {"text": "input", "textarea": "textarea"}
    wanted = agent.quoted[0]
    if wanted in tags:
        await agent.click({"index": (await agent.tree()).index(tags[wanted])})
    else:
        await agent.click(agent.one(wanted))


@solves("navigate-tree")
async def a_file_in_folders(agent: Agent) -> None:
    opened: set[str] = set()
    while not agent.all("click", agent.quoted[0]):
        folder = next(row for row in agent.all("click") if row.ref not in opened and row.name)
        opened.add(folder.ref)
        await agent.click(folder)
    await agent.click(agent.one("click", agent.quoted[0]))


@solves("click-pie", "click-pie-nodelay")
async def a_pie_menu(agent: Agent) -> None:
    await agent.click(agent.one("click", "+"))
    await agent.click(agent.one(name=agent.quoted[0]))


@solves("ascending-numbers")
async def numbers_in_order(agent: Agent) -> None:
    """The first click covers all numbers, so their positions must be known before it."""
    shown = [row for row in await agent.snapshot(boxes=True) if re.fullmatch(r"\d", row.name)]
    numbers = sorted(shown, key=lambda row: int(row.name))
    await agent.click(numbers[0])
    for number in numbers[1:]:
        covers = [row for row in await agent.snapshot(boxes=True) if "rect" in row.name]
        await agent.click(min(covers, key=lambda cover: distance(cover, number)))


def distance(one: Row, other: Row) -> float:
    return hypot(one.box[0] - other.box[0], one.box[1] - other.box[1])


@solves("find-greatest")
async def the_greatest_card(agent: Agent) -> None:
    """A card shows its number when it is clicked, until another one is."""
    numbers: dict[str, int] = {}
    for card in agent.all("click"):
        await agent.click(card)
        shown = next(row for row in agent.rows if re.fullmatch(r"\d+", row.name) and not row.has("hidden"))
        numbers[card.ref] = int(shown.name)
    await agent.click(max(numbers, key=lambda ref: numbers[ref]))
    await agent.submit()


@solves("odd-or-even")
async def odd_and_even_numbers(agent: Agent) -> None:
    rows = agent.rows
    for index, row in enumerate(rows):
        if row.role == "text" and re.fullmatch(r"-?\d+", row.name):
            await agent.click(rows[index - 1] if int(row.name) % 2 else rows[index + 1])
    await agent.submit()


@solves("focus-text")
async def the_only_field(agent: Agent) -> None:
    await agent.click(agent.one("textbox"))


@solves("focus-text-2")
async def one_of_the_fields(agent: Agent) -> None:
    await agent.click(agent.all("textbox")[int(agent.match_task(r"(\d)(?:st|nd|rd|th) input")[0]) - 1])
