"""Who learns of a reload: the session and the tab that it concerns; and an act on an unseen page is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients import call, fail, http_client, stdio_adapter
from tests.hub_process import browsers_of, running_hub, wait_until_gone
from tests.sites import LOGIN, serving

from .test_browser_crash import main_process

pytestmark = pytest.mark.browser


def kill_browser(home: Path) -> None:
    family = browsers_of(home)
    main_process(home).kill()
    wait_until_gone(family)


async def test_the_notice_and_the_guard_belong_to_the_reloaded_tab(home: Path) -> None:
    with serving({"/": LOGIN}) as site, running_hub(home) as hub:
        async with http_client(hub, query="?tools=full") as client:
            first = (await call(client, "browser_session", action="create"))["session"]
            await call(client, "browser_navigate", url=site.url(), session=first)
            second = (await call(client, "browser_session", action="create"))["session"]
            await call(client, "browser_navigate", url=site.url("/?2"), session=second)
            kill_browser(home)
            elsewhere = await call(client, "browser_snapshot", session=second)
            assert "Tab t2" in str(elsewhere["notices"]) and "Tab t1" not in str(elsewhere["notices"])
            assert "Tab t1" not in str((await call(client, "browser_session")).get("notices", ""))
            told = await call(client, "browser_tabs", session=first)
            assert "Tab t1" in str(told["notices"])
            # The list does not show the page: another agent of this client may have read it.
            error = await fail(client, "browser_type", element="text=Email", text="x", tab="t1")
            assert error["error"] == "BROWSER_CRASHED" and "Nothing was done" in error["message"]
            await call(client, "browser_type", element="role=textbox[name=Email]", text="x", tab="t1")


async def test_after_a_page_was_seen_it_may_be_acted_on(home: Path) -> None:
    with serving({"/": LOGIN}) as site, running_hub(home) as hub:
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=site.url())
            kill_browser(home)
            assert "Tab t1" in str((await call(client, "browser_snapshot"))["notices"])
            await call(client, "browser_type", element="role=textbox[name=Email]", text="x")


async def test_a_tab_that_is_not_used_between_two_crashes_keeps_its_url(home: Path) -> None:
    with serving({"/": LOGIN}) as site, running_hub(home) as hub:
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=site.url("/?one"))
            await call(client, "browser_tabs", action="open", url=site.url("/?two"))
            for _ in range(2):
                kill_browser(home)
                await call(client, "browser_snapshot", tab="t2")
            tabs = (await call(client, "browser_tabs"))["tabs"]
            assert [row["url"] for row in tabs] == [site.url("/?one"), site.url("/?two")]


async def test_a_client_learns_that_its_hub_ended(home: Path) -> None:
    with serving({"/": LOGIN}) as site, running_hub(home) as hub:
        async with stdio_adapter(home) as client:
            await call(client, "browser_navigate", url=site.url())
            family = browsers_of(home)
            hub.process.kill()
            hub.process.wait(30)
            wait_until_gone(family)
            with running_hub(home):
                error = await fail(client, "browser_snapshot")
                assert error["error"] == "NO_TAB"
                assert "hub ended" in error["suggestions"][0] and "gone" in error["suggestions"][0]
                again = await call(client, "browser_navigate", url=site.url())
                assert "notices" not in again
