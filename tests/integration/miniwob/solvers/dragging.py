"""Tasks that are solved by dragging between points, known from boxes and `at`."""

from __future__ import annotations

from tests.integration.miniwob.agent import Agent

from .registry import solves


@solves("drag-box")
async def a_box_into_a_box(agent: Agent) -> None:
    await agent.call_tool("drag", **{"from": agent.one("click", "s"), "to": agent.one("click", "L")})
    await agent.submit()


@solves("drag-sort-numbers")
async def numbers_into_order(agent: Agent) -> None:
    """From the top down, each position gets the smallest number below it."""
    names = [row.name for row in agent.all("item")]
    for place, wanted in enumerate(sorted(names, key=int)):
        items = agent.all("item")
        item = next(row for row in items[place:] if row.name == wanted)
        if item is not items[place]:
            await agent.call_tool("drag", **{"from": item, "to": {"ref": items[place].ref, "at": [20, 1]}})
    assert [row.name for row in agent.all("item")] == sorted(names, key=int)
    await agent.submit()


@solves("drag-items")
async def an_item_to_another_place(agent: Agent) -> None:
    names = next(row.name for row in agent.rows if row.role == "list").split(" | ")
    name, where = agent.match_task(r"Drag (\S+) (.*)[.]")
    old = names.index(name)
    places = {"to the top": 0, "to the bottom": len(names) - 1, "down by one position": old + 1}
    places |= {"up by one position": old - 1}
    new = places[where] if where in places else int(agent.match_task(r"to the (\d)")[0]) - 1
    target = {"css": f"li:nth-child({new + 1})", "at": [30, 1] if new < old else [30, 20]}
    await agent.call_tool("drag", **{"from": {"text": name, "exact": True}, "to": target})


@solves("drag-circle", "drag-single-shape")
async def a_shape_in_a_direction(agent: Agent) -> None:
    way = agent.match_task(r"Drag the \w+ (\w+) then")[0]
    shape = "circle, rect, polygon, svg text"
    points = {"left": [5, 60], "right": [150, 60], "up": [75, 5], "down": [75, 145]}
    await agent.call_tool("drag", **{"from": shape, "to": {"css": "svg", "at": points[way]}})
    await agent.submit()


@solves("highlight-text")
async def a_paragraph_marked(agent: Agent) -> None:
    await agent.click({"text": paragraphs(agent)[0]}, count=3)
    await agent.submit()


@solves("highlight-text-2")
async def one_of_the_paragraphs_marked(agent: Agent) -> None:
    number = int(agent.match_task(r"the (\d)\w\w paragraph")[0])
    await agent.click({"text": paragraphs(agent)[number - 1]}, count=3)
    await agent.submit()


def paragraphs(agent: Agent) -> list[str]:
    """Neighbouring long texts share a row, one line each."""
    lines = [line for text in agent.texts(["text"]) for line in text.splitlines()]
    return [line for line in lines if line != agent.task]
