"""Pages that are long, covered, self-mutating, right-to-left, or never finish loading."""

from __future__ import annotations

import time
from http.server import BaseHTTPRequestHandler

import pytest

from tests.clients import data_of, text_of
from tests.page.snapshot.tokens import real_tokens

from .conftest import Visit

pytestmark = pytest.mark.browser


async def test_a_virtual_list_is_scrolled_through(visit: Visit) -> None:
    async with visit(
        "<div id=box role=list aria-label=Names style='height:200px;overflow:auto'><div id=rows style='height:200000px;"
        "position:relative'></div></div><script>draw = () => { const from = Math.floor(box.scrollTop / 20);"
        "rows.innerHTML = Array.from({length: 12}, (_, i) => `<p style='position:absolute;margin:0;"
        "top:${(from + i) * 20}px'>Row ${from + i}</p>`).join('') };"
        "box.onscroll = () => requestAnimationFrame(draw); draw()</script>"
    ) as (agent, _):
        assert "Row 0" in agent.texts()
        await agent.call_tool("scroll", element=agent.one("list", "Names"), dy=100_000)
        assert "Row 5000" in agent.texts()
        assert "Row 0" not in agent.texts()


async def test_infinite_scroll_loads_more_at_its_end(visit: Visit) -> None:
    async with visit(
        "<div id=list></div><div id=end style='height:5px'></div><script>let n = 0;"
        "const more = () => { for (let i = 0; i < 20; i++) list.insertAdjacentHTML('beforeend',"
        "`<h3>Post ${n++}</h3><div style='height:100px'></div>`) };"
        "more(); new IntersectionObserver(e => e[0].isIntersecting && more()).observe(end)</script>"
    ) as (agent, _):
        for _ in range(2):
            await agent.call_tool("scroll", to="bottom")
            await agent.call_tool("wait_for", function="n >= 40")
        assert agent.all("heading", "Post 39")


async def test_a_sticky_header_does_not_intercept_the_click(visit: Visit) -> None:
    async with visit(
        "<header style='position:sticky;top:0;height:300px;background:#ccc' onclick='o.textContent = `header`'>"
        "Top</header><div style='height:900px'></div><button onclick='o.textContent = `button`'>Go</button>"
        "<div style='height:900px'></div><p id=o></p>"
    ) as (agent, _):
        await agent.click(agent.one("button", "Go"))
        assert "button" in agent.texts()


async def test_a_covering_cookie_banner_is_named_and_can_be_dismissed(visit: Visit) -> None:
    async with visit(
        "<button onclick='this.textContent = `Bought`'>Buy</button><div id=w role=dialog aria-label=Cookies style='"
        "position:fixed;inset:0;background:white'>We value you <button onclick='w.remove()'>Reject</button></div>"
    ) as (agent, _):
        result = await agent.client.call_tool("browser_click", {"element": "text=Buy", "timeout_ms": 10_000})
        assert result.is_error
        assert data_of(result)["error"] == "ELEMENT_NOT_ACTIONABLE"
        assert "Cookies" in text_of(result)
        await agent.click(agent.one("button", "Reject"))
        await agent.click(agent.one("button", "Buy"))
        assert agent.all("button", "Bought")


async def test_same_document_navigations_work_back_and_forth(visit: Visit) -> None:
    async with visit(
        "<nav><a href=/one>One</a> <a href=/two>Two</a></nav><main id=m>Start</main><script>const show = () =>"
        " m.textContent = 'Page ' + location.pathname; onclick = e => { if (e.target.href) { e.preventDefault();"
        " history.pushState({}, '', e.target.href); show() } }; onpopstate = show</script>"
    ) as (agent, site):
        result = await agent.click(agent.one("link", "Two"))
        assert result["url"] == site.url("/two")
        assert agent.one("main", "Page /two")
        await agent.call_tool("navigate", action="back")
        await agent.snapshot()
        assert agent.one("main", "Page /")


async def test_right_to_left_text_and_emoji_are_shown_found_and_typed(visit: Visit) -> None:
    text = "שלום עולם 👩‍👩‍👧 مرحبا"
    async with visit(f"<html dir=rtl><label>שם <input></label><button>{text}</button></html>") as (agent, _):
        await agent.type(agent.one("textbox", "שם"), text)
        assert agent.one("textbox", "שם").value == text
        await agent.click(agent.one("button", text))
        await agent.click({"role": "button", "name": "👩‍👩‍👧"})


async def test_a_page_of_a_hundred_thousand_nodes_fits_the_token_budget(visit: Visit) -> None:
    async with visit(
        "<script>document.write(Array.from({length: 33400}, (_, i) => `<p><span>Item</span> <a href=#${i}>"
        "Link ${i}</a></p>`).join(''))</script>"
    ) as (agent, _):
        assert await agent.evaluate("document.querySelectorAll('*').length") > 100_000
        result = await agent.client.call_tool("browser_snapshot", {"timeout_ms": 60_000})
        assert real_tokens(text_of(result)) <= 8_000
        assert data_of(result)["rows_left"] > 1_000
        found = await agent.client.call_tool("browser_find", {"query": "Link 33399"})
        assert "Link 33399" in text_of(found)


async def test_a_page_that_never_finishes_loading_can_be_used(visit: Visit) -> None:
    def hang(handler: BaseHTTPRequestHandler) -> None:
        handler.connection.settimeout(300)
        handler.rfile.read(1)

    async with visit(
        "<h1>Here</h1><button onclick='this.textContent = `Works`'>Go</button><img src=/slow>", slow=hang
    ) as (
        agent,
        site,
    ):
        began = time.monotonic()
        opened = await agent.open(site.url("/?again"))
        assert any("/slow" in address for address in opened["still_loading"])
        await agent.click(agent.one("button", "Go"))
        assert agent.all("button", "Works")
        assert time.monotonic() - began < 120
