"""Finds, starts and stops the hub for commands. HTTP with the standard library only; no MCP here."""

from __future__ import annotations

import http
import http.client
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, TypeAdapter, ValidationError

from browser_pilot.errors import HubUnavailable
from browser_pilot.hub_discovery.launcher import is_alive, start_hub, wait_for_exit
from browser_pilot.hub_discovery.runtime_file import RuntimeInfo, hub_lock, log_path, read_runtime

RESPONSE_TIMEOUT_SECONDS = 5.0
STOP_TIMEOUT_SECONDS = 20.0


class BrowserHealth(BaseModel):
    kind: str
    version: str
    sessions: int


class PartReport(BaseModel):
    state: Literal["ok", "off", "problem"]
    says: str


class Health(BaseModel):
    """The hub's response of ``/api/health``."""

    status: Literal["ok", "degraded"]
    version: str
    uptime_seconds: float
    clients: int
    sessions: int
    browsers: list[BrowserHealth]
    parts: dict[str, PartReport]

    @property
    def problems(self) -> dict[str, PartReport]:
        return {name: part for name, part in self.parts.items() if part.state == "problem"}


class ErrorBody(BaseModel):
    """The body of the hub's response to a request that it rejects."""

    error: str
    message: str
    suggestions: list[str] = []


class ConnectedClient(BaseModel):
    id: str
    name: str


CLIENT_LIST = TypeAdapter(list[ConnectedClient])


@dataclass(frozen=True)
class RunningHub:
    """A hub that has just responded."""

    info: RuntimeInfo
    health: Health
    clients: list[ConnectedClient]

    @property
    def mcp_url(self) -> str:
        host = f"[{self.info.host}]" if ":" in self.info.host else self.info.host
        return f"http://{host}:{self.info.port}/mcp"


def token_path(home: Path) -> Path:
    return home / "token"


def find_hub(home: Path) -> RunningHub | None:
    """The hub of this home, if one responds. Raises ``HubUnavailable`` when its process runs but does not respond."""
    info = read_runtime(home)
    if info is None:
        return None
    try:
        clients = CLIENT_LIST.validate_json(_fetch(info, "GET", "/api/clients"))
        health = Health.model_validate_json(_fetch(info, "GET", "/api/health"))
    except TimeoutError:
        if not is_alive(info.pid):
            return None
        raise HubUnavailable(
            f"The hub (process {info.pid}) does not respond.",
            suggestions=[f"Its log file is {log_path(home)}.", f"If it does not recover, kill process {info.pid}."],
        ) from None
    except (OSError, http.client.HTTPException, ValidationError):
        # Nothing listens there, or another program has taken the port since the hub was killed.
        return None
    return RunningHub(info, health, clients)


def ensure_hub(home: Path) -> RunningHub:
    """The running hub; starts a detached one if there is none."""
    hub = find_hub(home)
    if hub is not None:
        return hub
    with hub_lock(home):
        hub = find_hub(home)
        if hub is None:
            start_hub(home)
            hub = find_hub(home)
    if hub is None:
        raise HubUnavailable(
            "The hub was started but does not respond.",
            suggestions=["Run `browser-pilot doctor` to check it.", f"Its log file is {log_path(home)}."],
        )
    return hub


def stop_hub(home: Path, hub: RunningHub, *, timeout_seconds: float = STOP_TIMEOUT_SECONDS) -> None:
    """Request the hub to stop and wait until its process has exited."""
    pid = hub.info.pid
    try:
        _fetch(hub.info, "POST", "/api/stop")
    except (OSError, http.client.HTTPException) as error:
        if is_alive(pid):
            raise HubUnavailable(f"The hub (process {pid}) did not accept the stop request: {error}.") from error
    if not wait_for_exit(pid, timeout_seconds=timeout_seconds):
        raise HubUnavailable(
            f"The hub (process {pid}) is still running {timeout_seconds:.0f} seconds after the stop request.",
            suggestions=[f"Its log file is {log_path(home)}.", f"If it does not stop, kill process {pid}."],
        )


def send_request(
    info: RuntimeInfo,
    method: str,
    path: str,
    *,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    timeout_seconds: float = RESPONSE_TIMEOUT_SECONDS,
) -> tuple[int, bytes]:
    """One request with the token: the response's status and body. Raises ``OSError`` or ``HTTPException``."""
    connection = http.client.HTTPConnection(info.host, info.port, timeout=timeout_seconds)
    try:
        connection.request(method, path, body, {"Authorization": f"Bearer {info.token}", **(headers or {})})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def _fetch(info: RuntimeInfo, method: str, path: str) -> bytes:
    status, body = send_request(info, method, path)
    if status != http.HTTPStatus.OK:
        raise http.client.HTTPException(f"status {status}")
    return body
