"""Results of scripts and waits: with a diff if the client has a snapshot of the page, without one otherwise."""

from __future__ import annotations

import pytest

from tests.clients import call, http_client
from tests.hub_process import HubProcess
from tests.sites import Site

pytestmark = pytest.mark.browser


async def test_without_a_snapshot_the_result_of_a_script_is_its_value_only(hub: HubProcess, site: Site) -> None:
    async with http_client(hub, query="?tools=full") as client:
        await call(client, "browser_navigate", url=site.url())
        assert await call(client, "browser_evaluate", expression="1 + 1") == {"result": 2}
        await call(client, "browser_snapshot")
        await call(client, "browser_navigate", url=site.url("/?again"))
        assert await call(client, "browser_evaluate", expression="document.title = 'New'") == {"result": "New"}


async def test_after_a_snapshot_the_result_of_a_script_has_the_diff(hub: HubProcess, site: Site) -> None:
    async with http_client(hub, query="?tools=full") as client:
        await call(client, "browser_navigate", url=site.url())
        await call(client, "browser_snapshot")
        done = await call(
            client, "browser_evaluate", expression="document.querySelector('h1').textContent = 'Good-bye'"
        )
        assert [row["now"] for row in done["changed"]] == ["Good-bye"]


async def test_the_result_of_a_script_that_navigates_has_the_new_url(hub: HubProcess, site: Site) -> None:
    async with http_client(hub, query="?tools=full") as client:
        await call(client, "browser_navigate", url=site.url())
        done = await call(client, "browser_evaluate", expression="void (location.href = '/?elsewhere')")
        assert done["page"] == "new" and str(done["url"]).endswith("?elsewhere")


async def test_the_result_of_a_wait_has_the_diff_or_without_a_snapshot_the_url(hub: HubProcess, site: Site) -> None:
    later = "void setTimeout(() => { document.querySelector('h1').textContent = 'Good-bye' }, 50)"
    async with http_client(hub, query="?tools=full") as client:
        await call(client, "browser_navigate", url=site.url())
        unseen = await call(client, "browser_wait_for", text="Welcome back")
        assert unseen["url"] == site.url() and unseen.keys() == {"url", "found"}
        assert [row["name"] for row in unseen["found"]] == ["Welcome back"]
        await call(client, "browser_snapshot")
        await call(client, "browser_evaluate", expression=later)
        seen = await call(client, "browser_wait_for", text="Good-bye")
        # The result of the script may have come late enough to contain the change.
        assert seen.get("changes") == "none" or [row["now"] for row in seen["changed"]] == ["Good-bye"]
