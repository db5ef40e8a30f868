"""Only the authorized target is acted on: the facts of an element, its fingerprint, and frames that cover it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

from browser_pilot.errors import ElementChanged, PilotError
from browser_pilot.page.actions import keyboard, mouse
from browser_pilot.page.actions.context import ActionContext
from browser_pilot.page.actions.keyboard import press, type_text
from browser_pilot.page.actions.mouse import click
from browser_pilot.page.actions.runner import TIMEOUT_MS
from browser_pilot.page.actions.target_facts import TargetSpec, inspect_targets
from browser_pilot.page.tab import Tab
from tests.page.conftest import Show

from .site import Site

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def authorized(tab: Tab, spec: TargetSpec, *, approved: bool = False) -> ActionContext:
    """The context that the pipeline makes for a call on this target."""
    elements = await inspect_targets(tab, [spec])
    return ActionContext(tab, targets=tuple(element.target for element in elements), approved=approved)


async def click_authorized(context: ActionContext, timeout_ms: int = TIMEOUT_MS) -> None:
    await click(context, context.targets[0], timeout_ms=timeout_ms)


async def press_authorized(context: ActionContext, key: str, *, focused: bool) -> None:
    if focused:
        await press(context, [key], focused=context.targets[0])
    else:
        await press(context, [key], context.targets[0])


async def test_fields_named_like_form_properties_do_not_hide_the_forms_action(show: Show) -> None:
    tab = await show(
        "<form action=/pay method=post><input name=action value=/no><input name=method value=get>"
        "<input name=elements><button>Pay</button></form>"
    )
    (seen,) = await inspect_targets(tab, [TargetSpec("button")])
    assert seen.facts.form_action.endswith("/pay")
    assert seen.facts.form_method == "post"
    assert len(seen.facts.form_fields) == 4


async def test_the_facts_have_what_is_visible_and_not_only_the_accessible_name(show: Show) -> None:
    tab = await show(
        """<button id=b aria-label=Details title=Tip><span aria-label=More>Pay now</span>
        <img alt=Card src=x.png></button>
        <button id=icon class=btn-delete><img src="/i/trash.svg?v=1"></button>
        <label id=l>Delete all <input type=checkbox></label>
        <form><label id=d>Keep <input type=checkbox></label><button>Save</button></form>
        <select id=s><option value=1>One<option value=2>Pay now</select>
        <a id=link href=/pay>Continue</a><a id=place href=#top>Top</a>
        <div role=dialog><h2>Delete account?</h2><p>For ever.</p><button id=ok>OK</button></div>"""
    )
    names = "#b #icon #l #d #link #place #ok".split()
    seen = await inspect_targets(tab, [*map(TargetSpec, names), TargetSpec("#s", choices=("2", "Other"))])
    button, icon, label, deferred, link, place, ok, choice = (one.facts for one in seen)
    assert button.name == "Details"
    assert {"Pay now", "Tip", "Card"} <= set(button.texts)
    assert (icon.name, icon.texts, icon.identifiers) == ("", (), "icon btn-delete trash.svg v=1")
    assert (label.role, label.acts_at_once, deferred.acts_at_once) == ("checkbox", True, False)
    assert label.name == "Delete all"
    assert (link.opens.endswith("/pay"), place.opens) == (True, "")
    assert ok.dialog == "Delete account? For ever."
    assert (choice.choices, choice.acts_at_once) == (("Pay now", "Other"), True)


async def test_a_shortcut_outside_of_any_form_is_for_the_forms_of_the_page(show: Show) -> None:
    tab = await show("<form action=/pay><input name=cardnumber></form><form><input name=q></form>")
    (seen,) = await inspect_targets(tab, [TargetSpec(None, submits=True, shortcut=True)])
    assert [field.name for field in seen.facts.form_fields] == ["cardnumber", "q"]
    await press(ActionContext(tab, targets=(seen.target,)), "Control+Enter", focused=seen.target)
    assert await inspect_targets(tab, [TargetSpec(None, submits=True)]) == ()


async def test_a_word_in_a_button_is_the_button_and_enter_in_a_field_is_its_forms(show: Show) -> None:
    tab = await show("<form action=/pay><input id=f><button type=submit><b id=w>Pay</b> now</button></form>")
    word, field = await inspect_targets(tab, [TargetSpec("#w"), TargetSpec("#f", submits=True)])
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
async def test_an_element_that_changed_since_its_authorization_is_not_clicked(show: Show, change: str) -> None:
    tab = await show(
        "<form action=/pay onsubmit='event.preventDefault(); document.title = `sent`'><ul><li id=row>Alice "
        "<input type=hidden id=h value=10><button id=b>Pay 10</button></li></ul></form>"
    )
    context = await authorized(tab, TargetSpec("#b", pointing=True))
    await tab.page.evaluate(f"() => {{ {change} }}")
    with pytest.raises(ElementChanged):
        await click_authorized(context)
    assert await tab.page.title() != "sent"
    await click_authorized(await authorized(tab, TargetSpec("#b", pointing=True)))
    assert await tab.page.title() == "sent"


async def test_text_and_keys_reach_only_the_authorized_element(show: Show) -> None:
    tab = await show("<input id=a aria-label=Name><input id=b aria-label=Password>")
    typing = await authorized(tab, TargetSpec("#a", fills=True))
    await tab.page.evaluate("() => a.type = 'password'")
    with pytest.raises(ElementChanged):
        await type_text(typing, typing.targets[0], "secret")
    assert await tab.page.input_value("#a") == ""
    await tab.page.focus("#a")
    pressing = await authorized(tab, TargetSpec(None, submits=True))
    await tab.page.focus("#b")
    with pytest.raises(ElementChanged):
        await press_authorized(pressing, "Enter", focused=True)


FORM = (
    "<form action=/pay onsubmit='event.preventDefault(); document.title = `sent ` + this.amount.value'>"
    "<input id=a name=amount value=10><button id=b>Pay</button></form>"
    "<script>function dearer() { a.value = 1000; }</script>"
)


@pytest.mark.parametrize("event", ["pointerdown", "mousedown", "mouseup"])
async def test_a_form_that_changes_while_the_button_is_down_is_not_the_approved_one(show: Show, event: str) -> None:
    tab = await show(FORM)
    await tab.page.evaluate("event => addEventListener(event, dearer)", event)
    context = await authorized(tab, TargetSpec("#b", pointing=True), approved=True)
    with pytest.raises(ElementChanged):
        await click_authorized(context)
    assert await tab.page.title() != "sent 1000"
    await click_authorized(await authorized(tab, TargetSpec("#b", pointing=True), approved=True))
    assert await tab.page.title() == "sent 1000"


@pytest.mark.parametrize("element", ["#a", None])
@pytest.mark.parametrize("event", ["focus", "keydown"])
async def test_a_key_submits_only_the_authorized_form(show: Show, event: str, element: str | None) -> None:
    tab = await show(FORM)
    if element is None:
        await tab.page.focus("#a")
    await tab.page.evaluate("event => a.addEventListener(event, dearer)", event)
    context = await authorized(tab, TargetSpec(element, submits=True), approved=True)
    if element is None and event == "focus":
        await tab.page.evaluate("() => setTimeout(dearer)")
    with pytest.raises(ElementChanged):
        await press_authorized(context, "Enter", focused=element is None)
    assert "sent" not in await tab.page.title()
    context = await authorized(tab, TargetSpec(element, submits=True), approved=True)
    await press_authorized(context, "Enter", focused=element is None)
    assert await tab.page.title() == "sent 1000"


@pytest.mark.parametrize("approved", [True, False])
async def test_a_frame_that_moves_over_the_button_receives_no_approved_click(
    show: Show, site: Site, *, approved: bool
) -> None:
    frame = site.add("frame", "<body onmousedown='document.title = `pressed`' style='height:400px'>Frame")
    tab = await show(
        f"<button id=b style='position:fixed;left:20px;top:20px'>Pay</button><iframe src='{frame}' "
        "style='position:fixed;left:600px;top:0;width:300px;height:300px'></iframe><script>addEventListener("
        "'mousemove', () => document.querySelector('iframe').style.left = 0)</script>"
    )
    inner = next(one for one in tab.page.frames if one is not tab.page.main_frame)
    await inner.wait_for_load_state()
    context = await authorized(tab, TargetSpec("#b", pointing=True), approved=approved)
    if approved:
        with pytest.raises(ElementChanged):
            await click_authorized(context, timeout_ms=2_000)
    else:
        await click_authorized(context, timeout_ms=2_000)
    assert (await inner.title() == "pressed") is not approved


async def test_a_document_that_replaces_the_page_before_an_approved_press_gets_no_click(
    show: Show, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page navigates after the target was checked: the next document has a button at the same place."""
    button = "<button id=b style='position:fixed;inset:0' onclick=\"document.title = 'clicked'\">Pay</button>"
    other = site.add("other", f"<title>other</title>{button}")
    tab = await show(f"<title>page</title>{button}")
    context = await authorized(tab, TargetSpec("#b", pointing=True), approved=True)
    other_frames_blocked = mouse.other_frames_blocked

    @asynccontextmanager
    async def navigated(*arguments: Any) -> AsyncGenerator[None]:
        await tab.page.goto(other)
        async with other_frames_blocked(*arguments):
            yield

    with monkeypatch.context() as patch:
        patch.setattr(mouse, "other_frames_blocked", navigated)
        with suppress(PilotError):
            await click_authorized(context)
    assert await tab.page.title() == "other"
    await click_authorized(await authorized(tab, TargetSpec("#b", pointing=True), approved=True))
    assert await tab.page.title() == "clicked"


PAYS_ON_KEY = (
    "<input id=a autofocus value={title}><script>document.title = '{title}';"
    " for (const type of ['keydown', 'keypress', 'keyup', 'input'])"
    " addEventListener(type, () => (document.title = 'paid'));"
    "</script>"
)


async def press_after(
    tab: Tab, change: Callable[[], Awaitable[object]], monkeypatch: pytest.MonkeyPatch, *, types: bool
) -> None:
    """Press an approved key; the page changes after the target was checked."""
    context = await authorized(tab, TargetSpec("#a", submits=True, fills=types), approved=True)
    send_keys = keyboard.send_keys

    async def changed(*arguments: Any) -> None:
        await change()
        await send_keys(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(keyboard, "send_keys", changed)
        with suppress(PilotError):
            if types:
                await type_text(context, context.targets[0], "page", submit=True)
            else:
                await press_authorized(context, "Enter", focused=False)


@pytest.mark.parametrize("types", [True, False])
async def test_a_document_that_replaces_the_page_before_an_approved_key_gets_no_key(
    show: Show, site: Site, monkeypatch: pytest.MonkeyPatch, *, types: bool
) -> None:
    other = site.add("other", PAYS_ON_KEY.format(title="other"))
    tab = await show("<input id=a value=page>")
    await press_after(tab, lambda: tab.page.goto(other), monkeypatch, types=types)
    assert await tab.page.title() == "other"
    context = await authorized(tab, TargetSpec("#a", submits=True), approved=True)
    await press_authorized(context, "Enter", focused=False)
    assert await tab.page.title() == "paid"


@pytest.mark.parametrize("types", [True, False])
async def test_a_frame_that_takes_the_focus_receives_no_approved_key(
    show: Show, site: Site, monkeypatch: pytest.MonkeyPatch, *, types: bool
) -> None:
    frame = site.add("frame", PAYS_ON_KEY.format(title="frame").replace("id=a autofocus", "id=c"))
    tab = await show(f"<input id=a value=page><iframe src='{frame}'></iframe>")
    inner = next(one for one in tab.page.frames if one is not tab.page.main_frame)
    await inner.wait_for_load_state()
    await press_after(tab, lambda: inner.focus("#c"), monkeypatch, types=types)
    assert await inner.title() == "frame"
