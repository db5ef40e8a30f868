"""Parts of a page by CSS selectors, in the shape of the request."""

from __future__ import annotations

import pytest

from browser_pilot.errors import InvalidArgument
from browser_pilot.page.snapshot.selection import select_content
from tests.page.conftest import Show

PAGE = """<base href='https://news.test/a/'><h1> The
 news </h1><ul><li class=x><a href='one'>One</a><b>1</b></li><li><a href='https://b.test/'>Two</a></li></ul>"""


async def test_the_data_has_the_shape_of_the_rules(show: Show) -> None:
    tab = await show(PAGE)
    rules = {
        "title": "h1",
        "missing": "h2",
        "links": ["a@href"],
        "items": ["li", {"text": "a", "url": "a@href", "class": "@class", "number": "b", "bold": ["b"]}],
        "first": {"name": "li a"},
    }
    answer = await select_content(tab, rules, timeout_ms=10_000)
    assert answer == {
        "isCut": False,
        "data": {
            "title": "The news",
            "missing": None,
            "links": ["https://news.test/a/one", "https://b.test/"],
            "items": [
                {"text": "One", "url": "https://news.test/a/one", "class": "x", "number": "1", "bold": ["1"]},
                {"text": "Two", "url": "https://b.test/", "class": None, "number": None, "bold": []},
            ],
            "first": {"name": "One"},
        },
    }


async def test_an_at_sign_within_a_selector_is_part_of_it(show: Show) -> None:
    tab = await show("<i title='@home'>at home</i>")
    rules = {"text": "i[title='@home']", "title": "i[title='@home']@title"}
    assert (await select_content(tab, rules, timeout_ms=10_000))["data"] == {"text": "at home", "title": "@home"}


async def test_a_selector_that_is_not_valid_is_named(show: Show) -> None:
    tab = await show("<p>")
    with pytest.raises(InvalidArgument, match="p:nonsense"):
        await select_content(tab, {"text": "p:nonsense"}, timeout_ms=10_000)


async def test_the_page_cannot_change_what_is_selected(show: Show) -> None:
    tab = await show("<h1>True</h1>")
    await tab.page.evaluate(
        """() => {
          Document.prototype.querySelector = () => ({ textContent: "False", getAttribute: () => "False" });
          JSON.stringify = () => '{"data": {"title": "False"}}';
        }"""
    )
    assert (await select_content(tab, {"title": "h1"}, timeout_ms=10_000))["data"] == {"title": "True"}


async def test_more_matches_than_the_limit_are_cut_and_that_is_said(show: Show) -> None:
    tab = await show("<i></i>" * 10_050)
    answer = await select_content(tab, {"all": ["i"]}, timeout_ms=20_000)
    assert len(answer["data"]["all"]) == 10_000 and answer["isCut"]
