"""Uploads through a real hub: protected files never leave, others require approval with their full path."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcp.client import Client

from tests.clients import call, fail, http_client
from tests.conftest import HubWith
from tests.hub_process import running_hub
from tests.sites import serving

from .simulated_users import SimulatedUser, asking_client, form_response

pytestmark = pytest.mark.browser
PAGE = "<!doctype html><title>Upload</title><input type=file id=f><input type=file id=g>"


async def uploaded(client: Client, selector: str = "#f") -> str | None:
    """What the page has got: the content of the file in the field."""
    script = (
        f"(async () => {{ const [file] = document.querySelector('{selector}').files; return file?.text() ?? null }})()"
    )
    return (await call(client, "browser_evaluate", expression=script))["result"]


async def test_protected_files_never_leave_and_nobody_is_asked(hub_with: HubWith, tmp_path: Path) -> None:
    key = tmp_path / ".ssh" / "id_rsa"
    key.parent.mkdir()
    key.write_text("a key")
    person = SimulatedUser()
    hub = hub_with("")
    home = hub.home
    with serving({"/": PAGE}) as site:
        link = home / "uploads" / "photo.png"
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(home / "token")
        async with asking_client(hub, person) as client:
            await call(client, "browser_navigate", url=site.url())
            for path in (home / "token", home / "config.toml", key, Path("/etc/passwd"), link):
                error = await fail(client, "browser_upload", element="#f", paths=[str(path)])
                assert error["error"] == "FILE_DENIED", path
                assert error["retryable"] is False
            error = await fail(client, "browser_upload", element="#f", paths=[str(link.parent)])
            assert error["error"] == "FILE_DENIED"
        assert person.forms == []
        async with http_client(hub, query="?tools=full") as client:
            await call(client, "browser_navigate", url=site.url())
            await fail(client, "browser_upload", element="#f", paths=[str(home / "token")])
            assert await uploaded(client) is None


async def test_a_file_outside_the_upload_folders_requires_approval_with_its_real_path(
    hub_with: HubWith, tmp_path: Path
) -> None:
    report = tmp_path / "documents" / "report.txt"
    report.parent.mkdir()
    report.write_text("a report")
    link = tmp_path / "innocent.txt"
    link.symlink_to(report)
    yes, no = form_response("Allow once"), form_response("Deny")
    person = SimulatedUser([no, yes, no])
    hub = hub_with("")
    with serving({"/": PAGE}) as site:
        async with asking_client(hub, person, query="?tools=full") as client:
            await call(client, "browser_navigate", url=site.url())
            error = await fail(client, "browser_upload", element="#f", paths=[str(link)])
            assert error["error"] == "APPROVAL_DENIED"
            assert await uploaded(client) is None
            assert str(report) in person.forms[0].message

            await call(client, "browser_upload", element="#f", paths=[str(report)])
            assert await uploaded(client) == "a report"

            error = await fail(client, "browser_upload", element="#f", paths=[str(report)])
            assert error["error"] == "APPROVAL_DENIED"
    assert len(person.forms) == 3
    for form in person.forms:
        answers = form.requested_schema["properties"]["answer"]["enum"]
        assert answers == ["Allow once", "Deny", "Deny and block this site"]


async def test_files_in_the_upload_folders_need_no_approval(hub_with: HubWith) -> None:
    hub = hub_with("")
    home = hub.home
    with serving({"/": PAGE}) as site:
        for folder in ("uploads", "downloads", "screenshots"):
            (home / folder).mkdir(exist_ok=True)
            (home / folder / "note.txt").write_text(folder)
        async with http_client(hub, query="?tools=full") as client:
            await call(client, "browser_navigate", url=site.url())
            for folder in ("uploads", "downloads", "screenshots"):
                await call(client, "browser_upload", element="#f", paths=[str(home / folder / "note.txt")])
                assert await uploaded(client) == folder


async def test_only_the_configured_upload_folders_are_free(home: Path, tmp_path: Path) -> None:
    outbox = tmp_path / "outbox"
    outbox.mkdir()
    (outbox / "note.txt").write_text("configured")
    home.mkdir()
    (home / "config.toml").write_text(f"[files]\nupload_dirs = [{json.dumps(str(outbox))}]\n")
    with serving({"/": PAGE}) as site, running_hub(home) as hub:
        (home / "uploads").mkdir(exist_ok=True)
        (home / "uploads" / "note.txt").write_text("no longer free")
        async with http_client(hub, query="?tools=full") as client:
            await call(client, "browser_navigate", url=site.url())
            await call(client, "browser_upload", element="#f", paths=[str(outbox / "note.txt")])
            assert await uploaded(client) == "configured"
            error = await fail(client, "browser_upload", element="#g", paths=[str(home / "uploads" / "note.txt")])
            assert error["error"] == "FILE_DENIED"
            assert await uploaded(client, "#g") is None
