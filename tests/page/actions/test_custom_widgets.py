"""Widgets that pages build themselves: lists, date pickers, editors, components."""

from __future__ import annotations

import pytest

from browser_pilot.page.tab import Tab
from tests.page.conftest import Show

from .acting import click, fill_form, press, type_text

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def text(tab: Tab, selector: str) -> str:
    return await tab.page.inner_text(selector)


async def test_an_option_of_a_custom_list_is_clicked(show: Show) -> None:
    tab = await show(
        "<div id=s role=combobox tabindex=0 aria-expanded=false>Choose</div><ul id=l role=listbox hidden>"
        "<li role=option>Red<li role=option>Green</ul><script>s.onmousedown = () => l.hidden = false;"
        "l.onclick = e => { s.textContent = e.target.textContent; l.hidden = true }</script>"
    )
    await click(tab, "#s")
    await click(tab, {"role": "option", "name": "Green"})
    assert await text(tab, "#s") == "Green"


async def test_a_date_picker_of_a_read_only_field_is_operated_by_clicks(show: Show) -> None:
    days = "".join(f"<button>{day}</button>" for day in range(1, 29))
    tab = await show(
        f"<input id=f readonly onclick='p.hidden = false'><div id=p hidden>{days}</div><script>p.onclick = e =>"
        "{ f.value = '2024-02-' + e.target.textContent; p.hidden = true }</script>"
    )
    await click(tab, "#f")
    await click(tab, {"role": "button", "name": "17", "exact": True})
    assert await tab.page.input_value("#f") == "2024-02-17"


async def test_text_is_typed_into_an_editor_that_handles_input_events_only(show: Show) -> None:
    """Like rich text editors: every change is cancelled, stored in a model, and rendered from it."""
    tab = await show(
        "<div id=e contenteditable></div><script>model = ''; e.addEventListener('beforeinput', ev => {"
        "ev.preventDefault(); if (getSelection().toString() === model) model = ''; model += ev.data ?? '';"
        "e.textContent = model; getSelection().selectAllChildren(e); getSelection().collapseToEnd() })</script>"
    )
    await type_text(tab, "#e", "Hello there")
    assert await tab.page.evaluate("model") == "Hello there"
    await type_text(tab, "#e", "Other")
    assert await tab.page.evaluate("model") == "Other"


async def test_text_is_typed_into_a_code_editor_with_a_hidden_field(show: Show) -> None:
    tab = await show(
        "<div class=monaco-editor id=m><textarea id=k style='width:2px;height:14px'></textarea><pre id=v>old</pre>"
        "</div><script>let all = false;"
        "k.onkeydown = e => { if (e.ctrlKey && e.key === 'a') { all = true; e.preventDefault() } };"
        "k.oninput = () => { v.textContent = (all ? '' : v.textContent) + k.value; all = false; k.value = '' }</script>"
    )
    await type_text(tab, "#m", "let x")
    assert await text(tab, "#v") == "let x"


async def test_a_component_with_a_field_inside_is_filled_by_its_host(show: Show) -> None:
    tab = await show(
        "<my-field id=c></my-field><script>customElements.define('my-field', class extends HTMLElement {"
        "connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML = '<input>' } })</script>"
    )
    outcome = await fill_form(tab, [("#c", "inside")])
    assert outcome.complete
    assert await tab.page.evaluate("c.shadowRoot.querySelector('input').value") == "inside"


async def test_a_custom_switch_is_set_once(show: Show) -> None:
    tab = await show(
        "<div id=s role=switch tabindex=0 aria-checked=false onclick='s.setAttribute(`aria-checked`,"
        " s.getAttribute(`aria-checked`) !== `true`)'>Wifi</div>"
    )
    for _ in range(2):
        outcome = await fill_form(tab, [("#s", True)])
        assert [report.holds for report in outcome.fields] == ["checked"]


async def test_a_menu_is_operated_by_keys(show: Show) -> None:
    tab = await show(
        "<ul id=m>" + "".join(f"<li tabindex=0 onkeydown='move(event)'>{n}" for n in range(3)) + "</ul><p id=out></p>"
        "<script>move = e => { if (e.key === 'ArrowDown') e.target.nextElementSibling.focus();"
        "if (e.key === 'Enter') out.textContent = e.target.textContent }</script>"
    )
    await press(tab, "ArrowDown", "li:first-child")
    await press(tab, "ArrowDown")
    await press(tab, "Enter")
    assert await text(tab, "#out") == "2"
