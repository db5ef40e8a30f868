"""Custom widgets, canvas, rich text, drag and drop, file inputs."""

from __future__ import annotations

import pytest

from tests.hub_process import HubProcess

from .conftest import Visit

pytestmark = pytest.mark.browser


async def test_a_canvas_is_clicked_and_drawn_on_at_offsets(visit: Visit) -> None:
    async with visit(
        "<canvas id=c width=300 height=200></canvas><p id=o></p><script>const log = e => o.textContent +="
        "`${e.type} ${e.offsetX},${e.offsetY}; `; c.onmousedown = log; c.onmouseup = log</script>"
    ) as (agent, _):
        canvas = agent.one("canvas").ref
        await agent.click({"ref": canvas, "at": [40, 60]})
        await agent.call_tool(
            "drag", **{"from": {"ref": canvas, "at": [10, 10]}, "to": {"ref": canvas, "at": [200, 100]}}
        )
        assert agent.texts() == [
            "mousedown 40,60; mouseup 40,60; mousedown 10,10; mouseup 200,100;",
        ]


async def test_rich_text_is_written_and_shown(visit: Visit) -> None:
    async with visit("<div contenteditable aria-label=Note><b>Old</b> text</div>") as (agent, _):
        assert agent.one("textbox", "Note").value == "Old text"
        await agent.type(agent.one("textbox", "Note"), "New text 🙂")
        assert agent.one("textbox", "Note").value == "New text 🙂"


async def test_an_option_of_a_custom_select_is_selected(visit: Visit) -> None:
    async with visit(
        "<div id=s role=combobox aria-label=Colour tabindex=0 aria-expanded=false>Red</div>"
        "<ul id=l role=listbox hidden><li role=option>Red<li role=option>Green</ul><script>"
        "s.onmousedown = () => { l.hidden = false;"
        "s.ariaExpanded = 'true' }; l.onclick = e => { s.textContent = e.target.textContent; l.hidden = true;"
        "s.ariaExpanded = 'false' }</script>"
    ) as (agent, _):
        await agent.click(agent.one("combobox", "Colour"))
        assert agent.one("combobox", "Colour").has("expanded")
        await agent.click(agent.one("option", "Green"))
        assert agent.one("combobox", "Colour").value == "Green"
        assert agent.all("option") == []


async def test_dates_are_set_in_a_date_field_and_picked_in_a_calendar(visit: Visit) -> None:
    days = "".join(f"<button>{day}</button>" for day in range(1, 29))
    async with visit(
        "<label>Born <input type=date></label><label>Due <input id=f readonly onclick='p.hidden = false'></label>"
        f"<div id=p hidden>{days}</div><script>p.onclick = e => {{ f.value = '2024-02-' + e.target.textContent;"
        "p.hidden = true }</script>"
    ) as (agent, _):
        await agent.call_tool("fill_form", fields=[{"element": agent.one("date", "Born").ref, "value": "1815-12-10"}])
        assert agent.one("date", "Born").value == "1815-12-10"
        await agent.click(agent.one("textbox", "Due"))
        await agent.click(agent.one("button", "17"))
        assert agent.one("textbox", "Due").value == "2024-02-17"


async def test_a_card_is_dragged_to_another_column(visit: Visit) -> None:
    async with visit(
        "<div id=a draggable=true ondragstart='event.dataTransfer.setData(`text`, `card`)'>Card</div>"
        "<section id=b style='height:80px' ondragover='event.preventDefault()' ondrop='event.preventDefault();"
        " b.append(a, event.dataTransfer.getData(`text`) + ` is here`)'>Done </section>"
    ) as (agent, _):
        await agent.call_tool("drag", **{"from": agent.one("click", "Card"), "to": "#b"})
        assert any("card is here" in text for text in agent.texts())


async def test_files_are_uploaded_to_hidden_fields(visit: Visit, hub_without_rate_limit: HubProcess) -> None:
    file = hub_without_rate_limit.home / "uploads" / "photo.txt"
    file.parent.mkdir(exist_ok=True)
    file.write_text("x")
    async with visit(
        "<input type=file aria-label=Photo hidden onchange='o.textContent = this.files[0].name'><p id=o>"
    ) as (
        agent,
        _,
    ):
        await agent.call_tool("upload", element=agent.one("file", "Photo"), paths=[str(file)])
        assert agent.texts() == ["photo.txt"]


async def test_a_click_waits_until_the_button_is_enabled(visit: Visit) -> None:
    async with visit(
        "<button id=b disabled onclick='this.textContent = `Done`'>Pay</button>"
        "<script>setTimeout(() => b.disabled = false, 700)</script>"
    ) as (agent, _):
        assert agent.one("button", "Pay").has("disabled")
        await agent.click(agent.one("button", "Pay"))
        assert agent.all("button", "Done")
