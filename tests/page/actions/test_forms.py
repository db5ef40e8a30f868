"""Selecting options and filling forms."""

from __future__ import annotations

import pytest

from browser_pilot.errors import InvalidArgument
from browser_pilot.page.tab import Tab
from tests.page.conftest import Show

from .acting import fill_form, select
from .site import Site

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

LOG = "<script>log = []; note = word => log.push(word)</script>"
COUNTRIES = (
    f"{LOG}<select id=s oninput='note(`input`)' onchange='note(`change ${{s.value}}`)'><option value=de>Germany"
    "<option value=fr>France<option value=x disabled>Nowhere</select>"
)


async def chosen(tab: Tab) -> list[str]:
    return await tab.page.evaluate("[...s.selectedOptions].map(o => o.value)")


@pytest.mark.parametrize("word", ["France", "fr", " france "])
async def test_an_option_is_selected_by_label_or_value(show: Show, word: str) -> None:
    tab = await show(COUNTRIES)
    await select(tab, "#s", [word])
    assert await chosen(tab) == ["fr"]
    assert await tab.page.evaluate("log") == ["input", "change fr"]


async def test_several_options_are_selected_in_a_multiple_select(show: Show) -> None:
    tab = await show("<select id=s multiple><option selected>a<option>b<option>c</select>")
    await select(tab, "#s", ["b", "c"])
    assert await chosen(tab) == ["b", "c"]


@pytest.mark.parametrize(
    ("values", "message"),
    [(["Spain"], '"Germany", "France"'), (["Germany", "France"], "exactly one"), (["Nowhere"], "Nowhere")],
)
async def test_a_missing_option_lists_the_existing_ones(show: Show, values: list[str], message: str) -> None:
    tab = await show(COUNTRIES)
    with pytest.raises(Exception, match=message):
        await select(tab, "#s", values, timeout_ms=100)
    assert await chosen(tab) == ["de"]


async def test_a_custom_list_is_left_untouched_to_the_caller(show: Show) -> None:
    tab = await show("<div id=s role=combobox tabindex=0 onmousedown='touched = 1' onfocus='touched = 1'>Choose</div>")
    assert (await select(tab, "#s", ["x"])).custom_lists == (0,)
    assert await tab.page.evaluate("window.touched ?? null") is None


async def test_what_is_no_list_is_refused_with_advice(show: Show) -> None:
    tab = await show("<button id=s>Choose</button>")
    with pytest.raises(InvalidArgument) as caught:
        await select(tab, "#s", ["x"])
    assert "Click it" in caught.value.suggestions[0]


async def test_options_that_are_added_late_are_awaited(show: Show) -> None:
    tab = await show("<select id=s></select><script>setTimeout(() => s.innerHTML = '<option>a<option>b', 300)</script>")
    await select(tab, "#s", ["b"])
    assert await chosen(tab) == ["b"]


FORM = """<form action=/sent><input id=name name=name><input id=mail type=email name=mail required>
<textarea id=bio name=bio></textarea><input id=day type=date name=day><input id=slide type=range name=slide>
<select id=country name=country><option value=de>Germany<option value=fr>France</select>
<input id=yes type=checkbox name=yes><input id=no type=checkbox name=no checked>
<fieldset id=size><label><input type=radio name=size value=s>Small</label><label><input type=radio name=size value=l>
Large</label></fieldset><div id=rich contenteditable></div><button>Send</button></form>"""
VALUES = [
    ("#name", "Ada"),
    ("#mail", "ada@example.org"),
    ("#bio", "one\ntwo"),
    ("#day", "2024-05-31"),
    ("#slide", 42),
    ("#country", "France"),
    ("#yes", True),
    ("#no", "false"),
    ("#size", "Large"),
    ("#rich", "rich text"),
]
READ = (
    "[...document.querySelectorAll('form [id]')].map(e => [e.id, e.type === 'checkbox' ? e.checked : e.id === 'size' ?"
    " document.querySelector('[name=size]:checked')?.value : e.isContentEditable ? e.innerText : e.value])"
)


async def test_ten_fields_of_every_kind_are_filled_in_one_call(show: Show) -> None:
    tab = await show(FORM)
    outcome = await fill_form(tab, VALUES)
    assert [report.problem for report in outcome.fields] == [None] * 10
    assert await tab.page.evaluate(READ) == [
        ["name", "Ada"],
        ["mail", "ada@example.org"],
        ["bio", "one\ntwo"],
        ["day", "2024-05-31"],
        ["slide", "42"],
        ["country", "fr"],
        ["yes", True],
        ["no", False],
        ["size", "l"],
        ["rich", "rich text"],
    ]


async def test_a_filled_form_can_be_submitted_in_the_same_call(show: Show, site: Site) -> None:
    site.add("sent", "<p>Thanks</p>")
    tab = await show(FORM)
    outcome = await fill_form(tab, VALUES[:2], submit=True)
    assert outcome.navigated
    assert outcome.navigated.startswith(site.url("sent?name=Ada&mail=ada%40example.org"))


async def test_an_invalid_form_reports_the_invalid_field(show: Show) -> None:
    tab = await show(FORM)
    outcome = await fill_form(tab, VALUES[:1], submit=True)
    assert outcome.navigated is None
    assert any("mail" in notice for notice in outcome.notices)


async def test_when_one_field_is_missing_none_is_filled(show: Show) -> None:
    tab = await show("<input id=a><p id=b>text</p>")
    outcome = await fill_form(tab, [("#a", "x"), ("#b", "y")])
    assert not outcome.complete
    assert await tab.page.evaluate("a.value") == ""
    assert [report.problem is None for report in outcome.fields] == [False, False]


async def test_a_field_that_does_not_accept_its_value_is_reported_and_the_form_is_not_submitted(show: Show) -> None:
    tab = await show("<form action=/sent><input id=a><input id=b type=date><input id=c oninput='c.value = 0'></form>")
    outcome = await fill_form(tab, [("#a", "x"), ("#b", "31.5."), ("#c", "5")], submit=True)
    problems = [report.problem for report in outcome.fields]
    assert problems[0] is None
    assert "2024-05-31" in str(problems[1])
    assert "'0'" in str(problems[2])
    assert outcome.navigated is None
    assert any("2 of 3" in notice for notice in outcome.notices)


async def test_fields_of_several_frames_are_filled_in_one_call(tab: Tab, site: Site) -> None:
    site.add("leaf", "<input id=card>")
    await tab.page.goto(site.add("outer", "<input id=name><iframe src='http://b.test:{port}/leaf'></iframe>"))
    outcome = await fill_form(tab, [("#name", "Ada"), ("#card", "4111")])
    assert outcome.complete
    assert await tab.page.input_value("#name") == "Ada"
    assert await tab.page.frames[-1].input_value("#card") == "4111"


async def test_a_field_that_depends_on_the_one_before_is_filled(show: Show) -> None:
    tab = await show(
        "<select id=land onchange='setTimeout(() => { town.disabled = false; town.innerHTML = `<option>Kiel` }, 100)'>"
        "<option>-<option>Germany</select><select id=town disabled></select>"
    )
    outcome = await fill_form(tab, [("#land", "Germany"), ("#town", "Kiel")])
    assert outcome.complete
    assert await tab.page.evaluate("town.value") == "Kiel"
