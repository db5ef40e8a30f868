"""Typing and pressing keys: the field holds the text, and listeners of the page are called."""

from __future__ import annotations

import pytest

from browser_pilot.errors import ElementNotActionable, InvalidArgument
from browser_pilot.page.tab import Tab
from tests.page.conftest import Show

from .acting import press, type_text
from .site import Site

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

LOG = "<script>log = []; note = word => log.push(word)</script>"


async def value(tab: Tab) -> str:
    return await tab.page.evaluate("f.value ?? f.innerText")


@pytest.mark.parametrize(
    "field",
    [
        "<input id=f value=old>",
        "<input id=f type=email value=o@ld.example>",
        "<input id=f type=search>",
        "<input id=f type=password value=old>",
        "<textarea id=f>old</textarea>",
        "<div id=f contenteditable>old</div>",
        "<div id=f contenteditable=plaintext-only>old <b>bold</b></div>",
    ],
)
@pytest.mark.parametrize("slowly", [False, True])
async def test_text_replaces_the_content(show: Show, field: str, slowly: bool) -> None:
    tab = await show(field)
    outcome = await type_text(tab, "#f", "me@new.example", slowly=slowly)
    assert (await value(tab)).strip() == "me@new.example"
    assert outcome.notices == ()


@pytest.mark.parametrize(
    "text", ["héllo wörld", "日本語", "😀 family 👨‍👩‍👧", "שלום עולם", "a", "", '50% "off" <b>\'', "x\ty"]
)
async def test_any_text_can_be_typed(show: Show, text: str) -> None:
    tab = await show("<input id=f value=old>")
    outcome = await type_text(tab, "#f", text)
    assert await value(tab) == text
    assert outcome.notices == ()


async def test_right_to_left_text_is_typed_in_order(show: Show) -> None:
    tab = await show("<textarea id=f dir=rtl></textarea>")
    await type_text(tab, "#f", "مرحبا 123 بالعالم")
    assert await value(tab) == "مرحبا 123 بالعالم"


async def test_without_clear_text_is_appended(show: Show) -> None:
    tab = await show("<input id=f value='one '>")
    await type_text(tab, "#f", "two", clear=False)
    assert await value(tab) == "one two"


async def test_several_lines_stay_lines(show: Show) -> None:
    tab = await show("<textarea id=f></textarea>")
    await type_text(tab, "#f", "one\ntwo\n")
    assert await value(tab) == "one\ntwo\n"


async def test_key_and_input_listeners_are_called(show: Show) -> None:
    tab = await show(
        f"{LOG}<input id=f onkeydown='note(`down ${{event.key}}`)' onkeyup='note(`up ${{f.value}}`)'"
        " oninput='note(`input ${event.isTrusted}`)'>"
    )
    await type_text(tab, "#f", "abc")
    log = await tab.page.evaluate("log")
    assert log == ["down c", "input true", "up abc"]


async def test_slowly_sends_every_key(show: Show) -> None:
    tab = await show(f"{LOG}<input id=f onkeydown='note(event.key)'>")
    await type_text(tab, "#f", "aB!", slowly=True)
    assert await tab.page.evaluate("log") == ["a", "B", "!"]


async def test_blur_dispatches_the_change_event(show: Show) -> None:
    tab = await show(f"{LOG}<input id=f onchange='note(f.value)'>")
    await type_text(tab, "#f", "abc")
    await press(tab, "Tab")
    assert await tab.page.evaluate("log") == ["abc"]


async def test_submit_presses_enter_after_the_text(show: Show, site: Site) -> None:
    site.late("search", 0.1, "<p>results</p>")
    tab = await show("<form action=/search><input id=f name=q></form>")
    outcome = await type_text(tab, "#f", "cats", submit=True)
    assert outcome.navigated == site.url("search?q=cats")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("date", "2024-05-31"),
        ("time", "13:45"),
        ("month", "2024-05"),
        ("week", "2024-W22"),
        ("datetime-local", "2024-05-31T13:45"),
        ("color", "#ff8800"),
        ("range", "42"),
        ("number", "42.5"),
    ],
)
async def test_special_fields_hold_the_value_and_dispatch_events(show: Show, kind: str, text: str) -> None:
    tab = await show(
        f"{LOG}<input id=f type={kind} step=any oninput='note(`input ${{f.value}}`)'"
        " onchange='note(`change ${f.value}`)'>"
    )
    await type_text(tab, "#f", text)
    assert await value(tab) == text
    if kind == "number":
        await press(tab, "Tab")
    log = await tab.page.evaluate("log")
    assert f"input {text}" in log
    assert f"change {text}" in log


@pytest.mark.parametrize(
    ("kind", "text", "form"),
    [("date", "31.05.2024", "2024-05-31"), ("color", "orange", "#ff8800"), ("range", "900", "from 0 to 100")],
)
async def test_a_value_in_the_wrong_format_is_refused_with_an_example(
    show: Show, kind: str, text: str, form: str
) -> None:
    tab = await show(f"<input id=f type={kind}>")
    before = await value(tab)
    with pytest.raises(InvalidArgument, match=form):
        await type_text(tab, "#f", text)
    assert await value(tab) == before


async def test_text_in_a_number_field_is_an_error(show: Show) -> None:
    tab = await show("<input id=f type=number>")
    with pytest.raises(ElementNotActionable, match="did not accept"):
        await type_text(tab, "#f", "many")


async def test_a_field_that_restores_its_value_is_an_error(show: Show) -> None:
    tab = await show("<input id=f value=fixed oninput='f.value = `fixed`'>")
    with pytest.raises(ElementNotActionable, match="still holds 'fixed'"):
        await type_text(tab, "#f", "other")


async def test_a_field_that_changes_the_typed_text_is_reported(show: Show) -> None:
    tab = await show("<input id=f oninput='f.value = f.value.toUpperCase()'>")
    outcome = await type_text(tab, "#f", "abc")
    assert any("'ABC'" in notice for notice in outcome.notices)


async def test_the_value_of_a_password_field_is_never_reported(show: Show) -> None:
    tab = await show("<input id=f type=password maxlength=3>")
    outcome = await type_text(tab, "#f", "secret")
    assert outcome.notices
    assert not any("sec" in notice.replace("secret)", "") for notice in outcome.notices)


@pytest.mark.parametrize(
    ("html", "message"),
    [
        ("<input id=f readonly>", "read-only"),
        ("<input id=f disabled>", "disabled"),
        ("<p id=f>text</p>", "not a field"),
        ("<input id=f type=checkbox>", "check box"),
        ("<select id=f><option>a</select>", "drop-down"),
        ("<input id=f type=file>", "takes files"),
        ("<input id=f style='display:none'>", "hidden"),
    ],
)
async def test_typing_into_an_element_without_text_is_an_error(show: Show, html: str, message: str) -> None:
    tab = await show(html)
    with pytest.raises((ElementNotActionable, InvalidArgument), match=message):
        await type_text(tab, "#f", "x", timeout_ms=100)


async def test_a_label_or_a_wrapper_resolves_to_its_field(show: Show) -> None:
    tab = await show("<label id=l>Name <input id=f></label><div id=w><span>Icon</span><input id=g></div>")
    await type_text(tab, "#l", "one")
    await type_text(tab, "#w", "two")
    assert await tab.page.evaluate("[f.value, g.value]") == ["one", "two"]


async def test_text_is_typed_into_fields_in_shadow_roots_and_frames(tab: Tab, site: Site) -> None:
    site.add("leaf", "<input id=in-frame>")
    await tab.page.goto(
        site.add(
            "outer",
            "<div id=host></div><iframe src='http://b.test:{port}/leaf'></iframe>"
            "<script>host.attachShadow({mode: 'open'}).innerHTML = '<input id=in-shadow>'</script>",
        )
    )
    await type_text(tab, "#in-shadow", "one")
    await type_text(tab, "#in-frame", "two")
    assert await tab.page.evaluate("host.shadowRoot.querySelector('input').value") == "one"
    assert await tab.page.frames[-1].input_value("#in-frame") == "two"


async def test_an_autocomplete_list_opens_while_typing(show: Show) -> None:
    tab = await show(
        "<input id=f oninput='hits.innerHTML = [`Berlin`, `Bern`].filter(c => c.startsWith(f.value))"
        ".map(c => `<li>${c}`).join(``)'><ul id=hits></ul>"
    )
    await type_text(tab, "#f", "Bern")
    assert await tab.page.inner_text("#hits") == "Bern"


async def test_a_field_that_react_controls_keeps_its_text(show: Show) -> None:
    """React stores a field's value in its own property on the element; only an edit that bypasses it counts."""
    tab = await show(
        f"{LOG}<input id=f><script>let known = ''; const proto = Object.getOwnPropertyDescriptor("
        "HTMLInputElement.prototype, 'value'); Object.defineProperty(f, 'value', { configurable: true,"
        "get() { return proto.get.call(this) }, set(v) { known = v; proto.set.call(this, v) } });"
        "f.addEventListener('input', () => { if (f.value !== known) { known = f.value; note(f.value) } })</script>"
    )
    await type_text(tab, "#f", "abc")
    assert (await tab.page.evaluate("log"))[-1] == "abc"


async def test_chords_reach_the_page_and_are_released(show: Show) -> None:
    tab = await show(
        f"{LOG}<body onkeydown='note(`${{event.ctrlKey}} ${{event.shiftKey}} ${{event.key}}`)'><input id=f value=abc>"
    )
    await press(tab, "Control+a", "#f")
    await press(tab, "Backspace")
    await press(tab, "Control+Shift+k")
    await press(tab, "x")
    assert await value(tab) == "x"
    assert (await tab.page.evaluate("log"))[-4:] == [
        "true false Control",
        "true true Shift",
        "true true K",
        "false false x",
    ]


async def test_an_unknown_key_is_refused_with_a_similar_one(show: Show) -> None:
    tab = await show("<input id=f>")
    with pytest.raises(InvalidArgument) as caught:
        await press(tab, "Entr")
    assert "Enter" in caught.value.suggestions[0]


async def test_several_keys_are_pressed_in_order(show: Show) -> None:
    tab = await show(f"{LOG}<input id=f onkeydown='note(event.key)' value=abc>")
    await press(tab, ["Home", "Shift+ArrowRight", "x", "Escape"], "#f")
    assert await value(tab) == "xbc"
    assert await tab.page.evaluate("log") == ["Home", "Shift", "ArrowRight", "x", "Escape"]


async def test_enter_after_other_keys_goes_to_the_same_element_only(show: Show) -> None:
    tab = await show(f"{LOG}<input id=f><button id=b onclick='note(`clicked`)'>Go</button>")
    outcome = await press(tab, ["Tab", "Enter", "Tab"], "#f")
    assert await tab.page.evaluate("[document.activeElement.id, ...log]") == ["b"]
    assert any("Stopped before Enter" in notice for notice in outcome.notices)
    outcome = await press(tab, ["Enter", "Enter"], "#b")
    assert await tab.page.evaluate("log") == ["clicked", "clicked"]
    assert outcome.notices == ()


async def test_enter_chooses_in_a_list_that_keeps_the_focus_in_its_field(show: Show) -> None:
    tab = await show(
        f"{LOG}<input id=f role=combobox onkeydown='if (event.key === `ArrowDown`) n++; else note(`${{event.key}}"
        " ${n}`)'><script>n = 0</script>"
    )
    await press(tab, ["ArrowDown", "ArrowDown", "Enter"], "#f")
    assert await tab.page.evaluate("log") == ["Enter 2"]


async def test_a_wrong_key_among_several_is_refused_before_any_is_pressed(show: Show) -> None:
    tab = await show("<input id=f value=abc>")
    with pytest.raises(InvalidArgument, match="NoSuchKey"):
        await press(tab, ["Backspace", "NoSuchKey"], "#f")
    assert await value(tab) == "abc"


@pytest.mark.parametrize(
    "editor",
    [
        "<input id=f onblur='f.value = ``'>",
        "<div id=cell><input id=f onblur='cell.textContent = ``'></div>",
    ],
)
async def test_a_text_that_the_page_discards_when_the_field_is_left_is_reported(show: Show, editor: str) -> None:
    tab = await show(f"<table><tr><td>{editor}<td><input id=next></table>")
    outcome = await type_text(tab, "#f", "Bakery")
    assert outcome.notices == ()
    outcome = await press(tab, "Tab")
    assert any("discarded" in notice for notice in outcome.notices)
    assert (await press(tab, "Tab")).notices == ()


async def test_a_text_that_its_editor_leaves_in_place_is_kept(show: Show) -> None:
    tab = await show("<div id=cell><input id=f onblur='cell.textContent = this.value'></div><input id=next>")
    await type_text(tab, "#f", "Bakery")
    assert (await press(tab, "Tab")).notices == ()
    assert await tab.page.inner_text("#cell") == "Bakery"


async def test_typing_in_another_field_reports_what_the_first_one_discarded(show: Show) -> None:
    tab = await show("<input id=f onblur='this.value = ``'><input id=g>")
    await type_text(tab, "#f", "Bakery")
    outcome = await type_text(tab, "#g", "Flour")
    assert any("discarded" in notice for notice in outcome.notices)


async def test_what_has_the_focus_gets_the_keys_also_if_it_is_no_field(show: Show) -> None:
    tab = await show(f"{LOG}<div id=f tabindex=0 onkeydown='note(event.key)'>Game</div>")
    await tab.page.focus("#f")
    await type_text(tab, "#f", "ab", focused=True)
    assert await tab.page.evaluate("log") == ["a", "b"]
