"""Tasks that are solved by finding something on the page first."""

from __future__ import annotations

import re

from tests.integration.miniwob.agent import Agent
from tests.integration.miniwob.table import Row

from .registry import solves


@solves("read-table")
async def a_value_of_a_table(agent: Agent) -> None:
    label = agent.match_task(r"Enter the value of (.*) into")[0]
    await agent.type(agent.one("textbox"), table_of(agent)[label])
    await agent.submit()


@solves("read-table-2")
async def values_of_a_table(agent: Agent) -> None:
    known = table_of(agent)
    labels = [row.text.rstrip(":") for row in agent.rows if row.role == "text" and row.text.endswith(":")]
    fields = [
        {"element": field.ref, "value": known[label]}
        for field, label in zip(agent.all("textbox"), (label for label in labels if label in known), strict=True)
    ]
    await agent.call_tool("fill_form", fields=fields)
    await agent.submit()


def table_of(agent: Agent) -> dict[str, str]:
    return dict(row.text.split(" | ") for row in agent.rows if row.role == "row")


@solves("scroll-text")
async def the_last_word(agent: Agent) -> None:
    area, field = agent.all("textbox")
    text = await agent.read(element=area, format="text")
    await agent.type(field, re.findall(r"\w+", text)[-1])
    await agent.submit()


@solves("scroll-text-2")
async def a_text_scrolled_to_its_end(agent: Agent) -> None:
    await agent.call_tool("scroll", element=agent.one("textbox"), to="bottom" if "bottom" in agent.task else "top")
    await agent.submit()


@solves("sign-agreement")
async def an_agreement_that_must_be_read(agent: Agent) -> None:
    if agent.quoted:
        area, name = agent.all("textbox")
        await agent.call_tool("scroll", element=area, to="bottom")
        await agent.type(name, agent.quoted[0])
    await agent.submit("Agree" if agent.task.endswith('"Agree"') else "Cancel")


@solves("search-engine")
async def a_result_on_a_later_page(agent: Agent) -> None:
    place = int(agent.match_task(r"the (\d)\w\w search result")[0]) - 1
    await agent.type(agent.one("textbox"), agent.quoted[0])
    await agent.submit("Search")
    if place >= 3:
        await agent.click(agent.one("link", str(place // 3 + 1)))
    results = [link for link in agent.all("link") if not re.fullmatch(r"[<>\d]", link.name)]
    await agent.click(results[place % 3])


@solves("phone-book")
async def a_contact_on_some_page(agent: Agent) -> None:
    name, what = agent.match_task(r"Find (\w+) in the contact book and click on their (phone|email|address)")
    while not agent.all("heading", name):
        await agent.click(agent.one("link", ">"))
    line = next(row for row in agent.rows if row.text.lower().startswith(what))
    await agent.click(list(line.elements())[1])


@solves("buy-ticket")
async def the_best_ticket(agent: Agent) -> None:
    tickets = [(minutes(agent, index), row) for index, row in enumerate(agent.rows) if row.name.startswith("Book for")]
    by_price = "cheapest" in agent.task or "expensive" in agent.task
    ranked = sorted(tickets, key=lambda ticket: int(ticket[1].name.split("$")[1]) if by_price else ticket[0])
    best = ranked[0] if "cheapest" in agent.task or "shortest" in agent.task else ranked[-1]
    await agent.click(best[1])


def minutes(agent: Agent, button: int) -> int:
    """The duration above a button."""
    text = next(row.text for row in reversed(agent.rows[:button]) if re.search(r"\d+h \d+m", row.text))
    hours, rest = re.findall(r"(\d+)h (\d+)m", text)[0]
    return int(hours) * 60 + int(rest)


@solves("order-food")
async def dishes(agent: Agent) -> None:
    """Each dish is a text, then its images, then a minus and a plus button."""
    dishes: dict[str, tuple[list[str], Row]] = {}
    name, kinds = "", list[str]()
    for row in agent.rows[1:]:
        if row.role == "text":
            name, kinds = row.name, []
        elif row.role == "img":
            kinds.append(row.name)
        elif row.name == "+":
            dishes[name] = kinds, row
    if listed := re.search(r"Order one of each item: (.*)", agent.task):
        chosen = listed[1].split(", ")
    else:
        number, kind = agent.match_task(r"Order (\d+) items that are (\S+)")
        chosen = [next(dish for dish, (kinds, _) in dishes.items() if kind in kinds)] * int(number)
    for dish in chosen:
        await agent.click(dishes[dish][1])
    await agent.submit("Order!")
