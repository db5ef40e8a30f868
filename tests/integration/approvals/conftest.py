from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.conftest import MANY_CLIENTS
from tests.hub_process import HubProcess, running_hub

from .simulated_users import configure

SETTINGS = """
[policy]
approval_timeout_s = 20
[policy.domains."127.0.0.1"]
write = "ask"
"""


@pytest.fixture(scope="session")
def asking_hub(tmp_path_factory: pytest.TempPathFactory) -> Generator[HubProcess]:
    """A hub that requires approval for every change on the test site."""
    home = tmp_path_factory.mktemp("asking") / "home"
    configure(home, MANY_CLIENTS + SETTINGS)
    with running_hub(home) as process:
        yield process
