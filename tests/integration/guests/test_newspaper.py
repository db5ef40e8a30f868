"""The newspaper guest, end to end: a real hub, a real browser, a login, an article; in JavaScript, C and WAT."""

from __future__ import annotations

import json
import shutil
from collections.abc import Generator
from pathlib import Path
from typing import Literal

import pytest

from browser_pilot.guests.host.grants import GrantStore
from browser_pilot.guests.installed.guest_store import GuestStore
from browser_pilot.guests.installed.manifest import PERMISSIONS
from browser_pilot.guests.installed.packages import read_package
from tests.clients import call, fail, http_client, text_of
from tests.commands import run_pilot_or_fail
from tests.guests.guest_factory import package, script
from tests.guests.wasm_builder import EXAMPLES, from_c, from_wat, has_clang
from tests.hub_process import HubProcess, running_hub

from .newspaper_site import HEADLINE, PASSWORD, READER, STORY, Newspaper, serving_newspaper

pytestmark = pytest.mark.browser

Kind = Literal["js", "c", "wat"]


@pytest.fixture(scope="module")
def paper() -> Generator[Newspaper]:
    with serving_newspaper() as newspaper:
        yield newspaper


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory, modules: Path, paper: Newspaper) -> Generator[HubProcess]:
    """A hub with the newspaper in three languages, and a guest that sends the host request of its arguments."""
    folder = tmp_path_factory.mktemp("newspaper")
    home = folder / "home"
    store = GuestStore(home)
    store.folder.mkdir(parents=True)
    modules.mkdir(exist_ok=True)
    store.cache_folder.symlink_to(modules)
    for kind in ("js", "c", "wat") if has_clang() else ("js", "wat"):
        source = shutil.copytree(EXAMPLES / f"newspaper-{kind}", folder / kind)
        manifest = source / "manifest.json"
        manifest.write_text(manifest.read_text().replace('"name": "newspaper"', f'"name": "newspaper-{kind}"'))
        if kind == "c":
            (source / "newspaper.wasm").write_bytes(from_c(source / "newspaper.c", folder))
        elif kind == "wat":
            (source / "newspaper.wasm").write_bytes(from_wat((source / "newspaper.wat").read_text()))
        add(home, source)
        GrantStore(home).save(
            store.load(f"newspaper-{kind}").identity,
            ["browser:tabs.create", "browser:activeTab.read"],
            site_of(paper),
            "allow",
        )
    asking = package(
        # Reversed, because the hub redacts cookies in results; the guest itself gets them.
        script("return [...JSON.stringify(await MCP.requestHost(args.method, args.params))].reverse().join('')"),
        name="asking",
        secrets=[{"name": "EMAIL"}, {"name": "PASSWORD"}],
        tools=[{"name": "ask", "description": "Asks the host.", "inputSchema": {"type": "object"}}],
    )
    store.install(asking, asking.manifest.tools or (), source="a test")
    for name, value in (("EMAIL", READER), ("PASSWORD", PASSWORD)):
        guest_command(home, "secret", "asking", name, given=value)
    with running_hub(home) as process:
        yield process


def guest_command(home: Path, *arguments: str, given: str = "") -> str:
    return run_pilot_or_fail(home, "guest", *arguments, stdin=given)


def add(home: Path, source: Path) -> None:
    guest_command(home, "add", str(source), "--yes")
    assert read_package(source).digest in {guest.digest for guest in GuestStore(home).all()}


def site_of(paper: Newspaper) -> str:
    return f"127.0.0.1:{paper.site.port}"


def grant(hub: HubProcess, paper: Newspaper, *permissions: str) -> None:
    guest_command(hub.home, "allow", "asking", site_of(paper), "--can", ",".join(permissions or PERMISSIONS))


@pytest.mark.parametrize("kind", ["js", "c", "wat"])
async def test_a_guest_reads_an_article_behind_the_users_login(hub: HubProcess, paper: Newspaper, kind: Kind) -> None:
    if kind == "c" and not has_clang():
        pytest.skip("no clang that builds for WASI; `make test` installs it on Debian")
    url = paper.url("/article")
    async with http_client(hub) as client:
        if kind == "wat":
            # The hand-written module does not inspect the page.
            assert "Please sign in" in text_of(await client.call_tool("newspaper-wat__get_article", {"url": url}))
        else:
            refused = await fail(client, f"newspaper-{kind}__get_article", url=url)
            assert "not signed in" in refused["message"]

        await call(client, "browser_navigate", url=paper.url("/login"))
        await call(
            client,
            "browser_fill_form",
            fields=[
                {"element": {"css": "[name=email]"}, "value": READER},
                {"element": {"css": "[name=password]"}, "value": PASSWORD},
            ],
            submit=True,
        )
        tabs = await call(client, "browser_tabs")
        result = await client.call_tool(f"newspaper-{kind}__get_article", {"url": url})

        assert not result.is_error, text_of(result)
        assert STORY in text_of(result)
        assert (HEADLINE in text_of(result)) or kind == "wat"
        assert "session=" not in text_of(result)
        # The client's own tab is still the current one, and the guest's is gone.
        assert await call(client, "browser_tabs") == tabs


async def test_a_guest_without_permission_gets_nothing(hub: HubProcess, paper: Newspaper) -> None:
    before = len(paper.site.hits)
    async with http_client(hub) as client:
        refused = await fail(
            client, "asking__ask", method="browser.capturePage", params={"url": f"http://localhost:{paper.site.port}/"}
        )

    assert "no approval channel is open" in refused["message"]
    assert len(paper.site.hits) == before


async def test_a_page_that_redirects_to_a_forbidden_site_is_not_read(hub: HubProcess, paper: Newspaper) -> None:
    grant(hub, paper, "browser:tabs.create", "browser:activeTab.read")
    elsewhere = f"http://localhost:{paper.site.port}/"
    async with http_client(hub) as client:
        refused = await fail(
            client, "asking__ask", method="browser.capturePage", params={"url": paper.url(f"/away?to={elsewhere}")}
        )

    assert "localhost" in refused["message"]
    assert "no approval channel is open" in refused["message"]


async def test_parts_of_a_page_are_extracted_instead_of_its_html(hub: HubProcess, paper: Newspaper) -> None:
    grant(hub, paper)
    select = {"links": ["a@href"], "forms": ["form", {"fields": ["input@name"]}]}
    async with http_client(hub) as client:
        params = {"url": paper.url("/login"), "select": select}
        reply = text_of(await client.call_tool("asking__ask", {"method": "browser.capturePage", "params": params}))
        invalid = {"url": paper.url("/login"), "select": {"title": "h1:nonsense"}}
        refused = await fail(client, "asking__ask", method="browser.capturePage", params=invalid)
    captured = json.loads(reply[::-1])
    assert "content" not in captured and captured["url"] == paper.url("/login")
    assert captured["data"]["forms"] == [{"fields": ["email", "password"]}]
    assert "h1:nonsense" in refused["message"]


async def test_cookies_include_httponly_ones(hub: HubProcess, paper: Newspaper) -> None:
    grant(hub, paper)
    async with http_client(hub) as client:
        signed_in = await client.call_tool(
            "asking__ask",
            {
                "method": "browser.ensureLogin",
                "params": {
                    "loginUrl": paper.url("/login"),
                    "usernameSecret": "EMAIL",
                    "passwordSecret": "PASSWORD",
                },
            },
        )
        assert text_of(signed_in)[::-1] == '{"ok":true}'
        params = {"domain": "127.0.0.1", "openUrl": paper.url("/")}
        result = text_of(await client.call_tool("asking__ask", {"method": "browser.getCookies", "params": params}))[
            ::-1
        ]

    assert any(f"session={session}" in result for session in paper.sessions), result


async def test_a_guest_signs_in_with_its_secrets_and_captures(hub: HubProcess, paper: Newspaper) -> None:
    grant(hub, paper)
    params = {
        "loginUrl": paper.url("/login"),
        "usernameSecret": "EMAIL",
        "passwordSecret": "PASSWORD",
        "url": paper.url("/article"),
        "format": "readable",
        "links": True,
        "captureCookies": True,
    }
    async with http_client(hub) as client:
        result = await client.call_tool("asking__ask", {"method": "browser.loginThenCapture", "params": params})

    assert not result.is_error, text_of(result)
    text = text_of(result)[::-1]
    assert STORY in text
    assert paper.url("/more") in text
    assert any(f"session={session}" in text for session in paper.sessions)
    assert PASSWORD not in text


async def test_a_failed_login_is_an_error(hub: HubProcess, paper: Newspaper) -> None:
    grant(hub, paper)
    params = {"loginUrl": paper.url("/login"), "email": READER, "password": "wrong one", "timeout": 1500}
    async with http_client(hub) as client:
        refused = await fail(client, "asking__ask", method="browser.ensureLogin", params=params)

    assert "not completed in time" in refused["message"]


async def test_a_person_cannot_sign_in_without_a_window(hub: HubProcess, paper: Newspaper) -> None:
    grant(hub, paper)
    async with http_client(hub) as client:
        refused = await fail(
            client, "asking__ask", method="browser.ensureLogin", params={"loginUrl": paper.url("/login")}
        )

    assert "no window" in refused["message"]
