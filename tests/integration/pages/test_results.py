"""What tools return of a page is short: marked matches, what a wait was for, and no row twice."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler

from tests.clients import call

from .conftest import Visit


async def test_a_search_marks_its_matches_among_the_rows_beside_them(visit: Visit) -> None:
    async with visit("<h1>Prices</h1><button>Buy</button><p>Later</p><p>Far away</p>") as (agent, _):
        found = await call(agent.client, "browser_find", query="buy")
        assert found["matches"] == 1
        assert [(row["match"], row["name"]) for row in found["elements"]] == [
            ("", "Prices"),
            ("*", "Buy"),
            ("", "Later"),
        ]
        assert (await call(agent.client, "browser_find", query="nowhere"))["matches"] == 0


async def test_a_wait_returns_what_appeared_with_its_ref(visit: Visit) -> None:
    page = (
        "<button>Start</button><div id=out></div>"
        "<script>document.querySelector('button').onclick = () => setTimeout(() =>"
        "out.innerHTML = '<p>Saved</p><button disabled>Undo</button>', 100)</script>"
    )
    async with visit(page) as (agent, _):
        await call(agent.client, "browser_click", element="text=Start")
        (saved,) = (await call(agent.client, "browser_wait_for", text="Saved"))["found"]
        assert saved["name"] == "Saved"
        (undo,) = (await call(agent.client, "browser_wait_for", element="text=Undo"))["found"]
        assert (undo["role"], undo["name"], undo["states"]) == ("button", "Undo", "disabled")
        (again,) = (await call(agent.client, "browser_wait_for", element=undo["ref"]))["found"]
        assert again["ref"] == undo["ref"]
        assert "found" not in await call(agent.client, "browser_wait_for", text_gone="Gone")


async def test_a_list_that_is_opened_again_is_not_sent_again(visit: Visit) -> None:
    colours = "".join(f"<li role=option tabindex=0>Colour number {n}</li>" for n in range(12))
    page = f"<button onclick='list.hidden = !list.hidden'>Pick</button><ul id=list hidden>{colours}</ul>" + "".join(
        f"<p>Text that is always there, {n}</p>" for n in range(30)
    )
    async with visit(page) as (agent, _):
        opened = await agent.call_tool("click", element="text=Pick")
        options = [row["ref"] for row in opened["new"]]
        assert len(options) == 12
        closed = await agent.call_tool("click", element="text=Pick")
        assert closed["gone"] == f"12 rows: {options[0]}-{options[-1]}"
        again = await agent.call_tool("click", element="text=Pick")
        assert "new" not in again
        assert [run["as_before"] for run in again["back"]] == [f"12 rows: {options[0]}-{options[-1]}"]
        assert agent.rows == await agent.snapshot()


async def test_a_search_without_matches_says_what_the_page_still_loads(visit: Visit) -> None:
    def hang(handler: BaseHTTPRequestHandler) -> None:
        handler.connection.settimeout(300)
        handler.rfile.read(1)

    async with visit("<p>Starting</p><script>fetch('/slow')</script>", slow=hang) as (agent, _):
        found = await call(agent.client, "browser_find", query="Launch")
        assert (found["matches"], found["searched_rows"]) == (0, 1)
        assert any("/slow" in loading for loading in found["still_loading"])
    async with visit("<p>Ready</p>") as (agent, _):
        assert "still_loading" not in await call(agent.client, "browser_find", query="Launch")
