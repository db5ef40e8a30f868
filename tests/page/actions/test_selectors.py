"""Selectors are resolved to elements, and errors have suggestions."""

from __future__ import annotations

import pytest
from playwright.async_api import Page

from browser_pilot.errors import ElementAmbiguous, ElementNotFound, InvalidArgument, StaleRef, Timeout
from browser_pilot.page.actions import selectors
from browser_pilot.page.actions.selectors import ElementArgument, Elements, Selector, parse_element
from browser_pilot.page.isolated_world import World
from browser_pilot.page.snapshot.snapshot import take_snapshot
from tests.loop_blocks import ticks_during
from tests.page.conftest import Sites

FORM = """
<title>Form</title>
<button id=save>Save</button> <button>Save as draft</button> <button class=x>Cancel</button>
<label>Email <input id=mail></label>
<p>Some <b>bold words</b> here</p>
<div id=host></div>
<iframe src='http://b.test:{port}/inside'></iframe>
<script>
  const root = document.querySelector('#host').attachShadow({mode: 'open'});
  root.innerHTML = '<button class=deep>In the shadow</button>';
</script>
"""


@pytest.mark.parametrize(
    ("argument", "selector"),
    [
        ("e12", Selector(ref="e12")),
        ("f2e4", Selector(ref="f2e4")),
        (" #save ", Selector(css="#save")),
        ("css=e12", Selector(css="e12")),
        ("text=Sign in", Selector(text="Sign in")),
        ('text="Sign in"', Selector(text="Sign in", exact=True)),
        ("text=/sign.*in/", Selector(text="sign.*in", regex=True)),
        ("role=button", Selector(role="button")),
        ('role=button[name="Save"]', Selector(role="button", name="Save", exact=True)),
        ('role=button[name*="Sav"]', Selector(role="button", name="Sav")),
        ("role=link[name=/^doc/]", Selector(role="link", name="^doc", regex=True)),
        ("//a[1]", Selector(xpath="//a[1]")),
        ({"ref": "e3"}, Selector(ref="e3")),
        ({"css": "a.b"}, Selector(css="a.b")),
        ({"role": "button", "name": "Save"}, Selector(role="button", name="Save")),
        ({"role": "button", "name": "Save", "exact": True}, Selector(role="button", name="Save", exact=True)),
    ],
)
def test_an_element_argument_is_parsed(argument: ElementArgument, selector: Selector) -> None:
    assert parse_element(argument) == selector


@pytest.mark.parametrize(
    "argument",
    [
        "",
        "  ",
        "role=",
        "role=button[",
        {},
        {"ref": "12"},
        {"css": "a", "ref": "e1"},
        {"css": "a", "name": "x"},
        {"id": "a"},
    ],
)
def test_an_empty_or_ambiguous_element_argument_is_refused(argument: ElementArgument) -> None:
    with pytest.raises(InvalidArgument):
        parse_element(argument)


@pytest.fixture(name="elements")
def make_elements(page: Page) -> Elements:
    return Elements(World(page))


async def open_form(page: Page, sites: Sites) -> None:
    sites.add("inside", "<button>Inside</button>")
    await page.goto(sites.add("form", FORM))


@pytest.mark.parametrize(
    ("argument", "name"),
    [
        ("#save", "Save"),
        ('role=button[name="save"]', "Save"),
        ({"role": "button", "name": "draft"}, "Save as draft"),
        ({"role": "button", "name": "Save"}, "Save"),
        ("text=bold words", "bold words"),
        ("text=Inside", "Inside"),
        (".deep", "In the shadow"),
        ("role=textbox", "Email"),
        ("//button[@class='x']", "Cancel"),
    ],
)
async def test_every_kind_of_selector_finds_its_element(
    page: Page, sites: Sites, elements: Elements, argument: ElementArgument, name: str
) -> None:
    await open_form(page, sites)
    element = await elements.resolve(parse_element(argument))
    assert element.name == name
    assert (await elements.resolve(Selector(ref=element.ref))).ref == element.ref
    assert await elements.handle(element)


async def test_several_matches_are_listed_with_their_refs(page: Page, sites: Sites, elements: Elements) -> None:
    await open_form(page, sites)
    with pytest.raises(ElementAmbiguous) as caught:
        await elements.resolve(parse_element("role=button"))
    assert caught.value.metadata["count"] == 5
    assert any('button "Cancel"' in suggestion for suggestion in caught.value.suggestions)
    assert any("f1e" in suggestion and "Inside" in suggestion for suggestion in caught.value.suggestions)


async def test_similar_elements_are_suggested_when_nothing_matches(
    page: Page, sites: Sites, elements: Elements
) -> None:
    await open_form(page, sites)
    with pytest.raises(ElementNotFound) as caught:
        await elements.resolve(parse_element('role=button[name="Cancle"]'))
    assert 'button "Cancel"' in caught.value.suggestions[0]


async def test_a_selector_that_the_browser_cannot_parse_is_an_argument_error(
    page: Page, sites: Sites, elements: Elements
) -> None:
    await open_form(page, sites)
    with pytest.raises(InvalidArgument, match="not a valid selector"):
        await elements.resolve(parse_element("a[["))


async def test_a_stale_ref_reports_its_element_and_similar_ones(page: Page, sites: Sites, elements: Elements) -> None:
    await open_form(page, sites)
    save = await elements.resolve(parse_element("#save"))
    await page.evaluate("document.querySelector('#save').outerHTML = '<button>Save</button>'")
    with pytest.raises(StaleRef, match='was button "Save"') as caught:
        await elements.resolve(Selector(ref=save.ref))
    assert 'button "Save"' in caught.value.suggestions[0]
    assert save.ref not in caught.value.suggestions[0].split()


async def test_a_ref_of_the_last_page_is_stale_on_the_new_one(page: Page, sites: Sites) -> None:
    world = World(page)
    await open_form(page, sites)
    before = {row.ref for row in (await take_snapshot(world)).all_rows()}
    await page.goto(sites.add("other", "<button>One</button><button>Two</button>"))
    after = {row.ref for row in (await take_snapshot(world)).all_rows()}
    assert after and not before & after
    with pytest.raises(StaleRef):
        await Elements(world).resolve(Selector(ref=min(before)))


async def test_a_heading_is_found_by_the_role_that_names_its_level(page: Page, sites: Sites) -> None:
    await page.goto(sites.add("levels", "<h1>One</h1><h2>Two</h2><div role=heading aria-level=3>Three</div>"))
    elements = Elements(World(page))
    assert [(await elements.resolve(Selector(role=f"h{level}"))).name for level in (1, 2, 3)] == ["One", "Two", "Three"]


async def test_the_role_click_of_a_snapshot_is_a_valid_selector(page: Page, sites: Sites) -> None:
    html = "<ul><li style='cursor: pointer'>Norway<li>Sweden</ul><p onclick='1'>More</p><b class=star onclick='1'></b>"
    await page.goto(sites.add("clickables", html))
    elements = Elements(World(page))
    for name in ("Norway", "More", "(star)"):
        assert (await elements.resolve(Selector(role="click", name=name))).role != ""
    with pytest.raises(ElementNotFound):
        await elements.resolve(Selector(role="click", name="Sweden"))


async def test_an_endless_regular_expression_ends_with_an_error_and_the_page_stays_usable(
    page: Page, sites: Sites, elements: Elements, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selectors, "REGEX_TIMEOUT_SECONDS", 1.0)
    await page.goto(sites.add("endless", f"<button>{'a' * 60}!</button><script>kept = 7</script>"))
    with pytest.raises(Timeout, match="regular expression takes too long"):
        await elements.resolve(Selector(text="(a+)+$", regex=True))

    assert (await elements.resolve(Selector(role="button"))).name == "a" * 60 + "!"
    assert await page.evaluate("kept") == 7


def test_a_long_selector_is_parsed_in_linear_time() -> None:
    """Quadratic time would be a minute for the longer one."""
    with pytest.raises(InvalidArgument):
        parse_element("role=button[name=" + " " * 200_000)
    assert parse_element(f"role=button[name= x{' ' * 200_000}]") == Selector(role="button", name="x", exact=False)


async def test_suggestions_for_a_huge_text_cost_little(page: Page, sites: Sites, elements: Elements) -> None:
    names = "".join(f"<button>{'ab' * 500}{n}</button>" for n in range(300))
    await page.goto(sites.add("many", names))
    async with ticks_during() as ticks:
        with pytest.raises(ElementNotFound):
            await elements.resolve(Selector(text="ba" * 100_000))
    assert ticks.count >= 5
