"""Actions are recorded, through a real hub and browser."""

from __future__ import annotations

import os
from pathlib import Path

import psutil
import pytest

from browser_pilot.audit_log.database import AuditLogFiles
from browser_pilot.audit_log.reader import AuditLogReader, AuditQuery
from browser_pilot.hub_discovery.runtime_file import read_runtime
from browser_pilot.json_types import Json
from tests.clients import call, fail, http_client, stdio_adapter
from tests.hub_process import running_hub, wait_until_gone
from tests.integration.approvals.simulated_users import configure
from tests.sites import LOGIN, Site, serving

pytestmark = pytest.mark.browser

SETTINGS = """
[tools]
profile = "full"
[policy]
rate_per_minute = 100000
[policy.domains."localhost"]
write = false
"""
EMAIL = {"role": "textbox", "name": "Email"}
PASSWORD = {"role": "textbox", "name": "Password"}


def log_of(home: Path) -> AuditLogReader:
    return AuditLogReader(AuditLogFiles.in_home(home))


def recorded(home: Path) -> list[dict[str, Json]]:
    """The recorded actions, newest first."""
    found = [action.flat() for action in log_of(home).search(AuditQuery(limit=50))]
    return [action for action in found if action["kind"] == "intent"]


async def test_each_effect_has_an_intent_before_and_an_outcome_after_it(home: Path, site: Site) -> None:
    configure(home, SETTINGS)
    with running_hub(home) as hub:
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=site.url())
            await call(client, "browser_type", element=EMAIL, text="ada@example.com")
            # A finished call is recorded at once.
            actions = recorded(home)
            assert {(one["tool"], one["status"]) for one in actions if one["effect"] != "read"} == {
                ("browser_type", "ok"),
                ("browser_navigate", "ok"),
            }
            typed = next(one for one in actions if one["tool"] == "browser_type")
            assert typed["decision"] == "allow"
            assert typed["site"] == f"127.0.0.1:{site.port}"
            assert typed["url"] == site.url()
            await call(client, "browser_snapshot")
            await fail(client, "browser_click", element={"role": "button", "name": "No such"})
    assert log_of(home).verify().ok
    assert ("browser_snapshot", "ok") in {(one["tool"], one["status"]) for one in recorded(home)}


async def test_a_denied_action_is_recorded_with_its_rule(home: Path) -> None:
    configure(home, SETTINGS)
    with serving({"/": LOGIN}) as site, running_hub(home) as hub:
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=f"http://localhost:{site.port}/")
            error = await fail(client, "browser_type", element=EMAIL, text="x")
            assert error["error"] == "DOMAIN_DENIED"
    refused = next(one for one in recorded(home) if one["tool"] == "browser_type")
    assert (refused["status"], refused["decision"], refused["error"]) == ("refused", "deny", "DOMAIN_DENIED")
    assert "localhost" in str(refused["rule"])


async def test_a_password_is_neither_recorded_nor_returned(home: Path, site: Site) -> None:
    configure(home, SETTINGS)
    with running_hub(home) as hub:
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=site.url())
            await call(client, "browser_type", element=PASSWORD, text="hunter2-is-weak")
            result = await call(
                client, "browser_evaluate", expression="document.querySelector('[type=password]').value"
            )
            assert "hunter2" not in str(result)
            await call(client, "browser_fill_form", fields=[{"element": PASSWORD, "value": "0pen-sesame!"}])
            error = await fail(client, "browser_click", element="text=0pen-sesame!")
            assert "0pen-sesame" not in str(error)
    for path in home.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert b"hunter2" not in content, path
            assert b"0pen-sesame" not in content, path


@pytest.mark.skipif(os.geteuid() == 0 and not Path("/proc/self").exists(), reason="needs /proc")
async def test_without_a_writable_log_actions_are_refused_and_reading_works(home: Path, site: Site) -> None:
    configure(home, SETTINGS)
    with running_hub(home) as hub:
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=site.url())
            database = AuditLogFiles.in_home(home).database
            database.rename(database.with_suffix(".gone"))
            database.mkdir()
            error = await fail(client, "browser_type", element=EMAIL, text="x")
            assert error["error"] == "RECORDS_UNAVAILABLE"
            shown = await call(client, "browser_snapshot")
            assert shown["title"] == "Login - Example App"
            database.rmdir()
            database.with_suffix(".gone").rename(database)
            await call(client, "browser_type", element=EMAIL, text="x")


async def test_counts_survive_a_restart(home: Path, site: Site) -> None:
    configure(home, '[policy.domains."127.0.0.1"]\nmax_steps_per_hour = 3\n')
    for _ in range(2):
        with running_hub(home) as hub:
            async with http_client(hub) as client:
                await call(client, "browser_navigate", url=site.url())
    with running_hub(home) as hub:
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=site.url())
            error = await fail(client, "browser_navigate", url=site.url())
            assert error["error"] == "BUDGET_EXHAUSTED"


async def test_neither_new_sessions_nor_a_new_hub_renew_the_step_budget_of_a_client(home: Path, site: Site) -> None:
    configure(home, "[policy]\nstep_budget = 4\n")
    async with stdio_adapter(home, "--tools", "full") as client:
        for _ in range(2):
            await call(client, "browser_session", action="create")
            await call(client, "browser_navigate", url=site.url())
        for tool, arguments in (("browser_session", {"action": "create"}), ("browser_navigate", {"url": site.url()})):
            assert (await fail(client, tool, **arguments))["error"] == "BUDGET_EXHAUSTED"
        hub = _hub_process(home)
        family = hub.children(recursive=True)
        hub.kill()
        wait_until_gone([hub, *family])
        error = await fail(client, "browser_navigate", url=site.url())
        assert error["error"] == "BUDGET_EXHAUSTED"
        async with stdio_adapter(home) as other:
            await call(other, "browser_navigate", url=site.url())
        hub = _hub_process(home)
    hub.terminate()
    wait_until_gone([hub])
    assert log_of(home).verify().ok


def _hub_process(home: Path) -> psutil.Process:
    info = read_runtime(home)
    assert info is not None
    return psutil.Process(info.pid)
