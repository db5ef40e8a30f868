"""Settings that change while the hub runs: applied without a restart; an invalid edit is reported and ignored."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients import call, fail, http_client
from tests.hub_process import HubProcess, running_hub
from tests.integration.approvals.simulated_users import configure
from tests.sites import Site
from tests.waiting import eventually

pytestmark = pytest.mark.browser


def is_policy_ok(hub: HubProcess) -> bool:
    with hub.http() as http:
        return http.get("/health").json()["parts"]["policy"] == "ok"


async def test_an_edit_applies_to_connected_clients(home: Path, site: Site) -> None:
    configure(home, "")
    with running_hub(home) as hub:
        async with http_client(hub) as client, http_client(hub, query="?tools=minimal") as lean:
            await call(client, "browser_navigate", url=site.url())
            configure(home, '[policy]\nmode = "readonly"\n[tools]\nprofile = "full,-browser_tabs"')
            with hub.http() as http:
                assert http.post("/api/reload").json() == {"problem": None}
            assert (await fail(client, "browser_click", element="button"))["error"] == "READ_ONLY"
            assert "browser_tabs" not in {tool.name for tool in (await client.list_tools()).tools}
            assert len((await lean.list_tools()).tools) == 4
            assert (await call(client, "browser_snapshot"))["title"] == "Login - Example App"


async def test_an_invalid_edit_is_reported_and_ignored_until_it_is_corrected(home: Path, site: Site) -> None:
    configure(home, '[policy]\nmode = "readonly"')
    with running_hub(home) as hub:
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=site.url())
            configure(home, '[policy]\nmode = "everything"')
            await eventually(lambda: not is_policy_ok(hub))
            assert "policy.mode" in (home / "logs" / "hub.log").read_text()
            with hub.http() as http:
                assert "everything" not in http.get("/health").text
                assert "everything" in http.get("/api/health").json()["parts"]["policy"]["says"]
                assert http.post("/api/reload").json()["problem"]["error"] == "INVALID_SETTINGS"
            assert (await fail(client, "browser_click", element="button"))["error"] == "READ_ONLY"
            configure(home, "")
            await eventually(lambda: is_policy_ok(hub))
            await call(client, "browser_type", element={"role": "textbox", "name": "Email"}, text="x")
