"""The HTTP API for approvals: who may see and decide them, and that no agent can."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from tests.clients import ERAS, call, fail
from tests.hub_process import HubProcess
from tests.sites import Site
from tests.waiting import eventually

from .simulated_users import SimulatedUser, asking_client, decide, pending, watching

EMAIL = {"role": "textbox", "name": "Email"}
PATHS = (
    "/api/approvals",
    "/api/approvals/events",
    "/api/approvals/abc234",
    "/api/approvals/abc234/picture",
    "/api/reload",
)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_every_path_needs_the_token_and_a_trusted_origin(asking_hub: HubProcess, path: str, method: str) -> None:
    with httpx.Client(base_url=f"http://127.0.0.1:{asking_hub.info.port}", timeout=60) as http:
        assert http.request(method, path, json={"choice": "once"}).status_code == 401
        headers = {**asking_hub.headers, "Origin": "https://evil.example"}
        assert http.request(method, path, json={"choice": "once"}, headers=headers).status_code == 403


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"[]", 400),
        (b'{"choice": "maybe"}', 400),
        (b'{"choice": "once", "extra": 1}', 400),
        (b'{"choice": "once"}', 409),
    ],
)
def test_an_invalid_decision_is_rejected_with_suggestions(asking_hub: HubProcess, body: bytes, status: int) -> None:
    with asking_hub.http() as http:
        refused = http.post("/api/approvals/abc234", content=body)
        assert refused.status_code == status
        assert refused.json()["suggestions"]
        assert http.get("/api/approvals/abc234/picture").status_code == 404


@pytest.mark.browser
async def test_an_approval_has_all_details_for_a_decision(asking_hub: HubProcess, site: Site) -> None:
    async with asking_client(asking_hub, SimulatedUser(), name="shows") as client, watching(asking_hub) as watcher:
        await call(client, "browser_navigate", url=site.url())
        calling = asyncio.create_task(call(client, "browser_type", element=EMAIL, text="ada"))
        approval = (await watcher.next())["question"]
        assert [approval] == await asyncio.to_thread(pending, asking_hub)
        expected: dict[str, Any] = {
            "tool": "browser_type",
            "what": "Type into textbox “Email”",
            "site": f"127.0.0.1:{site.port}",
            "element": "textbox “Email”",
            "values": {"text": "ada"},
            "about": "action",
            "risk": "low",
            "rule": 'the rule for "127.0.0.1" (config.toml)',
            "picture": f"/api/approvals/{approval['id']}/picture",
        }
        assert {name: approval[name] for name in expected} == expected
        with asking_hub.http() as http:
            assert http.get(approval["picture"]).content.startswith(b"\x89PNG")
        assert approval["expires_at"] - approval["asked_at"] == 20
        assert await asyncio.to_thread(decide, asking_hub, approval["id"], "once") == 200
        await calling


@pytest.mark.browser
async def test_of_concurrent_decisions_one_wins(asking_hub: HubProcess, site: Site) -> None:
    async with asking_client(asking_hub, SimulatedUser(), name="many") as client, watching(asking_hub) as watcher:
        await call(client, "browser_navigate", url=site.url())
        for _ in range(5):
            calling = asyncio.create_task(client.call_tool("browser_type", {"element": EMAIL, "text": "x"}))
            approval = (await watcher.next())["question"]
            choices = ["once", "deny"] * 4
            statuses = await asyncio.gather(
                *(asyncio.to_thread(decide, asking_hub, approval["id"], choice) for choice in choices)
            )
            assert sorted(statuses) == [200] + [409] * 7
            won = (await watcher.next())["answer"]["choice"]
            assert (await calling).is_error == (won == "deny")


@pytest.mark.browser
async def test_a_watcher_that_disconnects_is_no_longer_a_channel(asking_hub: HubProcess, site: Site) -> None:
    async with asking_client(asking_hub, None, name="leaves") as client:
        await call(client, "browser_navigate", url=site.url())
        async with watching(asking_hub):
            pass
        with asking_hub.http() as http:
            await eventually(lambda: http.get("/health").json()["approvals"]["watchers"] == 0)
        error = await asyncio.wait_for(fail(client, "browser_type", element=EMAIL, text="x"), 10)
        assert error["error"] == "APPROVAL_DENIED"


@pytest.mark.browser
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:{port}/api/approvals",
        "http://localhost:{port}/health",
        "http://0x7f000001:{port}/api/approvals",
        "http://[::1]:{port}/",
        "http://x.localhost:{port}/",
        "127.0.0.1:{port}",
    ],
)
async def test_an_agent_cannot_open_the_hub(asking_hub: HubProcess, site: Site, era: str, address: str) -> None:
    async with asking_client(asking_hub, None, era=era, name=f"own-{era}") as client:
        url = address.format(port=asking_hub.info.port)
        for tool, arguments in (("browser_navigate", {}), ("browser_tabs", {"action": "open"})):
            error = await fail(client, tool, url=url, **arguments)
            assert error["error"] == "DOMAIN_DENIED"
            assert "built in" in error["rule"]


@pytest.mark.browser
async def test_a_page_cannot_make_the_browser_decide_an_approval(asking_hub: HubProcess, site: Site) -> None:
    """A page that navigates the browser to the API has no token, and its response cannot be read."""
    hub_url = f"http://127.0.0.1:{asking_hub.info.port}/api/approvals"
    site.pages["/trap"] = f"""<!doctype html><title>Trap</title><script>
        fetch("{hub_url}/abc234", {{method: "POST", body: JSON.stringify({{choice: "once"}})}})
          .catch(() => 0).then(() => {{ location.href = "{hub_url}"; }});
        </script>"""
    async with asking_client(asking_hub, None, name="trap") as client:
        await call(client, "browser_navigate", url=site.url("/trap"), wait_until="commit")

        async def is_on_the_hub() -> bool:
            tabs = await call(client, "browser_tabs")
            return any(row["url"].startswith(hub_url) for row in tabs["tabs"])

        await eventually(is_on_the_hub, "the page has navigated to the hub")
        assert (await fail(client, "browser_snapshot"))["error"] == "DOMAIN_DENIED"
        assert (await fail(client, "browser_press", key="Enter"))["error"] == "DOMAIN_DENIED"
