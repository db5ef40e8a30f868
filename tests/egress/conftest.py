from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from .network import Network


@pytest.fixture
async def network() -> AsyncIterator[Network]:
    network = Network()
    network.port = await network.proxy.start()
    network.proxy.register("s1", "secret", network.access_policy)
    yield network
    await network.close()
    assert network.proxy.open_connections == 0
