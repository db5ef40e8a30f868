"""Health checks of the parts of a hub."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser_pilot.approvals.queue import ApprovalQueue
from browser_pilot.egress import EgressProxy
from browser_pilot.errors import RecordsUnavailable, SettingsError
from browser_pilot.hub.health_checks import check_approvals, check_egress, check_secrets, check_settings
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.secrets.secret_store import SecretStore


async def test_the_egress_proxy_is_a_problem_unless_it_listens() -> None:
    proxy = EgressProxy()
    assert check_egress(proxy).state == "problem"
    await proxy.start()
    assert check_egress(proxy).state == "ok"
    await proxy.close()


def test_an_invalid_configuration_is_a_problem_with_its_message() -> None:
    assert check_settings(None).state == "ok"
    part = check_settings(SettingsError("policy.mode = 'x'"))
    assert (part.name, part.state) == ("policy", "problem")
    assert "policy.mode = 'x'" in part.description


def test_approvals_count_pending_requests_and_watchers() -> None:
    queue = ApprovalQueue()
    assert check_approvals(queue).description == "0 pending approvals, 0 watchers"
    with queue.subscribe():
        assert check_approvals(queue).description == "0 pending approvals, 1 watcher"


def test_unreadable_secrets_are_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SecretStore(tmp_path, Redactor(), keyring=lambda: None)
    assert check_secrets(store).state == "ok"

    def fail() -> dict[str, tuple[str, ...]]:
        raise RecordsUnavailable("the vault is damaged")

    monkeypatch.setattr(store, "names", fail)
    assert (check_secrets(store).state, check_secrets(store).description) == ("problem", "the vault is damaged")
