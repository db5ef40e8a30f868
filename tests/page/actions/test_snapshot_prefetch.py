"""Snapshots are prefetched while an action waits for a quiet frame; later changes must not be missing from them."""

from __future__ import annotations

import pytest

from browser_pilot.errors import InternalError
from browser_pilot.page.snapshot.snapshot import take_snapshot
from browser_pilot.page.tab import Tab
from tests.page.conftest import Show

from .acting import click

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PAGE = """<style id=css>#fading {{ opacity: 0; transition: opacity 300ms }} #fading.on {{ opacity: 1 }}</style>
<button id=b onclick="press()">Go</button>
<label>Field <input id=field></label> <label>Box <input id=box type=checkbox></label>
<label>Choice <select id=choice><option>red<option>blue</select></label>
<label>Many <select id=many multiple><option>one<option>two</select></label>
<p id=para>Paragraph</p> <p id=fading>Fading</p> <x-part id=part></x-part> <div id=pop popover>Popped up</div>
<dialog id=modal>Asked</dialog>
<script>
customElements.define('x-part', class extends HTMLElement {{
  connectedCallback() {{ if ({shadow}) this.attachShadow({{ mode: 'open' }}).innerHTML = '<span>in the shadow</span>' }}
}})
const inFrame = (change) => requestAnimationFrame(() => requestAnimationFrame(change))
function press() {{ {script} }}
</script>"""

CHANGES = {
    "a value": "field.value = 'typed'",
    "a checked box": "box.checked = true",
    "an indeterminate box": "box.indeterminate = true",
    "a selected option": "choice.selectedIndex = 1",
    "one of many options": "many.options[1].selected = true",
    "the focus": "field.focus()",
    "a style rule": "css.sheet.insertRule('#para { display: none }')",
    "a style sheet": "const s = new CSSStyleSheet(); s.replaceSync('#para { display: none }');"
    "document.adoptedStyleSheets = [s]",
    "a disabled style sheet": "css.sheet.disabled = true",
    "a popover": "pop.showPopover()",
    "a modal dialog": "modal.showModal()",
    "a text": "para.firstChild.data = 'Another'",
    "an attribute": "para.hidden = true",
    "a row": "para.insertAdjacentHTML('afterend', '<p>More</p>')",
    "a validation error": "field.setCustomValidity('no'); field.reportValidity()",
}


async def rows_of(tab: Tab) -> list[str]:
    """All rows but that of the button, which changes by being clicked."""
    return [str(row.cells()) for row in (await take_snapshot(tab.world)).rows if row.name != "Go"]


async def rows_around_click(tab: Tab) -> tuple[list[str], list[str], list[str]]:
    """The rows before a click, right after it, and once all animations have ended."""
    before = await rows_of(tab)
    await click(tab, "#b")
    after = await rows_of(tab)
    await tab.page.evaluate("Promise.all(Document.prototype.getAnimations.call(document).map((one) => one.finished))")
    return before, after, await rows_of(tab)


@pytest.mark.parametrize("script", CHANGES.values(), ids=CHANGES)
async def test_a_change_in_the_awaited_frame_is_in_the_next_snapshot(show: Show, script: str) -> None:
    tab = await show(PAGE.format(script=f"inFrame(() => {{ {script} }})", shadow="false"))
    before, after, final = await rows_around_click(tab)
    assert after == final != before


@pytest.mark.parametrize("script", CHANGES.values(), ids=CHANGES)
async def test_an_immediate_change_is_in_the_next_snapshot(show: Show, script: str) -> None:
    tab = await show(PAGE.format(script=script, shadow="false"))
    before, after, final = await rows_around_click(tab)
    assert after == final != before


async def test_a_change_in_a_shadow_root_is_in_the_next_snapshot(show: Show) -> None:
    script = "inFrame(() => part.shadowRoot.querySelector('span').textContent = 'another')"
    tab = await show(PAGE.format(script=script, shadow="true"))
    _, after, final = await rows_around_click(tab)
    assert after == final
    assert any("another" in row for row in after)


async def test_an_element_that_fades_in_is_not_hidden_in_the_next_snapshot(show: Show) -> None:
    tab = await show(PAGE.format(script="fading.classList.add('on')", shadow="false"))
    _, after, final = await rows_around_click(tab)
    assert after == final
    assert not any("hidden" in row for row in after)


@pytest.mark.parametrize("name", ["styleSheets", "getAnimations", "adoptedStyleSheets"])
async def test_elements_that_hide_properties_of_the_document_do_no_harm(show: Show, name: str) -> None:
    page = PAGE.format(script="para.textContent = 'pressed'", shadow="false")
    tab = await show(f"<form name={name}></form>{page}")
    _, after, final = await rows_around_click(tab)
    assert after == final
    assert any("pressed" in row for row in after)


async def test_an_idle_page_is_read_once_for_an_action_and_its_snapshot(show: Show) -> None:
    tab = await show(PAGE.format(script="para.textContent = 'pressed'", shadow="false"))
    await take_snapshot(tab.world)
    await click(tab, "#b")
    await fail_next_read(tab)
    rows = (await take_snapshot(tab.world)).rows
    assert any("pressed" in row.name for row in rows)


async def test_a_later_snapshot_reads_the_page_again(show: Show) -> None:
    tab = await show(PAGE.format(script="para.textContent = 'pressed'", shadow="false"))
    await take_snapshot(tab.world)
    await click(tab, "#b")
    await fail_next_read(tab)
    await advance_clock(tab, 501)
    with pytest.raises(InternalError, match="read again"):
        await take_snapshot(tab.world)


async def fail_next_read(tab: Tab) -> None:
    """Make the next reading of the page fail; a prefetched one does not notice."""
    await run_in_world(tab, "fails", "document.body.getAttribute = () => { throw new Error('read again') }")


async def advance_clock(tab: Tab, milliseconds: int) -> None:
    """Set the clock of our isolated world forward."""
    await run_in_world(
        tab,
        "clock",
        f"const now = performance.now.bind(performance);performance.now = () => now() + {milliseconds}",
    )


async def run_in_world(tab: Tab, name: str, script: str) -> None:
    await tab.world.add_library(await tab.world.main_frame(), name, script, "0")
