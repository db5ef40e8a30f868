"""The user's secrets: typed by name on their domains, refused elsewhere, and never shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser_pilot.redaction.redactor import Redactor
from browser_pilot.secrets.secret_store import SecretStore
from tests.clients import call, fail, http_client
from tests.hub_process import running_hub
from tests.integration.approvals.simulated_users import SimulatedUser, asking_client, configure, form_response
from tests.sites import Site

pytestmark = pytest.mark.browser

EMAIL = {"role": "textbox", "name": "Email"}
PASSWORD = {"role": "textbox", "name": "Password"}
VALUE = "correct horse battery"
FULL = '[tools]\nprofile = "full"\n'
ALLOW_ONCE = form_response("Allow once")


def store_secret(home: Path, *domains: str) -> None:
    home.mkdir(parents=True, exist_ok=True)
    SecretStore(home, Redactor(), keyring=lambda: None).set("LOGIN", VALUE, domains=domains)


async def test_a_secret_is_typed_by_name_and_redacted_in_results(home: Path, site: Site) -> None:
    configure(home, FULL)
    with running_hub(home) as hub:
        # A person allows the scripts: a secret is filled in the page.
        async with asking_client(hub, SimulatedUser([ALLOW_ONCE] * 2)) as client:
            await call(client, "browser_navigate", url=site.url())
            # The hub loads what the user sets while it runs.
            store_secret(home, "127.0.0.1")
            typed = await call(client, "browser_type", element=EMAIL, text="{{secret:LOGIN}}")
            assert VALUE not in str(typed)
            assert VALUE not in str(await call(client, "browser_snapshot"))
            length = "document.querySelector('[name=email]').value.length"
            assert str(len(VALUE)) in str(await call(client, "browser_evaluate", expression=length))
            result = await call(client, "browser_evaluate", expression="document.querySelector('[name=email]').value")
            assert "[redacted:secret]" in str(result)
            await call(client, "browser_fill_form", fields=[{"element": PASSWORD, "value": "{{secret:LOGIN}}"}])
            signed_in = await call(client, "browser_click", element={"role": "button", "name": "Sign in"})
            assert VALUE not in str(signed_in)
            assert f"{len(VALUE)} characters" in str(signed_in)
    for path in home.rglob("*"):
        assert not path.is_file() or VALUE.encode() not in path.read_bytes(), path


async def test_a_secret_of_another_site_is_not_typed(home: Path, site: Site) -> None:
    store_secret(home, "bank.example")
    configure(home, FULL)
    with running_hub(home) as hub:
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=site.url())
            error = await fail(client, "browser_type", element=EMAIL, text="{{secret:LOGIN}}")
            assert error["error"] == "PERMISSION_DENIED"
            assert "bank.example" in error["message"]
            unknown = await fail(client, "browser_type", element=EMAIL, text="{{secret:NONE}}")
            assert "LOGIN" in unknown["message"]
            length = "document.querySelector('[name=email]').value.length"
            assert "0" in str(await call(client, "browser_evaluate", expression=length))


async def test_a_frame_of_another_site_gets_no_secret(home: Path, site: Site) -> None:
    store_secret(home, "localhost")
    frame = f"http://127.0.0.1:{site.port}/"
    site.pages["/outer"] = f"<title>Outer</title><iframe src='{frame}' width=500 height=400></iframe>"
    with running_hub(home) as hub:
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=f"http://localhost:{site.port}/outer")
            error = await fail(client, "browser_type", element=EMAIL, text="{{secret:LOGIN}}")
            assert error["error"] == "PERMISSION_DENIED"


async def test_a_url_that_contains_a_secret_is_not_opened(home: Path, site: Site) -> None:
    store_secret(home, "127.0.0.1")
    configure(home, FULL)
    with running_hub(home) as hub:
        async with asking_client(hub, SimulatedUser([ALLOW_ONCE])) as client:
            error = await fail(client, "browser_navigate", url=site.url("/?q=correct+horse+battery"))
            assert error["error"] == "PERMISSION_DENIED"
            await call(client, "browser_navigate", url=site.url())
            await call(client, "browser_type", element=EMAIL, text="{{secret:LOGIN}}")
            leak = "fetch('/leak?' + encodeURIComponent(document.querySelector('[name=email]').value))"
            await call(client, "browser_evaluate", expression=f"{leak}.then(() => 'sent', () => 'stopped')")
    assert not [hit for hit in site.hits if "leak" in hit or "horse" in hit]
