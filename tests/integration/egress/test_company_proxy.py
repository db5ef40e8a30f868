"""Behind a company's proxy: pages load through it, the rules hold, and nothing else is reached."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.clients import call, fail, http_client
from tests.hub_process import running_hub
from tests.sites import Site, serving

from .company_proxy import LOGIN_PROGRAM, PASSWORD, SQUID, CompanyProxy, company_proxy

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(SQUID is None or not LOGIN_PROGRAM.exists(), reason="needs Squid"),
]
HOSTS = ("intranet.shop.test", "denied.test", "secure.test")
PAGE = "<!doctype html><title>The shop</title><h1>Through the proxy</h1><script>fetch('/data')</script>"


@pytest.fixture(scope="module")
def shop() -> Generator[Site]:
    with serving({"/": PAGE, "/data": "data"}) as site:
        yield site


@pytest.fixture(scope="module")
def proxy(shop: Site) -> Generator[CompanyProxy]:
    with company_proxy(HOSTS, tls_port=shop.port) as one:
        yield one


def configure(home: Path, proxy: str) -> None:
    home.mkdir()
    denied = '[policy.domains."denied.test"]\nread = false\n'
    (home / "config.toml").write_text(f'[network]\nproxy = "{proxy}"\n{denied}')


async def test_pages_load_through_the_proxy_and_the_rules_hold(home: Path, shop: Site, proxy: CompanyProxy) -> None:
    configure(home, proxy.url)
    with running_hub(home) as hub:
        async with http_client(hub, query="?tools=full") as client:
            page = await call(client, "browser_navigate", url=f"http://intranet.shop.test:{shop.port}/")
            assert page["title"] == "The shop"
            assert f"GET http://intranet.shop.test:{shop.port}/data" in proxy.requests()
            denied = await fail(client, "browser_navigate", url=f"http://denied.test:{shop.port}/")
            assert denied["error"] == "DOMAIN_DENIED"
            # A tunnel: the server there does not speak TLS, so that the failure is the server's and not the proxy's.
            await fail(client, "browser_navigate", url=f"https://secure.test:{shop.port}/")
            assert f"CONNECT secure.test:{shop.port}" in proxy.requests()
            # Squid's own page says that it does not know the name.
            unknown = await call(client, "browser_navigate", url="http://nowhere.test/")
            assert unknown["title"] == "ERROR: The requested URL could not be retrieved"
            assert PASSWORD not in str(unknown)
            # This machine is reached directly.
            assert (await call(client, "browser_navigate", url=shop.url()))["title"] == "The shop"
            assert "denied.test" not in proxy.requests()
            assert f"127.0.0.1:{shop.port}" not in proxy.requests()
        assert PASSWORD not in (home / "logs" / "hub.log").read_text()


async def test_wrong_credentials_are_reported_as_the_proxys(home: Path, shop: Site, proxy: CompanyProxy) -> None:
    configure(home, f"http://ada:wrong@127.0.0.1:{proxy.port}")
    with running_hub(home) as hub:
        async with http_client(hub) as client:
            for scheme in ("http", "https"):
                error = await fail(client, "browser_navigate", url=f"{scheme}://secure.test:{shop.port}/")
                assert error["error"] == "NAVIGATION_FAILED"
                assert "the proxy requires other credentials" in str(error)
