"""Whether a control is marked hidden agrees with Chromium's own hit test, in the layouts of real applications."""

from __future__ import annotations

from typing import cast

import pytest
from playwright.async_api import Page

from browser_pilot.page.isolated_world import World
from browser_pilot.page.snapshot.snapshot import take_snapshot
from tests.page.conftest import Sites

# Whether each button takes a click in its middle, once it is scrolled to, whatever else is above it there.
HIT_TEST = """() => Object.fromEntries([...document.querySelectorAll('button')].map((button) => {
  button.scrollIntoView({ block: 'center', behavior: 'instant' });
  const box = button.getBoundingClientRect();
  const hits = document.elementsFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return [button.textContent.trim(), hits.includes(button)];
}))"""
LAYOUTS = {
    "JupyterLab: panels in an empty body that clips": (
        "<body style='margin: 0; overflow: hidden'><div style='position: absolute; inset: 0; contain: strict'>"
        "<div style='position: absolute; top: 0; width: 500px; height: 30px'><button>Menu</button></div>"
        "<div style='position: absolute; top: 40px; width: 0; height: 0; overflow: hidden'>"
        "<button>Folded</button></div>"
        "<div style='position: absolute; top: 60px; left: 0; width: 400px; height: 300px; overflow: hidden'>"
        "<div style='position: absolute; top: 9px; left: 9px; width: 90px; height: 30px'><button>Launch</button></div>"
        "</div></div>"
    ),
    "Node-RED: a workspace in an empty body that clips": (
        "<style>html, body { height: 100%; margin: 0 } body { height: 0; overflow: hidden }</style>"
        "<div style='position: absolute; inset: 0'>"
        "<div style='position: absolute; top: 0; left: 0; right: 0; height: 40px'><button>Deploy</button></div>"
        "<div style='position: absolute; top: 50px; bottom: 0; width: 180px; overflow: auto'>"
        "<div style='height: 2000px'></div><button>Inject</button></div></div>"
        "<ul style='position: absolute; top: 40px; right: 10px; height: 0; overflow: hidden'>"
        "<li><button>Closed</button></ul>"
    ),
    "Gradio: options in a popup": (
        "<div style='height: 0; overflow: hidden'>"
        "<ul style='position: fixed; top: 90px; left: 9px; width: 90px; margin: 0'>"
        "<li><button>Suite</button></ul></div><div style='height: 0; overflow: hidden'><ul style='position: absolute;"
        "top: 200px; left: 9px'><li><button>Single</button></ul></div>"
        "<div style='height: 0; overflow: hidden; position: relative'><ul style='position: absolute; top: 20px'>"
        "<li><button>Clipped</button></ul><p style='position: fixed; top: 300px'><button>Double</button></ul></div>"
    ),
    "the clip of a body belongs to it when the root clips too": (
        "<html style='overflow: hidden'><body style='height: 0; overflow: hidden; margin: 0'><button>In flow</button>"
        "<div style='position: absolute; top: 50px'><button>Placed</button></div>"
    ),
    "overflow of a body without a height is that of the page": (
        "<body style='height: 0; overflow: hidden; margin: 0'><button>In flow</button>"
    ),
    "a clip across leaves what overflows downward": (
        "<div style='height: 0; overflow-x: clip'><button>Down</button></div>"
        "<div style='width: 0; overflow-y: clip'><button>Across</button></div>"
        "<div style='width: 0; overflow-x: clip'><button>Cut</button></div>"
        "<div style='height: 0; overflow-y: clip'><button>Cut off</button></div>"
    ),
    "boxes without a box of their own clip nothing": (
        "<div style='display: contents; overflow: hidden; opacity: 0; position: absolute; left: -9999px'>"
        "<button>Contents</button></div>"
    ),
    "a clip path cuts fixed descendants too": (
        "<div style='clip-path: inset(50%)'><button style='position: fixed; top: 40px'>Fixed</button></div>"
        "<div style='position: absolute; clip: rect(0, 0, 0, 0)'>"
        "<button style='position: fixed; top: 80px'>Clip</button></div>"
    ),
    "the top layer is outside of its ancestors": (
        "<div style='height: 0; overflow: hidden; opacity: 0'><dialog id=d><button>Accept</button></dialog>"
        "<div popover id=p><button>Popover</button></div></div><script>p.showPopover(); d.show()</script>"
    ),
    "a modal dialog is outside of its ancestors": (
        "<div style='height: 0; overflow: hidden; transform: scale(1)'>"
        "<dialog id=m><button>Modal</button></dialog></div><script>m.showModal()</script>"
    ),
    "what is moved away and back": (
        "<div style='position: absolute; left: -9999px; width: 99px'><button>Away</button>"
        "<p style='position: absolute; left: 10099px; top: 200px; width: 99px'><button>Back</button></p></div>"
        "<div style='position: absolute; left: -9999px'><p style='position: fixed; left: 9px; top: 250px'>"
        "<button>Fixed</button></p></div>"
        "<div style='position: fixed; left: 100%; width: 200px'><button>Drawer</button></div>"
    ),
    "what is transparent takes clicks": (
        "<div style='opacity: 0'><button>Opacity</button></div>"
        "<div style='filter: opacity(0)'><button>Filter</button></div>"
        "<div style='mask-image: linear-gradient(transparent, transparent)'><button>Mask</button></div>"
    ),
    "an icon without its text on screen": "<button style='text-indent: -9999px; background: url(x.png)'>Logo</button>",
}  # fmt: skip
CONTAINING = (
    "position: relative", "position: sticky", "transform: translateX(0)", "translate: 1px", "rotate: 0deg",
    "scale: 1", "perspective: 9px", "filter: blur(0)", "backdrop-filter: blur(1px)", "will-change: transform",
    "will-change: opacity", "will-change: filter", "will-change: contain", "will-change: scroll-position",
    "contain: paint", "contain: layout", "contain: strict", "contain: content", "contain: style", "contain: size",
    "container-type: inline-size", "container-type: size", "content-visibility: auto",
    "transform-style: preserve-3d", "isolation: isolate", "opacity: 0.9", "mix-blend-mode: multiply",
    "offset-path: path(\"M0 0\")", "view-transition-name: a", "mask-image: linear-gradient(red, red)", "columns: 2",
    "display: grid", "display: flow-root", "zoom: 2", "float: left; width: 90px",
)  # fmt: skip


async def disagreements(page: Page) -> dict[str, tuple[bool, bool]]:
    """Buttons for which the mark and the hit test differ: whether it is marked, and whether it takes clicks."""
    view = await take_snapshot(World(page))
    marked = {
        row.name: bool({"hidden", "offscreen"} & set(row.states)) for row in view.all_rows() if row.role == "button"
    }
    reached = cast("dict[str, bool]", await page.evaluate(HIT_TEST))
    assert reached
    assert marked.keys() <= reached.keys()
    return {name: (marked.get(name, True), hit) for name, hit in reached.items() if marked.get(name, True) == hit}


@pytest.mark.parametrize("layout", LAYOUTS)
async def test_controls_are_marked_hidden_just_when_no_click_reaches_them(
    page: Page, sites: Sites, layout: str
) -> None:
    html = LAYOUTS[layout]
    await page.goto(sites.add("layout", f"<!doctype html><title>Layout</title>{html}"))
    assert await disagreements(page) == {}


async def test_containing_blocks_are_those_of_chromium(page: Page, sites: Sites) -> None:
    boxes = "".join(
        f"<div style='position: absolute; top: {40 * index}px; left: {left}px'>"
        f"<div style='height: 0; overflow: hidden; {style}'><p style='position: {position}; margin: 0'>"
        f"<button>{position} {style.replace(chr(34), '')}</button></p></div></div>"
        for left, position in ((9, "absolute"), (600, "fixed"))
        for index, style in enumerate((*CONTAINING, ""))
    )
    await page.set_viewport_size({"width": 1280, "height": 1600})
    await page.goto(sites.add("containing", f"<!doctype html><title>Blocks</title>{boxes}"))
    assert await disagreements(page) == {}


async def test_a_control_that_cannot_be_seen_but_takes_clicks_is_transparent(page: Page, sites: Sites) -> None:
    await page.goto(
        sites.add(
            "transparent",
            "<title>Row</title><p style='opacity: 0'>Text <button onclick='document.title = `hit`'>Delete</button></p>",
        )
    )
    view = await take_snapshot(World(page))
    states = {row.name: row.states for row in view.all_rows() if not row.parts}
    assert states == {"Delete": ("transparent",)}
    assert [row.states for row in view.rows] == [("hidden",)]
    await page.click("button")
    assert await page.title() == "hit"
