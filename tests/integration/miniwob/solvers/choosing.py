"""Tasks that are solved by choosing: check boxes, radio buttons, lists, dates, spinners, sliders."""

from __future__ import annotations

import re
from calendar import month_name
from datetime import date

from tests.integration.miniwob.agent import Agent

from .registry import solves

MONTHS = list(month_name)


@solves("click-checkboxes", "click-checkboxes-large", "click-checkboxes-transfer")
async def check_boxes(agent: Agent) -> None:
    wanted = agent.match_task(r"Select (.*) and click Submit")[0].split(", ")
    fields = [{"element": box.ref, "value": True} for box in agent.all("checkbox") if box.name in wanted]
    if fields:
        await agent.call_tool("fill_form", fields=fields)
    await agent.submit()


@solves("click-option")
async def a_radio_button(agent: Agent) -> None:
    await agent.click(agent.one("radio", agent.match_task(r"Select (\S+) and click")[0]))
    await agent.submit()


@solves("choose-list")
async def an_option_of_a_list(agent: Agent) -> None:
    await agent.call_tool(
        "select", element=agent.one("combobox"), values=[agent.match_task(r"Select (.*) from the list")[0]]
    )
    await agent.submit()


@solves("click-scroll-list")
async def options_of_a_list(agent: Agent) -> None:
    values = agent.match_task(r"Select (.*) from the scroll list")[0].split(", ")
    await agent.call_tool("select", element=agent.one("listbox"), values=values)
    await agent.submit()


@solves("form-sequence-3")
async def a_list_of_the_pages_own(agent: Agent) -> None:
    wanted, button = agent.match_task(r'Choose (.*) from the dropdown, then click the button labeled "(\w+)"')
    arrow = agent.rows[agent.where(lambda row: row.name == "▾") - 1]
    await agent.click(arrow)
    await agent.click(agent.one(name=wanted))
    await agent.click(agent.one("button", button))


@solves("choose-date", "choose-date-easy", "choose-date-medium", "choose-date-nodelay")
async def a_day_of_a_calendar(agent: Agent) -> None:
    month, day, year = map(int, agent.match_task(r"Select (\d+)/(\d+)/(\d+)"))
    await agent.click(agent.one("textbox"))
    await pick_day(agent, date(year, month, day))
    await agent.submit()


async def pick_day(agent: Agent, day: date) -> None:
    """Turn the pages of a calendar until it shows the day, and click it."""
    while True:
        heading = next(row.text for row in agent.rows if re.fullmatch(r"\w+ \d{4}", row.text))
        month, year = heading.split()
        shown = date(int(year), MONTHS.index(month), 1)
        if (shown.year, shown.month) == (day.year, day.month):
            break
        await agent.click(
            next(element for element in agent.all() if element.name == ("Prev" if day < shown else "Next"))
        )
    await agent.click(agent.one("link", str(day.day)))


@solves("use-spinner")
async def a_spinner(agent: Agent) -> None:
    await agent.type(agent.one("spinbutton"), agent.match_task(r"Select (-?\d+)")[0])
    await agent.submit()


@solves("use-slider", "use-slider-2", "form-sequence")
async def sliders(agent: Agent) -> None:
    """Each handle is moved with the arrow keys until the page shows the value."""
    wanted = re.findall(r"-?\d+", agent.task)
    if boxes := agent.all("checkbox"):
        wanted, chosen = wanted[:1], int(agent.match_task(r"the (\d)\w\w checkbox")[0])
        fields = [{"element": box.ref, "value": place == chosen} for place, box in enumerate(boxes, 1)]
        await agent.call_tool("fill_form", fields=fields)
    for number, value in enumerate(wanted):
        await move_slider(agent, number, int(value))
    await agent.submit()


async def move_slider(agent: Agent, number: int, value: int) -> None:
    places = [index for index, row in enumerate(agent.rows) if row.role == "text" and re.fullmatch(r"-?\d+", row.name)]
    shown, handle = agent.rows[places[number]], agent.rows[places[number] - 1]
    for _ in range(abs(value - int(shown.name))):
        await agent.press("ArrowRight" if value > int(shown.name) else "ArrowLeft", handle)
    now = next(row for row in agent.rows if row.ref == shown.ref)
    assert int(now.name) == value


@solves("use-autocomplete", "use-autocomplete-nodelay")
async def a_field_that_suggests(agent: Agent) -> None:
    start, end = [*agent.quoted, ""][:2]
    wanted = rf"^{re.escape(start)}.*{re.escape(end)}$"
    await agent.type(agent.one("textbox", "Tags:"), start)
    await agent.call_tool("wait_for", element=f"role=click[name=/{wanted}/]")
    await agent.click(next(element for element in agent.all("click") if re.match(wanted, element.name)))
    await agent.submit()
