"""Tasks about colours and shapes, which a snapshot shows where an element has no name."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.integration.miniwob.agent import Agent
from tests.integration.miniwob.table import Row

from .registry import solves

COLOURS = {
    "aqua": "#00ffff",
    "black": "#000000",
    "blue": "#0000ff",
    "cyan": "#00ffff",
    "green": "#008000",
    "grey": "#808080",
    "lime": "#00ff00",
    "magenta": "#ff00ff",
    "olive": "#808000",
    "orange": "#ffa500",
    "pink": "#ffc0cb",
    "purple": "#800080",
    "red": "#ff0000",
    "white": "#ffffff",
    "yellow": "#ffff00",
}


def colour_of(row: Row) -> str:
    match = re.search(r"#[0-9a-f]{6}", row.name)
    return match[0] if match else ""


@solves("click-color")
async def a_coloured_box(agent: Agent) -> None:
    query, *boxes = [row for row in agent.all("click") if colour_of(row)]
    if "query-color" in query.name:
        wanted = colour_of(query)
    else:
        boxes, wanted = [query, *boxes], COLOURS[agent.match_task(r"Click on the (\w+) colored box")[0]]
    await agent.click(next(box for box in boxes if colour_of(box) == wanted))


@solves("click-shades")
async def shades_of_a_colour(agent: Agent) -> None:
    place = ("red", "green", "blue").index(agent.match_task(r"shades of (\w+)")[0])
    for box in [row for row in agent.all("click") if colour_of(row)]:
        parts = [int(colour_of(box)[start : start + 2], 16) for start in (1, 3, 5)]
        if parts[place] == max(parts):
            await agent.click(box)
    await agent.submit()


@solves("grid-coordinate")
async def a_point_of_a_grid(agent: Agent) -> None:
    await agent.click(
        next(row for row in agent.rows if row.name.startswith(f"({agent.match_task(r'coordinate (.*)[.]')[0]}"))
    )


@solves("identify-shape")
async def the_name_of_a_shape(agent: Agent) -> None:
    kinds: dict[str, Callable[[str], bool]] = {
        "Rectangle": lambda name: "rect" in name,
        "Circle": lambda name: "circle" in name,
        "Triangle": lambda name: "polygon" in name,
        "Letter": lambda name: bool(re.fullmatch("[A-Za-z]", name)),
        "Number": lambda name: bool(re.fullmatch(r"\d", name)),
    }
    shapes = [row.name for row in agent.all("click")]
    await agent.submit(next(kind for kind, fits in kinds.items() if any(map(fits, shapes))))
