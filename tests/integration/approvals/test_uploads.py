"""Uploads through a real hub: protected files never leave, others require approval with their full path."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcp.client import Client

from tests.clients import call, fail, http_client
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
    return json.loads((await call(client, "browser_evaluate", expression=script))["result"])


async def test_protected_files_never_leave_and_nobody_is_asked(home: Path, tmp_path: Path) -> None:
    key = tmp_path / ".ssh" / "id_rsa"
    key.parent.mkdir()
    key.write_text("a key")
    person = SimulatedUser()
    with serving({"/": PAGE}) as site, running_hub(home) as hub:
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
    home: Path, tmp_path: Path
) -> None:
    report = tmp_path / "documents" / "report.txt"
    report.parent.mkdir()
    report.write_text("a report")
    link = tmp_path / "innocent.txt"
    link.symlink_to(report)
    yes, session, no = (form_response(label) for label in ("Allow once", "Allow for this session", "Deny"))
    person = SimulatedUser([no, yes, session, no])
    with serving({"/": PAGE}) as site, running_hub(home) as hub:
        async with asking_client(hub, person, query="?tools=full") as client:
            await call(client, "browser_navigate", url=site.url())
            error = await fail(client, "browser_upload", element="#f", paths=[str(link)])
            assert error["error"] == "APPROVAL_DENIED"
            assert await uploaded(client) is None
            assert str(report) in person.forms[0].message

            await call(client, "browser_upload", element="#f", paths=[str(report)])
            assert await uploaded(client) == "a report"

            # "For this session" allows this file into this field, and no other file.
            await call(client, "browser_upload", element="#f", paths=[str(report)])
            await call(client, "browser_upload", element="#f", paths=[str(report)])
            other = tmp_path / "documents" / "other.txt"
            other.write_text("another report")
            error = await fail(client, "browser_upload", element="#f", paths=[str(other)])
            assert error["error"] == "APPROVAL_DENIED"
    assert len(person.forms) == 4
    assert all("Always allow" not in str(form.requested_schema) for form in person.forms)


async def test_files_in_the_upload_folders_need_no_approval(home: Path) -> None:
    with serving({"/": PAGE}) as site, running_hub(home) as hub:
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
