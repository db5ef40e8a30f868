"""Scrolling and uploading."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser_pilot.errors import ElementNotActionable, InvalidArgument
from browser_pilot.page.tab import Tab
from tests.page.conftest import Show

from .acting import scroll, upload
from .site import Site

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

LOG = "<script>log = []; note = word => log.push(word)</script>"


async def logged(tab: Tab) -> list[str]:
    return await tab.page.evaluate("log")


async def test_the_page_scrolls_by_pixels_and_to_its_ends(show: Show) -> None:
    tab = await show("<div style='height:3000px'>tall</div>")
    outcome = await scroll(tab, dy=500)
    assert await tab.page.evaluate("scrollY") == 500
    assert any("500 px above" in notice for notice in outcome.notices)
    outcome = await scroll(tab, to="bottom")
    assert any("at the bottom" in notice for notice in outcome.notices)
    await scroll(tab, to="top")
    assert await tab.page.evaluate("scrollY") == 0


async def test_the_scroll_container_of_an_element_is_scrolled(show: Show) -> None:
    tab = await show(
        "<div id=box style='height:100px;overflow:auto'><p id=p>Row</p><div style='height:900px'></div></div>"
    )
    await scroll(tab, "#p", dy=200)
    assert await tab.page.evaluate("box.scrollTop") == 200


async def test_an_element_is_scrolled_into_view(show: Show) -> None:
    tab = await show("<div style='height:3000px'></div><p id=p>Here</p>")
    await scroll(tab, "#p")
    assert await tab.page.evaluate("p.getBoundingClientRect().top < innerHeight")


async def test_the_main_scroll_container_is_scrolled_when_the_page_does_not_scroll(show: Show) -> None:
    tab = await show(
        "<body style='margin:0;overflow:hidden'><main id=m style='height:100vh;overflow:auto'>"
        "<div style='height:5000px'>tall</div></main>"
    )
    await scroll(tab, dy=700)
    assert await tab.page.evaluate("m.scrollTop") == 700


async def test_an_endless_list_has_loaded_more_when_the_scroll_returns(show: Show, site: Site) -> None:
    site.late("more", 0.2, "<p>More</p>")
    tab = await show(
        "<div id=list><div style='height:1500px'>first</div></div><script>onscroll = () => { onscroll = null;"
        "fetch('/more').then(r => r.text()).then(t => list.insertAdjacentHTML('beforeend', t)) }</script>"
    )
    await scroll(tab, to="bottom")
    assert "More" in await tab.page.inner_text("#list")


async def test_a_virtual_list_shows_the_rows_that_are_scrolled_to(show: Show) -> None:
    tab = await show(
        "<div id=box style='height:200px;overflow:auto'><div id=rows style='height:200000px;position:relative'></div>"
        "</div>"
        "<script>draw = () => { const from = Math.floor(box.scrollTop / 20); rows.innerHTML = Array.from({length: 12},"
        "(_, i) => `<p style='position:absolute;margin:0;top:${(from + i) * 20}px'>Row ${from + i}</p>`).join('') };"
        "box.onscroll = () => requestAnimationFrame(draw); draw()</script>"
    )
    await scroll(tab, "#box", dy=100_000)
    assert "Row 5000" in await tab.page.inner_text("#rows")


async def test_wheel_events_are_sent_where_nothing_scrolls(show: Show) -> None:
    tab = await show(
        f"<body style='margin:0'>{LOG}<canvas id=c width=900 height=600"
        " onwheel='note(`${event.deltaY} ${event.isTrusted}`)'></canvas>"
    )
    await scroll(tab, "#c", dy=120)
    assert await logged(tab) == ["120 true"]


async def test_a_scroll_without_distance_and_goal_is_refused(show: Show) -> None:
    tab = await show("<p>Text</p>")
    with pytest.raises(InvalidArgument):
        await scroll(tab)
    with pytest.raises(InvalidArgument):
        await scroll(tab, to="element")


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "one.txt", tmp_path / "two.txt"]
    for path in paths:
        path.write_text(path.stem)
    return paths


NAMES = "[...document.querySelector('input[type=file]').files].map(f => f.name)"


@pytest.mark.parametrize(
    "html",
    [
        "<input id=u type=file>",
        "<input id=u type=file style='display:none'>",
        "<label id=u>Choose <input type=file hidden></label>",
        "<div id=u><span>Drop here</span><input type=file style='opacity:0'></div>",
        "<button id=u onclick='f.click()'>Choose</button><input id=f type=file hidden>",
    ],
)
async def test_a_file_is_set_in_visible_and_hidden_fields(show: Show, files: list[Path], html: str) -> None:
    tab = await show(f"{LOG}{html}<script>document.addEventListener('change', e => note(e.target.type))</script>")
    outcome = await upload(tab, "#u", files[:1])
    assert await tab.page.evaluate(NAMES) == ["one.txt"]
    assert await logged(tab) == ["file"]
    assert outcome.notices == ()


async def test_several_files_need_a_multiple_field(show: Show, files: list[Path]) -> None:
    tab = await show("<input id=u type=file multiple>")
    await upload(tab, "#u", files)
    assert await tab.page.evaluate(NAMES) == ["one.txt", "two.txt"]
    tab = await show("<input id=u type=file>")
    with pytest.raises(InvalidArgument, match="one file only"):
        await upload(tab, "#u", files)
    assert await tab.page.evaluate(NAMES) == []


async def test_a_file_is_set_in_a_cross_site_frame(tab: Tab, site: Site, files: list[Path]) -> None:
    site.add("leaf", "<input id=u type=file>")
    await tab.page.goto(site.add("outer", "<iframe src='http://b.test:{port}/leaf'></iframe>"))
    await upload(tab, "#u", files[:1])
    assert await tab.page.frames[-1].evaluate(NAMES) == ["one.txt"]


async def test_a_missing_file_or_file_field_is_an_error(show: Show, files: list[Path], tmp_path: Path) -> None:
    tab = await show("<input id=u type=file><p id=p>Text</p>")
    with pytest.raises(InvalidArgument, match="no file"):
        await upload(tab, "#u", [tmp_path / "absent"])
    with pytest.raises(InvalidArgument, match="folder"):
        await upload(tab, "#u", [tmp_path])
    with pytest.raises(ElementNotActionable, match="no file chooser"):
        await upload(tab, "#p", files[:1])
