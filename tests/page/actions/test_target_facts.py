"""What was decided about is what is acted on: facts of an element, its seal, and frames that come in between."""

from __future__ import annotations

import pytest

from browser_pilot.errors import ElementChanged
from browser_pilot.pages.facts import Aim, look_at
from browser_pilot.pages.keyboard import press, type_text
from browser_pilot.pages.pointer import click
from browser_pilot.pages.tab import Tab

from .conftest import Show
from .site import Site

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def decided(tab: Tab, aim: Aim, *, agreed: bool = False) -> Tab:
    return tab.cleared(await look_at(tab, [aim]), agreed=agreed, fill=lambda text, _: text)


async def test_fields_named_like_a_forms_own_properties_do_not_hide_where_it_goes(show: Show) -> None:
    tab = await show(
        "<form action=/pay method=post><input name=action value=/no><input name=method value=get>"
        "<input name=elements><button>Pay</button></form>"
    )
    (seen,) = (await look_at(tab, [Aim("button")])).elements
    assert seen.facts.form_action.endswith("/pay")
    assert seen.facts.form_method == "post"
    assert len(seen.facts.form_fields) == 4


async def test_a_word_in_a_button_is_the_button_and_enter_in_a_field_is_its_forms(show: Show) -> None:
    tab = await show("<form action=/pay><input id=f><button type=submit><b id=w>Pay</b> now</button></form>")
    word, field = (await look_at(tab, [Aim("#w"), Aim("#f", sends=True)])).elements
    assert (word.facts.role, word.facts.name, word.facts.submits) == ("button", "Pay now", True)
    assert (field.facts.role, field.facts.submit_name) == ("textbox", "Pay now")


@pytest.mark.parametrize(
    "change",
    [
        "b.textContent = 'Pay 1000'",
        "document.forms[0].setAttribute('action', '/steal')",
        "b.setAttribute('formaction', '/steal')",
        "h.value = 1000",
        "row.firstChild.textContent = 'Bob'",
        "history.pushState(0, '', '/other')",
    ],
)
async def test_an_element_that_changed_since_it_was_decided_about_is_not_clicked(show: Show, change: str) -> None:
    tab = await show(
        "<form action=/pay onsubmit='event.preventDefault(); document.title = `sent`'><ul><li id=row>Alice "
        "<input type=hidden id=h value=10><button id=b>Pay 10</button></li></ul></form>"
    )
    mine = await decided(tab, Aim("#b"))
    await tab.page.evaluate(f"() => {{ {change} }}")
    with pytest.raises(ElementChanged):
        await click(mine, "#b")
    assert await tab.page.title() != "sent"
    await click(await decided(tab, Aim("#b")), "#b")
    assert await tab.page.title() == "sent"


async def test_text_and_keys_go_only_where_it_was_decided(show: Show) -> None:
    tab = await show("<input id=a aria-label=Name><input id=b aria-label=Password>")
    typing = await decided(tab, Aim("#a", fills=True))
    await tab.page.evaluate("() => a.type = 'password'")
    with pytest.raises(ElementChanged):
        await type_text(typing, "#a", "secret")
    assert await tab.page.input_value("#a") == ""
    await tab.page.focus("#a")
    pressing = await decided(tab, Aim(None, sends=True))
    await tab.page.focus("#b")
    with pytest.raises(ElementChanged):
        await press(pressing, "Enter")


FORM = (
    "<form action=/pay onsubmit='event.preventDefault(); document.title = `sent ` + this.amount.value'>"
    "<input id=a name=amount value=10><button id=b>Pay</button></form>"
    "<script>function dearer() { a.value = 1000; }</script>"
)


@pytest.mark.parametrize("event", ["pointerdown", "mousedown", "mouseup"])
async def test_what_changes_while_the_button_is_down_is_not_what_a_person_agreed_to(show: Show, event: str) -> None:
    tab = await show(FORM)
    await tab.page.evaluate("event => addEventListener(event, dearer)", event)
    mine = await decided(tab, Aim("#b"), agreed=True)
    with pytest.raises(ElementChanged):
        await click(mine, "#b")
    assert await tab.page.title() != "sent 1000"
    await click(await decided(tab, Aim("#b"), agreed=True), "#b")
    assert await tab.page.title() == "sent 1000"


@pytest.mark.parametrize("element", ["#a", None])
@pytest.mark.parametrize("event", ["focus", "keydown"])
async def test_a_key_sends_only_the_form_that_was_decided_about(show: Show, event: str, element: str | None) -> None:
    tab = await show(FORM)
    if element is None:
        await tab.page.focus("#a")
    await tab.page.evaluate("event => a.addEventListener(event, dearer)", event)
    mine = await decided(tab, Aim(element, sends=True), agreed=True)
    if element is None and event == "focus":
        await tab.page.evaluate("() => setTimeout(dearer)")
    with pytest.raises(ElementChanged):
        await press(mine, "Enter", element)
    assert "sent" not in await tab.page.title()
    await press(await decided(tab, Aim(element, sends=True), agreed=True), "Enter", element)
    assert await tab.page.title() == "sent 1000"


@pytest.mark.parametrize("agreed", [True, False])
async def test_a_frame_that_slides_over_the_button_gets_no_click_that_a_person_agreed_to(
    show: Show, site: Site, *, agreed: bool
) -> None:
    frame = site.add("frame", "<body onmousedown='document.title = `pressed`' style='height:400px'>Frame")
    tab = await show(
        f"<button id=b style='position:fixed;left:20px;top:20px'>Pay</button><iframe src='{frame}' "
        "style='position:fixed;left:600px;top:0;width:300px;height:300px'></iframe><script>addEventListener("
        "'mousemove', () => document.querySelector('iframe').style.left = 0)</script>"
    )
    inner = next(one for one in tab.page.frames if one is not tab.page.main_frame)
    await inner.wait_for_load_state()
    mine = await decided(tab, Aim("#b"), agreed=agreed)
    if agreed:
        with pytest.raises(ElementChanged):
            await click(mine, "#b", timeout_ms=2_000)
    else:
        await click(mine, "#b", timeout_ms=2_000)
    assert (await inner.title() == "pressed") is not agreed
