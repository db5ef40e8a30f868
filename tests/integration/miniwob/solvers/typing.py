"""Tasks that are solved by writing into fields."""

from __future__ import annotations

import re

from tests.integration.miniwob.agent import Agent

from .registry import solves


@solves("enter-text", "enter-text-dynamic")
async def a_text(agent: Agent) -> None:
    await agent.type(agent.one("textbox"), agent.quoted[0])
    await agent.submit()


@solves("enter-text-2")
async def a_text_in_one_case(agent: Agent) -> None:
    text = agent.quoted[0]
    await agent.type(agent.one("textbox"), text.upper() if "upper case" in agent.task else text.lower())
    await agent.submit()


@solves("enter-password")
async def a_password_twice(agent: Agent) -> None:
    fields = [{"element": field.ref, "value": agent.quoted[0]} for field in agent.all("textbox")]
    await agent.call_tool("fill_form", fields=fields)
    await agent.submit()


@solves("enter-date")
async def a_date(agent: Agent) -> None:
    month, day, year = agent.match_task(r"Enter (\d+)/(\d+)/(\d+)")
    field = next(row for row in agent.rows if row.role in ("date", "textbox"))
    await agent.type(field, f"{year}-{month}-{day}" if field.role == "date" else f"{month}/{day}/{year}")
    await agent.submit()


@solves("enter-time")
async def a_time(agent: Agent) -> None:
    hour, minute, half = agent.match_task(r"Enter (\d+):(\d+) (AM|PM)")
    hours = int(hour) % 12 + (12 if half == "PM" else 0)
    await agent.type(agent.one("time"), f"{hours:02}:{minute}")
    await agent.submit()


@solves("login-user")
async def a_name_and_a_password(agent: Agent) -> None:
    fields = [{"element": row.ref, "value": text} for row, text in zip(agent.all("textbox"), agent.quoted, strict=True)]
    await agent.call_tool("fill_form", fields=fields)
    await agent.submit("Login")


@solves("copy-paste", "copy-paste-2")
async def a_copied_text(agent: Agent) -> None:
    fields = agent.all("textbox")
    target = next(field for field in fields if not field.value)
    number = re.search(r"the (\d)", agent.task)
    source = [field for field in fields if field.value][int(number[1]) - 1 if number else 0]
    await agent.press("Control+a", source)
    await agent.press("Control+c")
    await agent.press("Control+v", target)
    await agent.submit()


@solves("find-word")
async def a_word_of_a_paragraph(agent: Agent) -> None:
    number = int(agent.match_task(r"Find the (\d+)")[0])
    text = next(row.name for row in agent.rows if row.role == "text")
    words = text.removeprefix(agent.task).split()
    await agent.type(agent.one("textbox"), words[number - 1].strip(".,"))
    await agent.submit()


@solves("text-transform")
async def a_text_that_is_drawn_askew(agent: Agent) -> None:
    text = agent.texts()[1]
    await agent.type(agent.one("textbox"), text.replace(" ", ""))
    await agent.submit()


@solves("simple-arithmetic")
async def a_sum(agent: Agent) -> None:
    problem = next(text for text in agent.texts() if text.endswith("="))
    left, sign, right = problem.rstrip("= ").split()
    a, b = int(left), int(right)
    results = {"+": a + b, "-": a - b, "x": a * b}
    await agent.type(agent.one("textbox"), str(results[sign]))
    await agent.submit()


@solves("simple-algebra")
async def an_equation(agent: Agent) -> None:
    problem = next(text for text in agent.texts() if re.search(r"= -?\d+$", text))
    left, sign, right, _, result = problem.split()
    total = int(result)
    if left == "x":
        x = total - int(right) if sign == "+" else total + int(right)
    else:
        x = total - int(left) if sign == "+" else int(left) - total
    await agent.type(agent.one("textbox"), str(x))
    await agent.submit()


@solves("form-sequence-2")
async def a_radio_button_and_a_number(agent: Agent) -> None:
    radio, number, place = agent.match_task(r'the (\d)\w\w radio button and enter the number "(-?\d+)" into the (\d)')
    fields = [{"element": agent.all("radio")[int(radio) - 1].ref, "value": True}]
    fields += [{"element": agent.all("textbox")[int(place) - 1].ref, "value": number}]
    await agent.call_tool("fill_form", fields=fields)
    await agent.submit()


@solves("multi-layouts", "multi-orderings")
async def a_search_whose_fields_change_places(agent: Agent) -> None:
    genre, name, year = agent.match_task(r"Search for (.+) movies directed by (.+) from year (\d+)")
    elements = [
        element for row in agent.rows[1:] for element in row.elements() if element.role in ("text", "row", "textbox")
    ]
    step = -1 if elements[0].role == "textbox" else 1
    fields: list[dict[str, str]] = []
    for word, value in (("genre", genre), ("director", name), ("year", year)):
        label = next(index for index, element in enumerate(elements) if word in element.text.lower())
        fields.append({"element": elements[label + step].ref, "value": value})
    await agent.call_tool("fill_form", fields=fields)
    await agent.click(next(row for row in agent.rows if row.name in ("Search", "Submit")))


@solves("terminal")
async def a_terminal(agent: Agent) -> None:
    kind = agent.match_task(r"delete a file (?:that has no file extension|ending with the extension (\S+)\b)")[0]
    await agent.click(agent.one("click"))
    await agent.press("l")
    await agent.press("s")
    await agent.press("Enter")
    listed = await agent.read(format="text", scope="page")
    names = listed.split("ls", 1)[1].split("user$")[0].split()
    name = next(name for name in names if (name.endswith(kind) if kind else "." not in name))
    for key in f"rm {name}":
        await agent.press("Space" if key == " " else key)
    await agent.press("Enter")
