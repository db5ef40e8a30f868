"""Page content: visible text is complete, and invisible text is left out."""

from __future__ import annotations

import pytest
from playwright.async_api import Page

from browser_pilot import assets
from browser_pilot.page.actions.selectors import Elements, Selector
from browser_pilot.page.isolated_world import World
from browser_pilot.page.snapshot.content import read_content
from tests.page.conftest import Sites

needs_readability = pytest.mark.skipif(
    assets.locate("readability") is None, reason="run python -m browser_pilot.assets first"
)


@needs_readability
async def test_an_article_is_read_as_markdown(page: Page, sites: Sites) -> None:
    await page.goto(sites.url("article.html"))
    reading = await read_content(World(page))
    assert reading.scope == "article"
    assert f"[shorter by one]({sites.url('count')})" in reading.text
    assert "for stone in stones:\n    print(len(stone))" in reading.text
    assert "| 1950 | 7 |" in reading.text
    assert reading.cursor is None and reading.note is None
    for unseen in ("Never shown", "drawing", "base64"):
        assert unseen not in reading.text


async def test_a_whole_page_is_read_with_its_frames(page: Page, sites: Sites) -> None:
    await page.goto(sites.url("article.html"))
    reading = await read_content(World(page), scope="page")
    assert reading.scope == "page"
    assert "# The well" in reading.text
    assert "## Inside the frame" in reading.text
    assert "frame1" not in reading.text


@needs_readability
async def test_a_page_that_is_no_article_is_read_whole(page: Page, sites: Sites) -> None:
    links = "".join(f"<li><a href='/{n}'>Section number {n}</a></li>" for n in range(40))
    article = f"<article><p>{'Some words, with commas, of an article. ' * 15}</p></article>"
    await page.goto(sites.add("menu", f"<title>Menu</title><div class=sidebar><ul>{links}</ul></div>{article}"))
    reading = await read_content(World(page))
    assert reading.scope == "page"
    assert "Section number 39" in reading.text and "of an article" in reading.text


async def test_without_readability_the_whole_page_is_read_and_a_note_says_so(
    page: Page, sites: Sites, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nowhere(_name: str) -> None:
        return None

    monkeypatch.setattr(assets, "locate", nowhere)
    await page.goto(sites.url("article.html"))
    reading = await read_content(World(page))
    assert reading.scope == "page"
    assert reading.note is not None and "Readability" in reading.note


async def test_one_element_is_read(page: Page, sites: Sites) -> None:
    await page.goto(sites.url("article.html"))
    world = World(page)
    element = await Elements(world).resolve(Selector(css="table"))
    reading = await read_content(world, root=(element.frame, element.ref), format="text")
    assert reading.scope == "element"
    assert "1950" in reading.text and "village" not in reading.text


async def test_a_long_page_is_read_in_pieces_that_fit_together(page: Page, sites: Sites) -> None:
    body = "".join(f"<p>Paragraph {n} has a few words of its own.</p>" for n in range(300))
    await page.goto(sites.add("long", f"<title>Long</title>{body}"))
    world = World(page)
    pieces: list[str] = []
    cursor = None
    while True:
        reading = await read_content(world, scope="page", max_tokens=1000, cursor=cursor)
        pieces.append(reading.text)
        cursor = reading.cursor
        if cursor is None:
            break
    assert len(pieces) > 2
    whole = "\n\n".join(pieces)
    assert all(whole.count(f"Paragraph {n} has") == 1 for n in range(300))


async def test_a_strict_content_security_policy_does_not_stop_reading(page: Page, sites: Sites) -> None:
    rules = "default-src 'none'; require-trusted-types-for 'script'"
    policy = f'<meta http-equiv=Content-Security-Policy content="{rules}">'
    await page.goto(sites.add("strict", f"{policy}<title>Strict</title><p>{'Words to read here. ' * 40}</p>"))
    assert "Words to read here." in (await read_content(World(page))).text


async def test_a_field_is_read_completely_unless_it_is_secret(page: Page, sites: Sites) -> None:
    words = " ".join(f"word{number}" for number in range(200))
    await page.goto(sites.add("field", f"<textarea>{words}</textarea><input type=password value=hunter2>"))
    world = World(page)
    for css, text in (("textarea", words), ("input", "")):
        element = await Elements(world).resolve(Selector(css=css))
        reading = await read_content(world, root=(element.frame, element.ref), format="text")
        assert reading.text == text
