"""A page in the user's own Chrome that floods it: another client goes on there, and the page can be left."""

from __future__ import annotations

from functools import partial

import pytest

from tests.clients import call, http_client
from tests.flooding_pages import FLOODS, QUIET, flooding_pages
from tests.hub_process import HubProcess
from tests.integration.pages.test_floods import LOGS, NOTICES, has_dropped, has_notice, leaves
from tests.sites import serving
from tests.waiting import eventually

from .chrome import Chrome

pytestmark = pytest.mark.timeout(300)


@pytest.mark.parametrize("name", FLOODS)
async def test_other_clients_go_on_while_a_page_floods_and_it_can_be_left(
    own_hub: HubProcess, chrome: Chrome, name: str
) -> None:
    before = set(chrome.context.pages)
    with serving({"/": QUIET, **flooding_pages()}) as site:
        async with http_client(own_hub) as other, http_client(own_hub) as client:
            await call(other, "browser_navigate", url=site.url())
            await client.call_tool("browser_navigate", {"url": site.url(f"/{name}"), "timeout_ms": 5_000})
            for _ in range(3):
                await call(other, "browser_click", element="button")
                assert (await call(other, "browser_snapshot"))["title"] == "Quiet"
            if name in LOGS:
                await eventually(partial(has_dropped, client, LOGS[name]), name, timeout_seconds=60)
            if name == "dialogs":
                # Until then each of them has to be answered.
                await eventually(partial(has_notice, client, NOTICES[name], []), name, timeout_seconds=60)
            await eventually(partial(leaves, client, site.url()), f"leaving {name}", timeout_seconds=60)
            assert (await call(client, "browser_snapshot"))["title"] == "Quiet"
    for left in set(chrome.context.pages) - before:
        await left.close()
