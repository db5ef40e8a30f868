"""Start and end of a hub: one per home, its port, and nothing left behind."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from browser_pilot.hub_discovery.runtime_file import read_runtime
from tests.clients import call, http_client
from tests.commands import run_pilot
from tests.hub_process import browsers_of, running_hub, wait_until_gone
from tests.sites import Site


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.browser
async def test_a_signal_stops_the_hub_and_its_browsers(home: Path, site: Site, how: signal.Signals) -> None:
    with running_hub(home, forked=False) as hub:
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=site.url())
            browsers = browsers_of(home)
            assert browsers
        hub.process.send_signal(how)
        assert hub.process.wait(15) == 0
        wait_until_gone(browsers)
        assert read_runtime(home) is None
        assert not (home / "run" / "hub.sock").exists()


@pytest.mark.browser
async def test_no_browser_outlives_a_killed_hub_and_the_next_start_cleans_up(home: Path, site: Site) -> None:
    with running_hub(home, forked=False) as hub:
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=site.url())
            family = psutil.Process(hub.process.pid).children(recursive=True)
            hub.process.kill()
            hub.process.wait(10)
            wait_until_gone(family)
    (home / "tmp" / "leftover").mkdir(parents=True)
    with running_hub(home) as hub:
        assert not (home / "tmp" / "leftover").exists()
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url=site.url())


@pytest.mark.browser
def test_the_next_start_kills_orphaned_browsers(home: Path) -> None:
    profile = home / "tmp" / "profile"
    profile.mkdir(parents=True)
    orphan = subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()", f"--user-data-dir={profile}"], stdin=subprocess.PIPE
    )
    try:
        with running_hub(home):
            assert orphan.wait(10) == -signal.SIGKILL
    finally:
        orphan.kill()
        assert orphan.stdin is not None
        orphan.stdin.close()


def test_a_second_hub_in_the_same_home_is_refused(home: Path) -> None:
    with running_hub(home) as hub:
        second = run_pilot(home, "serve")
        assert second.code == 1
        assert "already runs" in second.err
        assert str(hub.process.pid) in second.err
        assert read_runtime(home) == hub.info


def test_with_the_chosen_port_taken_the_hub_does_not_start(home: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        for outcome in (
            run_pilot(home, "serve", "--port", str(port)),
            run_pilot(home, "call", "browser_tabs", env={"BROWSER_PILOT_PORT": str(port)}),
        ):
            assert outcome.code == 1
            assert f"hub.port = {port}: the port is taken by another program." in outcome.err
        assert read_runtime(home) is None


def test_a_home_with_a_very_long_path_works(tmp_path: Path) -> None:
    home = tmp_path / ("long" * 30) / "home"
    with running_hub(home) as hub:
        assert Path(hub.info.socket).exists()
        folder = Path(hub.info.socket).parent
    assert not folder.exists()


def test_the_token_survives_a_restart(home: Path) -> None:
    with running_hub(home) as first:
        token = first.info.token
    with running_hub(home) as second:
        assert second.info.token == token


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[hub]\nport = 70000", "hub.port = 70000"),
        ("[hub]\nprot = 1", "hub.prot"),
        ('[tools]\nprofile = "everything"', "'everything'"),
        ("[browser]\nviewport = [0, 1]", "browser.viewport.0 = 0"),
        ("not toml", "not valid TOML"),
    ],
)
def test_an_invalid_setting_prevents_the_start_and_is_named(home: Path, text: str, expected: str) -> None:
    home.mkdir()
    (home / "config.toml").write_text(text)
    outcome = run_pilot(home, "serve", env={"BROWSER_PILOT_PORT": None})
    assert outcome.code == 1
    assert expected in outcome.err
