"""The page is read while an action waits for a quiet frame; what changes in that frame must be told all the same."""

from __future__ import annotations

import pytest

from browser_pilot.errors import InternalError
from browser_pilot.pages.pointer import click
from browser_pilot.pages.snapshot import take_view
from browser_pilot.pages.tab import Tab

from .conftest import Show

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
const inFrame = (act) => requestAnimationFrame(() => requestAnimationFrame(act))
function press() {{ {act} }}
</script>"""

IN_THE_NEXT_FRAME = {
    "a value": "field.value = 'typed'",
    "a tick": "box.checked = true",
    "half a tick": "box.indeterminate = true",
    "a choice": "choice.selectedIndex = 1",
    "one of many": "many.options[1].selected = true",
    "the focus": "field.focus()",
    "a style rule": "css.sheet.insertRule('#para { display: none }')",
    "a style sheet": "const s = new CSSStyleSheet(); s.replaceSync('#para { display: none }');"
    "document.adoptedStyleSheets = [s]",
    "a style sheet that is off": "css.sheet.disabled = true",
    "a popover": "pop.showPopover()",
    "a modal dialog": "modal.showModal()",
    "a text": "para.firstChild.data = 'Another'",
    "an attribute": "para.hidden = true",
    "a row": "para.insertAdjacentHTML('afterend', '<p>More</p>')",
    "a complaint": "field.setCustomValidity('no'); field.reportValidity()",
}


async def answered(tab: Tab) -> tuple[list[str], list[str]]:
    """The rows that whoever clicks is told, and those that are there when all has come to rest."""
    await take_view(tab.world)
    await click(tab, "#b")
    told = (await take_view(tab.world)).rows
    await tab.page.evaluate("Promise.all(Document.prototype.getAnimations.call(document).map((one) => one.finished))")
    now = await take_view(tab.world)
    return [str(row.cells()) for row in told], [str(row.cells()) for row in now.rows]


@pytest.mark.parametrize("act", IN_THE_NEXT_FRAME.values(), ids=IN_THE_NEXT_FRAME)
async def test_what_changes_in_the_frame_that_is_waited_for_is_told(show: Show, act: str) -> None:
    tab = await show(PAGE.format(act=f"inFrame(() => {{ {act} }})", shadow="false"))
    before = [str(row.cells()) for row in (await take_view(tab.world)).rows]
    told, now = await answered(tab)
    assert told == now != before


@pytest.mark.parametrize("act", IN_THE_NEXT_FRAME.values(), ids=IN_THE_NEXT_FRAME)
async def test_what_changes_at_once_is_told(show: Show, act: str) -> None:
    tab = await show(PAGE.format(act=act, shadow="false"))
    told, now = await answered(tab)
    assert told == now


async def test_what_changes_in_a_shadow_root_is_told(show: Show) -> None:
    act = "inFrame(() => part.shadowRoot.querySelector('span').textContent = 'another')"
    tab = await show(PAGE.format(act=act, shadow="true"))
    told, now = await answered(tab)
    assert told == now
    assert any("another" in row for row in told)


async def test_what_fades_in_is_not_told_as_hidden(show: Show) -> None:
    tab = await show(PAGE.format(act="fading.classList.add('on')", shadow="false"))
    told, now = await answered(tab)
    assert told == now
    assert not any("hidden" in row for row in told)


@pytest.mark.parametrize("name", ["styleSheets", "getAnimations", "adoptedStyleSheets"])
async def test_a_page_that_gives_its_elements_the_names_of_the_document_s_own_is_told_as_ever(
    show: Show, name: str
) -> None:
    tab = await show(f"<form name={name}></form>" + PAGE.format(act="para.textContent = 'pressed'", shadow="false"))
    told, now = await answered(tab)
    assert told == now
    assert any("pressed" in row for row in told)


async def test_a_page_that_has_come_to_rest_is_read_once_for_an_action_and_its_answer(show: Show) -> None:
    tab = await show(PAGE.format(act="para.textContent = 'pressed'", shadow="false"))
    await take_view(tab.world)
    await click(tab, "#b")
    await trip_readers(tab)
    rows = (await take_view(tab.world)).rows
    assert any("pressed" in row.name for row in rows)


async def test_who_looks_later_reads_the_page_anew(show: Show) -> None:
    tab = await show(PAGE.format(act="para.textContent = 'pressed'", shadow="false"))
    await take_view(tab.world)
    await click(tab, "#b")
    await trip_readers(tab)
    await tab.page.evaluate("new Promise((resolve) => setTimeout(resolve, 600))")
    with pytest.raises(InternalError, match="read again"):
        await take_view(tab.world)


async def trip_readers(tab: Tab) -> None:
    """Let the next reading of the page fail; nothing that was read before can tell of this."""
    frame = await tab.world.main_frame()
    await tab.world.lend(frame, "nothing", "document.body.getAttribute = () => { throw new Error('read again') }", "0")
