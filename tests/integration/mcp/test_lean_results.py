"""Scripts and waits: a lean answer on a page that was not looked at, and what changed on one that was."""

from __future__ import annotations

import pytest

from tests.clients import call, http_client
from tests.hub_process import HubProcess
from tests.sites import Site

pytestmark = pytest.mark.browser


async def test_a_script_on_a_page_that_was_not_looked_at_answers_with_its_value_alone(
    hub: HubProcess, site: Site
) -> None:
    async with http_client(hub, query="?tools=full") as client:
        await call(client, "browser_navigate", url=site.url())
        assert await call(client, "browser_evaluate", expression="1 + 1") == {"result": "2"}
        await call(client, "browser_snapshot")
        await call(client, "browser_navigate", url=site.url("/?again"))
        assert await call(client, "browser_evaluate", expression="document.title = 'New'") == {"result": '"New"'}


async def test_a_script_on_a_page_that_was_looked_at_tells_what_it_changed(hub: HubProcess, site: Site) -> None:
    async with http_client(hub, query="?tools=full") as client:
        await call(client, "browser_navigate", url=site.url())
        await call(client, "browser_snapshot")
        done = await call(
            client, "browser_evaluate", expression="document.querySelector('h1').textContent = 'Good-bye'"
        )
        assert [row["now"] for row in done["changed"]] == ["Good-bye"]


async def test_a_script_that_opens_another_page_tells_of_it(hub: HubProcess, site: Site) -> None:
    async with http_client(hub, query="?tools=full") as client:
        await call(client, "browser_navigate", url=site.url())
        done = await call(client, "browser_evaluate", expression="void (location.href = '/?elsewhere')")
        assert done["page"] == "new" and str(done["url"]).endswith("?elsewhere")


async def test_a_wait_answers_with_what_changed_or_where_nothing_was_seen_with_its_address(
    hub: HubProcess, site: Site
) -> None:
    later = "void setTimeout(() => { document.querySelector('h1').textContent = 'Good-bye' }, 50)"
    async with http_client(hub, query="?tools=full") as client:
        await call(client, "browser_navigate", url=site.url())
        unseen = await call(client, "browser_wait_for", text="Welcome back")
        assert unseen == {"url": site.url()}
        await call(client, "browser_snapshot")
        await call(client, "browser_evaluate", expression=later)
        seen = await call(client, "browser_wait_for", text="Good-bye")
        # The script's own answer may have come late enough to tell it.
        assert seen.get("changes") == "none" or [row["now"] for row in seen["changed"]] == ["Good-bye"]
