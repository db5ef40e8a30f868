"""`status` and `stop`: with a hub, without one, and with another program on its port."""

from __future__ import annotations

import os
import socket
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from browser_pilot import __version__
from browser_pilot.cli.commands.status import format_uptime
from browser_pilot.hub_discovery.runtime_file import RuntimeInfo, write_runtime
from tests.cli.conftest import Pilot
from tests.clients import call, http_client
from tests.hub_process import running_hub


def test_status_without_a_hub_shows_how_to_start_one(pilot: Pilot) -> None:
    outcome = pilot("status")
    assert outcome.code == 0
    assert "No hub is running." in outcome.out
    assert "browser-pilot serve" in outcome.out
    assert pilot("status", "--json").data["running"] is False


def test_stop_without_a_hub_succeeds(pilot: Pilot) -> None:
    outcome = pilot("stop")
    assert outcome.code == 0
    assert "No hub was running." in outcome.out
    assert pilot("stop", "--json").data == {"was_running": False, "pid": None}


def test_status_shows_a_running_hub_but_not_its_token(pilot: Pilot, home: Path) -> None:
    with running_hub(home) as hub:
        outcome = pilot("status")
        assert hub.mcp_url in outcome.out
        assert str(hub.process.pid) in outcome.out
        assert str(home / "token") in outcome.out
        data = pilot("status", "--json")
        assert data.data["port"] == hub.info.port
        assert data.data["version"] == __version__
        assert data.data["clients"] == []
        assert hub.info.token not in outcome.out + data.out


async def test_status_lists_the_clients(pilot: Pilot, home: Path) -> None:
    with running_hub(home) as hub:
        async with http_client(hub) as client:
            await call(client, "browser_tabs")
            data = pilot("status", "--json").data
            assert [client["id"] for client in data["clients"]] == ["http-1"]
            assert data["sessions"] == 1


def test_stop_waits_until_the_hub_has_exited(pilot: Pilot, home: Path) -> None:
    with running_hub(home, forked=False) as hub:
        outcome = pilot("stop")
        assert outcome.code == 0
        assert str(hub.process.pid) in outcome.out
        assert hub.process.poll() == 0
        assert pilot("status", "--json").data["running"] is False


def test_a_killed_hub_counts_as_not_running(pilot: Pilot, home: Path) -> None:
    with running_hub(home) as hub:
        hub.process.kill()
        hub.process.wait(10)
        assert (home / "run" / "hub.json").exists()
        assert pilot("status", "--json").data["running"] is False
        assert pilot("stop").code == 0


def test_another_program_on_the_port_is_not_mistaken_for_the_hub(pilot: Pilot, home: Path) -> None:
    class OtherServer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<h1>hello</h1>")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with HTTPServer(("127.0.0.1", 0), OtherServer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        write_runtime(home, _info(server.server_port))
        assert pilot("status", "--json").data["running"] is False
        assert pilot("stop").code == 0
        server.shutdown()


def test_a_hub_with_another_token_is_not_mistaken_for_ours(pilot: Pilot, home: Path) -> None:
    with running_hub(home) as hub:
        write_runtime(home, hub.info._replace(token="x" * 43))
        assert pilot("status", "--json").data["running"] is False
        write_runtime(home, hub.info)


def test_an_unresponsive_hub_is_reported_and_not_killed(pilot: Pilot, home: Path) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        write_runtime(home, _info(silent.getsockname()[1]))
        outcome = pilot("stop")
        assert outcome.code == 1
        assert f"(process {os.getpid()}) does not respond" in outcome.err


def test_a_damaged_runtime_file_counts_as_no_hub(pilot: Pilot, home: Path) -> None:
    (home / "run").mkdir(parents=True)
    (home / "run" / "hub.json").write_text('{"pid": "x"}')
    assert pilot("status", "--json").data["running"] is False


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (59.9, "59 s"), (61, "1 min 1 s"), (3600, "1 h"), (90061, "1 d 1 h")]
)
def test_uptime_is_shown_in_its_two_largest_units(seconds: float, text: str) -> None:
    assert format_uptime(seconds) == text


def _info(port: int) -> RuntimeInfo:
    return RuntimeInfo(os.getpid(), 0.0, __version__, "127.0.0.1", port, "nowhere", "t" * 43, detached=True)
