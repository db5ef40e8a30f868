"""Dragging: the browser's drag and drop, libraries of pointer events, drawings, sliders."""

from __future__ import annotations

import pytest

from browser_pilot.errors import ElementNotActionable, PilotError
from browser_pilot.page.actions.context import ActionContext
from browser_pilot.page.actions.pointer import drag as dragging
from browser_pilot.page.actions.resolve import resolve
from browser_pilot.page.tab import Tab
from tests.page.conftest import Show

from .acting import drag, hover

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

LOG = "<script>log = []; note = word => log.push(word)</script>"


async def logged(tab: Tab) -> list[str]:
    return await tab.page.evaluate("log")


async def test_html_drag_and_drop_carries_its_data(show: Show) -> None:
    tab = await show(
        f"{LOG}<div id=a draggable=true ondragstart='event.dataTransfer.setData(`text/plain`, `card 7`)'>Card</div>"
        "<div style='height:200px'></div><div id=b ondragover='event.preventDefault()'"
        " ondrop='event.preventDefault(); note(event.dataTransfer.getData(`text/plain`))'>Column</div>"
    )
    await drag(tab, "#a", "#b")
    assert await logged(tab) == ["card 7"]


async def test_html_drag_and_drop_passes_over_what_is_between(show: Show) -> None:
    """Sortable lists move their items while something is dragged over them."""
    items = "".join(
        f"<li id=i{n} draggable=true style='height:60px' ondragstart='held = this' ondragover='event.preventDefault();"
        f" if (this !== held) list.insertBefore(held, this.nextSibling)' ondragend='note(`end`)'>Item {n}</li>"
        for n in range(4)
    )
    tab = await show(f"{LOG}<ul id=list style='margin:0'>{items}</ul>")
    await drag(tab, "#i0", "#i3")
    assert await tab.page.eval_on_selector_all("li", "all => all.map(one => one.id)") == ["i1", "i2", "i3", "i0"]
    assert await logged(tab) == ["end"]


async def test_a_drag_by_mouse_moves_the_element(show: Show) -> None:
    tab = await show(
        f"{LOG}<div id=a style='width:50px;height:50px' onmousedown='held = true'>Knob</div>"
        "<div id=b style='margin:100px 200px;width:60px;height:60px' onmousemove='if (event.buttons && window.held)"
        " over = true' onmouseup='note(`dropped ${window.over} ${event.buttons}`)'>Goal</div>"
    )
    await drag(tab, "#a", "#b")
    assert await logged(tab) == ["dropped true 0"]


async def test_a_drag_between_two_points_draws_on_a_canvas(show: Show) -> None:
    tab = await show(
        f"<body style='margin:0'>{LOG}<canvas id=c width=300 height=200></canvas><script>const say = e => note("
        "`${e.type} ${e.offsetX} ${e.offsetY}`); c.onmousedown = say; c.onmouseup = say</script>"
    )
    await drag(tab, {"css": "#c", "at": [10, 20]}, {"css": "#c", "at": [250, 150]})
    assert await logged(tab) == ["mousedown 10 20", "mouseup 250 150"]


async def test_a_drag_passes_the_points_between_in_order(show: Show) -> None:
    tab = await show(
        f"<body style='margin:0'>{LOG}<canvas id=c width=600 height=400></canvas><script>c.onpointermove = e => {{"
        "if (!e.buttons) return; for (const [x, y] of [[300, 50], [300, 350], [550, 350]])"
        " if (e.offsetX === x && e.offsetY === y) note(`${x},${y}`) }}</script>".replace("}}", "}")
    )
    outcome = await drag(
        tab, {"x": 50, "y": 50}, {"x": 300, "y": 50}, {"css": "#c", "at": [300, 350]}, {"x": 550, "y": 350}
    )
    assert await logged(tab) == ["300,50", "300,350", "550,350"]
    assert outcome.facts()["hit"] == ["e1 canvas"] * 3


# As dnd-kit and react-beautiful-dnd do it: capture after a threshold, one measurement a frame, a copy that follows.
SORTABLE = """<style>body {{ margin: 0 }} li {{ height: 50px; width: 200px; touch-action: none }}
.ghost {{ position: fixed; pointer-events: none; opacity: .5 }}</style>{log}<ul id=list>{items}</ul><script>
let held, from, ghost, latest, measured;
list.addEventListener('pointerdown', e => {{ held = e.target.closest('li'); from = [e.clientX, e.clientY]; }});
addEventListener('pointermove', e => {{
  if (!held) return;
  latest = e;
  if (!ghost) {{
    if (Math.hypot(e.clientX - from[0], e.clientY - from[1]) < 8) return;
    ghost = held.cloneNode(true);
    ghost.className = 'ghost';
    document.body.append(ghost);
  }}
  measured ??= requestAnimationFrame(() => {{
    measured = undefined;
    ghost.style.top = latest.clientY + 'px';
    const over = [...list.children].find(one => {{
      const box = one.getBoundingClientRect();
      return one !== held && latest.clientY > box.top && latest.clientY < box.bottom;
    }});
    if (over) list.insertBefore(held, latest.clientY > from[1] ? over.nextSibling : over);
    from[1] = latest.clientY;
  }});
}});
addEventListener('pointerup', () => {{ if (ghost) {{ ghost.remove(); note('dropped'); }} held = ghost = undefined; }});
</script>"""


async def test_a_library_of_pointer_events_with_a_threshold_sorts_its_list(show: Show) -> None:
    items = "".join(f"<li id=i{n}>Item {n}</li>" for n in range(5))
    tab = await show(SORTABLE.format(log=LOG, items=items))
    await drag(tab, "#i0", "#i4")
    assert await tab.page.eval_on_selector_all("#list li", "all => all.map(one => one.id)") == [
        "i1", "i2", "i3", "i4", "i0",
    ]  # fmt: skip
    assert await logged(tab) == ["dropped"]


# A flow editor: nodes come from a palette onto an SVG canvas, wires from an output port to an input port.
FLOW = """<style>body {{ margin: 0 }} .tile {{ width: 100px; height: 30px; border: 1px solid }}
#canvas {{ position: absolute; left: 200px; top: 0 }}</style>{log}
<div class=tile id=inject>inject</div><div class=tile id=debug>debug</div>
<svg id=canvas width=800 height=600><rect width=800 height=600 fill=white /></svg><script>
const draw = (name, attributes, parent) => {{
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  parent.append(node);
  return node;
}};
let carried, wire, source;
for (const tile of document.querySelectorAll('.tile')) tile.onmousedown = e => {{
  e.preventDefault();
  carried = tile.cloneNode(true);
  carried.style.cssText = 'position:absolute;pointer-events:none';
  document.body.append(carried);
}};
document.onmousemove = e => {{
  if (carried) Object.assign(carried.style, {{ left: e.clientX + 'px', top: e.clientY + 'px' }});
  if (wire) wire.setAttribute('d', `M${{source[0]}} ${{source[1]}} L${{e.clientX - 200}} ${{e.clientY}}`);
}};
document.onmouseup = e => {{
  if (carried && e.target.ownerSVGElement === canvas) {{
    const group = draw('g', {{ transform: `translate(${{e.clientX - 250}},${{e.clientY - 15}})` }}, canvas);
    draw('rect', {{ width: 100, height: 30, fill: '#cde' }}, group);
    draw('text', {{ x: 20, y: 20 }}, group).textContent = carried.textContent;
    draw('rect', {{ class: 'in', x: -5, y: 10, width: 10, height: 10 }}, group);
    draw('rect', {{ class: 'out', x: 95, y: 10, width: 10, height: 10 }}, group).onmousedown = e => {{
      source = [e.clientX - 200, e.clientY];
      wire = draw('path', {{ stroke: 'black', 'pointer-events': 'none' }}, canvas);
      from = e.target;
    }};
    note(`${{carried.textContent}} at ${{e.clientX}},${{e.clientY}}`);
  }}
  if (wire && e.target.matches('.in')) {{
    const name = port => port.parentNode.querySelector('text').textContent;
    note(`${{name(from)}} to ${{name(e.target)}}`);
  }}
  carried?.remove();
  carried = wire = undefined;
}};</script>"""


async def test_a_flow_is_drawn_with_nodes_from_a_palette_and_a_wire(show: Show) -> None:
    tab = await show(FLOW.format(log=LOG))
    await drag(tab, "#inject", {"x": 400, "y": 100})
    await drag(tab, "#debug", {"css": "#canvas", "at": [500, 300]})
    await drag(tab, {"css": "g:nth-of-type(1) .out"}, {"css": "g:nth-of-type(2) .in"})
    assert await logged(tab) == ["inject at 400,100", "debug at 700,300", "inject to debug"]
    # Ports by points, as a picture shows them.
    await drag(tab, {"x": 450, "y": 100}, {"x": 650, "y": 300})
    assert (await logged(tab))[-1] == "inject to debug"


async def test_sliders_are_dragged_to_a_point(show: Show) -> None:
    tab = await show(
        "<body style='margin:0'><input id=native type=range min=0 max=100 value=0 style='margin:0;width:216px'>"
        "<div id=track style='position:absolute;top:100px;width:400px;height:10px;background:#ccc'>"
        "<div id=thumb role=slider tabindex=0 aria-valuenow=0 style='position:absolute;left:0;width:20px;height:20px;"
        "background:blue'></div></div><script>thumb.onpointerdown = e => { thumb.setPointerCapture(e.pointerId);"
        "thumb.onpointermove = e => { thumb.style.left = e.clientX - 10 + 'px';"
        " thumb.setAttribute('aria-valuenow', Math.round(e.clientX / 4)) } };"
        "thumb.onpointerup = () => { thumb.onpointermove = null }</script>"
    )
    await drag(tab, "#thumb", {"x": 300, "y": 105})
    assert await tab.page.get_attribute("#thumb", "aria-valuenow") == "75"
    await drag(tab, {"css": "#native", "at": [8, 8]}, {"css": "#native", "at": [108, 8]})
    assert await tab.page.input_value("#native") == "50"


async def test_a_failed_drag_releases_the_button(show: Show) -> None:
    tab = await show(
        "<div id=a onmousedown='b.style.display = `none`'>Knob</div><div id=b>Goal</div>"
        "<p id=c onmousemove='held = event.buttons'>Elsewhere</p>"
    )
    with pytest.raises(ElementNotActionable, match="hidden"):
        await drag(tab, "#a", "#b", timeout_ms=200)
    await hover(tab, "#c")
    assert await tab.page.evaluate("held") == 0


async def test_a_press_on_anything_else_than_what_is_dragged_is_stopped(show: Show) -> None:
    """The page swaps the element under the mouse between the check and the press."""
    tab = await show(
        f"{LOG}<div id=a style='position:absolute;left:50px;top:50px;width:200px;height:60px' onmousemove='swap()'>Card"
        "</div><div id=b style='position:absolute;left:150px;top:80px'>Goal</div><script>swap = () => {"
        "document.body.insertAdjacentHTML('beforeend', `<button style='position:absolute;left:0;top:0;width:600px;"
        "height:400px' onmousedown='note(1)' onclick='note(2)'>Pay now</button>`); swap = () => {} }</script>"
    )
    source, goal = await resolve(tab, "#a", pointing=True), await resolve(tab, "#b", pointing=True)
    with pytest.raises(PilotError, match="Pay now"):
        await dragging.drag(ActionContext(tab), source, goal, timeout_ms=500)
    assert await logged(tab) == []
