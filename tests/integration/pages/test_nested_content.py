"""Nested content: frames, cross-site frames, shadow roots, web components."""

from __future__ import annotations

import pytest

from .conftest import Visit

pytestmark = pytest.mark.browser

COMPONENT = """<script>customElements.define('x-{0}', class extends HTMLElement {{ connectedCallback() {{
  const root = this.attachShadow({{mode: '{0}'}});
  root.innerHTML = '<label>Name <input></label><div>Save {0}</div><p></p>';
  root.querySelector('div').addEventListener('click', () => root.querySelector('p').textContent =
    'Saved ' + root.querySelector('input').value) }} }})</script><x-{0}></x-{0}>"""


async def test_nested_cross_site_frames_are_shown_and_usable(visit: Visit) -> None:
    async with visit(
        "<h1>Outer</h1><iframe src='http://localhost:{port}/middle' style='width:600px;height:400px'></iframe>",
        middle="<h2>Middle</h2><iframe src='http://127.0.0.1:{port}/leaf'></iframe>",
        leaf="<label>Deep <input></label><button onclick='this.textContent = `Sent `"
        " + document.querySelector(`input`).value'>Send</button>",
    ) as (agent, _):
        assert [row.name for row in agent.all("heading")] == ["Outer", "Middle"]
        await agent.type(agent.one("textbox", "Deep"), "down here")
        await agent.click(agent.one("button", "Send"))
        assert agent.all("button", "Sent down here")


@pytest.mark.parametrize("mode", ["open", "closed"])
async def test_a_web_component_is_shown_and_usable(visit: Visit, mode: str) -> None:
    async with visit(COMPONENT.format(mode)) as (agent, _):
        await agent.type(agent.one("textbox", "Name"), "Ada")
        await agent.click(agent.one("click", f"Save {mode}"))
        assert "Saved Ada" in agent.texts()


async def test_a_frame_that_is_added_and_removed_is_followed(visit: Visit) -> None:
    async with visit(
        "<button id=b>Show</button><div id=d></div><script>b.onclick = () => { d.innerHTML = d.firstChild ? '' :"
        " '<iframe src=/inner></iframe>' }</script>",
        inner="<p>Inside</p>",
    ) as (agent, _):
        await agent.click(agent.one("button", "Show"))
        await agent.call_tool("wait_for", text="Inside")
        assert "Inside" in agent.texts()
        await agent.click(agent.one("button", "Show"))
        assert "Inside" not in agent.texts()
