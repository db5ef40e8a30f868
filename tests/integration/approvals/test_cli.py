"""`approvals`, `approve`, `deny` and `policy` with a real hub: in a shell, in a pipe and on a terminal."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from tests.clients import call, fail
from tests.commands import run_pilot, run_pilot_or_fail
from tests.hub_process import HubProcess, environment, running_hub
from tests.sites import Site
from tests.waiting import eventually

from .simulated_users import SimulatedUser, asking_client, configure, pending, watching

EMAIL = {"role": "textbox", "name": "Email"}


async def command(home: Path, *arguments: str) -> str:
    return await asyncio.to_thread(run_pilot_or_fail, home, *arguments)


class Terminal:
    """A command on its own pseudo-terminal. A test reads the screen and presses keys."""

    def __init__(self, home: Path, *arguments: str) -> None:
        self._ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "browser_pilot", *arguments],
            env={**environment(home), "TERM": "xterm", "COLUMNS": "100", "LINES": "30"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            close_fds=True,
        )
        os.close(theirs)
        self._chunks: Queue[str] = Queue()
        self._text = ""
        threading.Thread(target=self._pump, daemon=True).start()

    def _pump(self) -> None:
        while True:
            try:
                self._chunks.put(os.read(self._ours, 65536).decode(errors="replace"))
            except OSError:
                return

    async def shows(self, wanted: str) -> None:
        while wanted not in re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self._text):
            self._text += await asyncio.to_thread(self._chunks.get, True, 20)
        self._text = ""

    def press(self, key: str) -> None:
        os.write(self._ours, key.encode())

    def close(self) -> None:
        self.process.kill()
        self.process.wait(10)
        os.close(self._ours)


async def press_until_done(view: Terminal, key: str, calling: asyncio.Task[Any]) -> None:
    """Press a key until the call is decided: the buttons ignore keys right after they appear."""

    def press() -> bool:
        view.press(key)
        return calling.done()

    await eventually(press, "the call is decided", poll_seconds=0.3)


@contextmanager
def terminal(home: Path, *arguments: str) -> Generator[Terminal]:
    opened = Terminal(home, *arguments)
    try:
        yield opened
    finally:
        opened.close()


@pytest.mark.browser
async def test_an_approval_is_listed_and_decided_in_a_shell(asking_hub: HubProcess, site: Site) -> None:
    home = asking_hub.home
    async with asking_client(asking_hub, SimulatedUser(), name="shell") as client, watching(asking_hub) as watcher:
        await call(client, "browser_navigate", url=site.url())
        assert "No approvals are pending" in await command(home, "approvals")
        for options, refused in ((["approve"], False), (["deny"], True), (["approve", "--session"], False)):
            calling = asyncio.create_task(client.call_tool("browser_type", {"element": EMAIL, "text": "x"}))
            approval = (await watcher.next())["question"]
            listed = await command(home, "approvals")
            assert approval["id"] in listed
            assert "Type into textbox “Email” on 127.0.0.1" in listed
            assert json.loads(await command(home, "approvals", "--json"))[0]["id"] == approval["id"]
            await command(home, *options, approval["id"])
            assert (await calling).is_error == refused
            decided = await watcher.next()
            assert decided["answer"]["door"] == "command line"
        late = await asyncio.to_thread(run_pilot, home, "approve", approval["id"])
        assert late.code == 1
        assert "is no longer pending" in late.err
        await call(client, "browser_type", element=EMAIL, text="covered by the session")


def test_without_a_hub_the_commands_say_how_to_start_one(home: Path) -> None:
    for arguments in (["approvals"], ["approve", "abc234"], ["deny", "abc234"], ["approve", "../stop"]):
        done = run_pilot(home, *arguments)
        assert done.code == 1
        assert "Traceback" not in done.err
    assert "browser-pilot serve" in run_pilot(home, "approvals").err
    assert run_pilot(home, "approve", "abc234", "--session", "--always").code == 2


@pytest.mark.browser
async def test_the_watch_view_decides_by_key_and_survives_the_hub(home: Path, site: Site) -> None:
    configure(home, '[policy.domains."127.0.0.1"]\nwrite = "ask"')
    with terminal(home, "approvals", "--watch") as view:
        await view.shows("No hub is running")
        with running_hub(home) as hub:
            await view.shows("No approvals are pending")
            async with asking_client(hub, None) as client:
                await call(client, "browser_navigate", url=site.url())
                for key, refused in (("a", False), ("d", True), ("s", False)):
                    calling = asyncio.create_task(client.call_tool("browser_type", {"element": EMAIL, "text": "x"}))
                    await view.shows("Approval needed")
                    view.press("\x1b")
                    await eventually(lambda: len(pending(hub)) == 1)
                    await press_until_done(view, key, calling)
                    assert (await calling).is_error == refused
                    await view.shows("No approvals are pending")
        await view.shows("No hub is running")
        view.press("q")
        assert await asyncio.to_thread(view.process.wait, 10) == 0


@pytest.mark.browser
async def test_the_watch_view_in_a_pipe_prints_events(asking_hub: HubProcess, site: Site) -> None:
    watching_process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "browser_pilot",
        "approvals",
        "--watch",
        "--json",
        env=environment(asking_hub.home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    assert watching_process.stdout is not None
    try:
        with asking_hub.http() as http:
            await eventually(lambda: http.get("/health").json()["approvals"]["watchers"] == 1)
        async with asking_client(asking_hub, None, name="pipe") as client:
            await call(client, "browser_navigate", url=site.url())
            calling = asyncio.create_task(call(client, "browser_type", element=EMAIL, text="x"))
            requested = json.loads(await asyncio.wait_for(watching_process.stdout.readline(), 20))
            assert requested["event"] == "asked"
            await command(asking_hub.home, "approve", requested["question"]["id"])
            await calling
            decided = json.loads(await asyncio.wait_for(watching_process.stdout.readline(), 20))
            assert (decided["event"], decided["answer"]["choice"]) == ("answered", "once")
    finally:
        watching_process.kill()
        await watching_process.wait()


@pytest.mark.browser
async def test_policy_changes_apply_immediately_in_a_running_hub(home: Path, site: Site) -> None:
    home.mkdir()
    with running_hub(home) as hub:
        async with asking_client(hub, None) as client:
            await call(client, "browser_navigate", url=site.url())
            await command(home, "policy", "deny", "127.0.0.1")
            assert (await fail(client, "browser_snapshot"))["error"] == "DOMAIN_DENIED"
            await command(home, "policy", "ask", f"127.0.0.1:{site.port}")
            await call(client, "browser_snapshot")
            assert (await fail(client, "browser_type", element=EMAIL, text="x"))["error"] == "APPROVAL_DENIED"
            await command(home, "policy", "allow", f"127.0.0.1:{site.port}", "--without-asking")
            await call(client, "browser_type", element=EMAIL, text="x")
            await command(home, "policy", "forget", f"127.0.0.1:{site.port}")
            assert (await fail(client, "browser_snapshot"))["error"] == "DOMAIN_DENIED"
            await command(home, "policy", "forget", "127.0.0.1")
            await command(home, "policy", "mode", "readonly")
            assert (await fail(client, "browser_type", element=EMAIL, text="x"))["error"] == "READ_ONLY"
    assert "the user changed the rule for 127.0.0.1" in (home / "logs" / "hub.log").read_text()
