"""A secret that is filled in a page cannot be read back: by scripts, pictures, searches, selectors or in pieces."""

from __future__ import annotations

import asyncio
import base64
import re
import zlib
from pathlib import Path

import pytest
from mcp.client import Client
from mcp_types import CallToolResult

from browser_pilot.redaction.redactor import Redactor
from browser_pilot.secrets.secret_store import SecretStore
from tests.clients import call, fail, text_of
from tests.conftest import HubWith
from tests.integration.approvals.simulated_users import SimulatedUser, asking_client, form_response
from tests.sites import serving

pytestmark = pytest.mark.browser

# Of the same length, so that pictures in which they are masked are the same.
FIRST, SECOND = "hunter2SECRET", "wmwlli9KEYjjq"
PAGE = """<!doctype html><html lang=en><title>Sign in</title><style>* { caret-color: transparent }</style>
<h1>Sign in</h1><input id=pw type=password aria-label=Password><input id=t aria-label=User>
<textarea id=area aria-label=Notes></textarea>
<div id=rich contenteditable aria-label=Rich role=textbox style="border:1px solid"></div><p id=mirror>-</p>
<input id=other aria-label=Other><button id=show onclick="pw.type = 'text'">Show</button>
<script>t.oninput = () => { mirror.textContent = t.value; t.setAttribute('value', t.value) }</script>"""
SETTINGS = '[tools]\nprofile = "full"\n'
DENY = form_response("Deny")
READS = (
    "[...document.querySelector('#pw').value].reverse().join('')",
    "document.querySelector('#pw').value.slice(0, 6)",
    "[...document.querySelector('#t').value].map((c) => c.charCodeAt(0))",
    "document.title",
)


def store_secrets(home: Path) -> None:
    home.mkdir(parents=True, exist_ok=True)
    store = SecretStore(home, Redactor(), keyring=lambda: None)
    for name, value in (("FIRST", FIRST), ("SECOND", SECOND)):
        store.set(name, value, domains=["127.0.0.1"])


async def fill(client: Client, secret: str = "FIRST") -> None:
    for field in ("#pw", "#t"):
        await call(client, "browser_type", element=field, text=f"{{{{secret:{secret}}}}}")


async def picture(client: Client, **arguments: object) -> bytes:
    await call(client, "browser_click", element="h1")
    return image_of(await client.call_tool("browser_screenshot", arguments))


def image_of(result: CallToolResult) -> bytes:
    return base64.b64decode(next(block.data for block in result.content if block.type == "image"))


async def printed(client: Client) -> list[bytes]:
    """What a PDF of the page draws, and with which letters."""
    saved = await call(client, "browser_pdf")
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", Path(saved["path"]).read_bytes(), re.DOTALL)
    drawn: list[bytes] = []
    for stream in streams:
        try:
            drawn.append(zlib.decompress(stream))
        except zlib.error:
            drawn.append(stream)
    return drawn


async def test_a_script_needs_approval_while_a_secret_is_in_the_page(hub_with: HubWith) -> None:
    hub = hub_with(SETTINGS)
    store_secrets(hub.home)
    person = SimulatedUser([DENY] * 20)
    with serving({"/": PAGE, "/next": "<title>Next</title>", "/same": PAGE}) as site:
        async with asking_client(hub, person) as client:
            await call(client, "browser_navigate", url=site.url())
            # On this machine's own servers no script needs approval otherwise.
            await call(client, "browser_evaluate", expression="document.title")
            await fill(client)
            for script in READS:
                error = await fail(client, "browser_evaluate", expression=script)
                assert error["error"] == "APPROVAL_DENIED", script
            waiting = await fail(
                client, "browser_wait_for", function="() => document.querySelector('#t').value[0] === 'h'"
            )
            assert waiting["error"] == "APPROVAL_DENIED"
            assert all("A secret is filled in this page" in form.message for form in person.forms)
            assert len(person.forms) == len(READS) + 1

            # Another tab of the site can read this one.
            await call(client, "browser_tabs", action="open", url=site.url("/same"))
            assert (await fail(client, "browser_evaluate", expression="document.title"))["error"] == "APPROVAL_DENIED"
            await call(client, "browser_tabs", action="close")

            # The document is gone, and so is the secret; going back restores both.
            asked = len(person.forms)
            await call(client, "browser_navigate", url=site.url("/next"))
            await call(client, "browser_evaluate", expression="document.title")
            assert len(person.forms) == asked
            await call(client, "browser_navigate", url=site.url())
            assert (await fail(client, "browser_evaluate", expression="document.title"))["error"] == "APPROVAL_DENIED"


async def test_searches_and_selectors_do_not_tell_what_is_hidden(hub_with: HubWith) -> None:
    hub = hub_with(SETTINGS)
    store_secrets(hub.home)
    with serving({"/": PAGE, "/shown": f"<title>Shown</title><p>{FIRST}</p>"}) as site:
        async with asking_client(hub, SimulatedUser([DENY] * 20)) as client:
            await call(client, "browser_navigate", url=site.url())
            await fill(client)
            for path in ("/", "/shown"):
                if path != "/":
                    await call(client, "browser_navigate", url=site.url(path))
                answers = [await guess(client, word) for word in ("hunter2", "hunter9", "2SECR")]
                assert answers[0] == answers[1] == answers[2], path
            await call(client, "browser_navigate", url=site.url())
            await fill(client)
            for selector in (
                {"css": "[value^=h]"},
                {"xpath": "//*[starts-with(., 'h')]"},
                {"css": "p:has(+ [ value *= un ])"},
            ):
                assert (await fail(client, "browser_hover", element=selector))["error"] == "INVALID_ARGUMENT"


async def guess(client: Client, word: str) -> list[object]:
    """What each way to search for a word says."""
    missing = f"^((?!{word}).)*$"
    found = [await call(client, "browser_find", **{how: what}) for how, what in (("regex", word), ("query", word))]
    rows = await call(client, "browser_find", regex=missing)
    waiting = await fail(client, "browser_wait_for", text=word, timeout_ms=300)
    await call(client, "browser_wait_for", text_gone=word, timeout_ms=3_000)
    hovering = await hover_error(client, {"text": word})
    named = await hover_error(client, {"role": "paragraph", "name": f"/{word}/"})
    errors = [waiting["error"], hovering, named]
    return [*(one["matches"] for one in found), rows["matches"], *errors]


async def hover_error(client: Client, element: dict[str, str]) -> str:
    """Why an element is not hovered over; on a busy machine, a short deadline may end before it was looked for."""
    code = ""
    for timeout_ms in (300, 3_000, 20_000):
        code = (await fail(client, "browser_hover", element=element, timeout_ms=timeout_ms))["error"]
        if code != "TIMEOUT":
            break
    return code


async def test_pictures_and_pdfs_do_not_show_a_filled_secret(hub_with: HubWith) -> None:
    hub = hub_with(SETTINGS)
    store_secrets(hub.home)
    with serving({"/": PAGE}) as site:
        async with asking_client(hub, SimulatedUser([DENY, form_response("Allow once")])) as client:
            taken: list[list[bytes]] = []
            for secret in ("FIRST", "SECOND"):
                await call(client, "browser_navigate", url=site.url())
                await fill(client, secret)
                await call(client, "browser_click", element="#show")
                taken.append(
                    [
                        await picture(client),
                        await picture(client, full_page=True),
                        await picture(client, element="#pw"),
                        await picture(client, element="#mirror"),
                        *await printed(client),
                    ]
                )
            assert taken[0] == taken[1]
            assert len(set(taken[0][:4])) >= 3
            # Pictures that are taken at the same time, each with its own mask and region.
            fields = ("#pw", "#t", "#mirror", "#other")
            alone = [await picture(client, element=field) for field in fields]
            shots = await asyncio.gather(
                *(client.call_tool("browser_screenshot", {"element": field}) for field in fields)
            )
            assert [image_of(shot) for shot in shots] == alone
            # The approval request has a picture of the field as well; afterwards the page is as it was.
            await fail(client, "browser_evaluate", expression="(e) => 1", element="#t")
            styled = "document.querySelectorAll('#pw[style], #t[style], #mirror[style]').length"
            assert (await call(client, "browser_evaluate", expression=styled))["result"] == 0


async def test_a_filled_field_is_never_read_again_not_even_in_pieces(hub_with: HubWith) -> None:
    hub = hub_with(SETTINGS)
    store_secrets(hub.home)
    page = PAGE.replace("mirror.textContent = t.value; t.setAttribute('value', t.value)", "")
    with serving({"/": page}) as site:
        async with asking_client(hub, SimulatedUser([DENY] * 20)) as client:
            await call(client, "browser_navigate", url=site.url())
            fields = [{"element": field, "value": "{{secret:FIRST}}"} for field in ("#t", "#area", "#rich")]
            filled = await call(client, "browser_fill_form", fields=fields)
            assert "hunter" not in str(filled)
            for field in ("#t", "#area", "#rich"):
                await call(client, "browser_press", element=field, key="End")
                for _ in range(len(FIRST) - 4):
                    await call(client, "browser_press", element=field, key="Backspace")
                await call(client, "browser_press", element=field, key="ControlOrMeta+a")
                await call(client, "browser_press", key="ControlOrMeta+c")
                await call(client, "browser_press", element="#other", key="ControlOrMeta+v")
            reads: list[tuple[str, dict[str, object]]] = [
                ("browser_snapshot", {}),
                ("browser_snapshot", {"detail": "full"}),
                ("browser_snapshot", {"element": "#rich"}),
                ("browser_read", {}),
                ("browser_read", {"element": "#area"}),
                ("browser_dom", {}),
                ("browser_find", {"role": "textbox"}),
            ]
            texts = [text_of(await client.call_tool(tool, arguments)) for tool, arguments in reads]
            assert [text for text in texts if "hunt" in text] == []
            assert texts[0].count("filled") == 3
