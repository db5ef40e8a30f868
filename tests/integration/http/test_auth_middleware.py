"""Authentication of HTTP requests: Host, Origin and bearer token; and malformed requests to `/mcp`."""

from __future__ import annotations

import itertools

import httpx
import pytest

from tests.hub_process import HubProcess

LIST_TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture
def http(hub: HubProcess):
    with httpx.Client(base_url=f"http://127.0.0.1:{hub.info.port}", timeout=60) as client:
        yield client


def test_health_needs_no_token(http: httpx.Client) -> None:
    health = http.get("/health").json()
    assert health["status"] == "ok"
    assert {"version", "uptime_seconds", "browsers", "sessions"} <= health.keys()


@pytest.mark.parametrize(
    "path", ["/mcp", "/metrics", "/api/health", "/api/clients", "/api/stop", "/nothing", "/", "//health", "/health/"]
)
@pytest.mark.parametrize(
    "authorization",
    [None, "", "Bearer", "Bearer wrong", "bearer {token}", "Basic {token}", "Bearer {token}x", "{token}"],
)
def test_all_other_paths_need_the_token(
    hub: HubProcess, http: httpx.Client, path: str, authorization: str | None
) -> None:
    headers = dict(ACCEPT)
    if authorization is not None:
        headers["Authorization"] = authorization.replace("{token}", hub.info.token)
    assert http.post(path, json=LIST_TOOLS, headers=headers).status_code == 401


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1",
        "localhost",
        "127.0.0.1:1",
        "localhost.evil.example:{port}",
        "127.0.0.1.nip.example:{port}",
        "0.0.0.0:{port}",
        "[::1]:{port}",
        "127.1:{port}",
        "2130706433:{port}",
        "127.0.0.1:{port}.evil.example",
        "evil.example@127.0.0.1:{port}",
        "",
    ],
)
@pytest.mark.parametrize("path", ["/health", "/mcp"])
def test_any_other_host_is_refused(hub: HubProcess, http: httpx.Client, host: str, path: str) -> None:
    headers = {**ACCEPT, **hub.headers, "Host": host.replace("{port}", str(hub.info.port))}
    assert http.post(path, json=LIST_TOOLS, headers=headers).status_code in (400, 421)


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "https://evil.example",
        "http://localhost",
        "http://localhost:1",
        "http://127.0.0.1",
        "http://127.0.0.1:{port}.evil.example",
        "http://evil.example:{port}",
        "chrome-extension://abcdefghijklmnopabcdefghijklmnop",
        "file://",
        "",
    ],
)
@pytest.mark.parametrize("path", ["/health", "/mcp", "/api/stop"])
def test_any_other_origin_is_refused(hub: HubProcess, http: httpx.Client, origin: str, path: str) -> None:
    headers = {**ACCEPT, **hub.headers, "Origin": origin.replace("{port}", str(hub.info.port))}
    assert http.post(path, json=LIST_TOOLS, headers=headers).status_code == 403


def test_the_hubs_own_origin_is_accepted(hub: HubProcess, http: httpx.Client) -> None:
    for name in ("127.0.0.1", "localhost"):
        headers = {"Host": f"{name}:{hub.info.port}", "Origin": f"http://{name}:{hub.info.port}"}
        assert http.get("/health", headers=headers).status_code == 200


def test_the_token_and_its_files_are_private(hub: HubProcess) -> None:
    for path in (hub.home / "token", hub.home / "run" / "hub.json", hub.home / "logs" / "hub.log"):
        assert path.stat().st_mode & 0o777 == 0o600
    for folder in (hub.home, hub.home / "run"):
        assert folder.stat().st_mode & 0o777 == 0o700
    assert (hub.home / "run" / "hub.sock").stat().st_mode & 0o777 == 0o600
    assert hub.info.token not in (hub.home / "logs" / "hub.log").read_text()


def test_invalid_options_in_the_query_are_refused(hub: HubProcess, http: httpx.Client) -> None:
    for query in ("tools=nonsense", "format=xml", "colour=red", "tools=-minimal", "viewport=big", "max_tokens=1"):
        response = http.post(f"/mcp?{query}", json=LIST_TOOLS, headers={**ACCEPT, **hub.headers})
        assert response.status_code == 400, query
        assert response.json()["error"] == "INVALID_SETTINGS"
        assert response.json()["message"]


def _hostile_bodies() -> list[bytes]:
    broken = [b"", b"{", b"[]", b"null", b'"text"', b"\xff\xfe", b'{"jsonrpc": "2.0"', b"[" * 10_000, b"{}" * 100]
    wrong = [
        f'{{"jsonrpc": {version}, "id": {request_id}, "method": {method}, "params": {params}}}'.encode()
        for version, request_id, method, params in itertools.product(
            ('"2.0"', '"1.0"', "2", "null"),
            ("1", '"a"', "null", "[]", "{}"),
            ('"tools/list"', '"tools/call"', '"nothing/here"', '""', "7"),
            ("null", "[]", '"text"', '{"name": 7}', '{"name": "browser_click", "arguments": []}'),
        )
    ]
    return [*broken, *wrong]


def test_malformed_requests_get_an_error_and_the_hub_keeps_running(hub: HubProcess, http: httpx.Client) -> None:
    headers = {**ACCEPT, **hub.headers, "Content-Type": "application/json"}
    bodies = _hostile_bodies()
    assert len(bodies) > 500
    for number, body in enumerate(bodies):
        version = {"MCP-Protocol-Version": ("2025-11-25", "2026-07-28", "1999-01-01")[number % 3]}
        response = http.post("/mcp", content=body, headers={**headers, **version})
        assert 400 <= response.status_code < 500 or "error" in response.text, (
            body[:200],
            response.status_code,
            response.text,
        )
    assert http.get("/health").json()["status"] == "ok"


def test_an_oversized_body_is_refused(hub: HubProcess, http: httpx.Client) -> None:
    content = {**LIST_TOOLS, "params": {"_meta": {"padding": "x" * 10_000_000}}}
    assert http.post("/mcp", json=content, headers={**ACCEPT, **hub.headers}).status_code == 413
    assert http.get("/health").status_code == 200
