"""Adding a server to JSON, TOML and YAML: comments and other servers stay, and a second time changes nothing."""

from __future__ import annotations

import json
import tomllib
from typing import Any, cast

import pytest
from ruamel.yaml import YAML

from browser_pilot.cli.mcp_clients.client_table import CLIENTS, ClientName, Launch
from browser_pilot.cli.mcp_clients.documents import InvalidDocument

LAUNCH = Launch("/bin/pilot", ("--engine", "own"), {"BROWSER_PILOT_HOME": "/home/x"})
PARSERS: dict[str, Any] = {"json": json.loads, "toml": tomllib.loads, "yaml": cast("Any", YAML(typ="safe")).load}


def server(client: ClientName, text: str) -> dict[str, Any]:
    found = PARSERS[CLIENTS[client].file_format](text)
    for key in (*CLIENTS[client].keys, "browser-pilot"):
        found = found[key]
    return found


@pytest.mark.parametrize("client", CLIENTS)
def test_an_empty_file_gets_the_server_and_a_second_time_changes_nothing(client: ClientName) -> None:
    text = CLIENTS[client].document(LAUNCH)
    assert server(client, text) == CLIENTS[client].entry(LAUNCH)
    assert CLIENTS[client].document(LAUNCH, text) == text


@pytest.mark.parametrize("client", CLIENTS)
def test_other_options_replace_the_earlier_ones(client: ClientName) -> None:
    text = CLIENTS[client].document(LAUNCH)
    plain = Launch("/opt/pilot", (), LAUNCH.env)
    assert server(client, CLIENTS[client].document(plain, text)) == CLIENTS[client].entry(plain)


def test_what_the_user_added_to_the_entry_stays() -> None:
    before = {"mcpServers": {"browser-pilot": {"command": "x", "autoApprove": ["a"], "env": {"MINE": "1"}}}}
    entry = server("cline", CLIENTS["cline"].document(LAUNCH, json.dumps(before)))
    assert entry["autoApprove"] == ["a"]
    assert entry["env"] == {"MINE": "1", "BROWSER_PILOT_HOME": "/home/x"}
    assert entry["command"] == "/bin/pilot"


def test_toml_keeps_comments_and_other_tables() -> None:
    before = (
        '# mine\nmodel = "o4" # good\n\n[mcp_servers.other]\ncommand = "x" # theirs\n'
        '\n[mcp_servers.browser-pilot]\n# why\ncommand = "old"\nstartup_timeout_sec = 20\n\n[tui]\ntheme = "a"\n'
    )
    text = CLIENTS["codex"].document(LAUNCH, before)
    for kept in ("# mine", "# good", "# theirs", "# why", "startup_timeout_sec = 20", '[tui]\ntheme = "a"'):
        assert kept in text
    assert tomllib.loads(text)["mcp_servers"]["other"] == {"command": "x"}
    assert server("codex", text)["command"] == "/bin/pilot"


@pytest.mark.parametrize("before", ["", "[tui]\na = 1\n", "[mcp_servers]\n", '[mcp_servers.other]\ncommand = "x"\n'])
def test_toml_gets_the_table_wherever_it_was(before: str) -> None:
    text = CLIENTS["codex"].document(LAUNCH, before)
    assert server("codex", text) == CLIENTS["codex"].entry(LAUNCH)
    assert tomllib.loads(text).keys() >= tomllib.loads(before).keys()


def test_yaml_keeps_comments_order_and_quotes() -> None:
    before = "# mine\nGOOSE_MODEL: 'm'  # good\nextensions:\n  other:\n    enabled: true # theirs\nlast: 1\n"
    text = CLIENTS["goose"].document(LAUNCH, before)
    for kept in ("# mine", "GOOSE_MODEL: 'm'  # good", "# theirs", "last: 1"):
        assert kept in text
    assert server("goose", text) == CLIENTS["goose"].entry(LAUNCH)


@pytest.mark.parametrize("text", ["extensions:\n", "extensions: {}\n"])
def test_yaml_with_an_empty_section(text: str) -> None:
    assert server("goose", CLIENTS["goose"].document(LAUNCH, text))["cmd"] == "/bin/pilot"


@pytest.mark.parametrize(
    ("client", "text"),
    [
        ("cursor", '{"mcpServers": '),
        ("cursor", '{"mcpServers": []}'),
        ("codex", "mcp_servers = 1"),
        ("codex", "a = = 1"),
        ("goose", "extensions: [1"),
        ("goose", "- a\n"),
        ("goose", "extensions: 5\n"),
    ],
)
def test_a_text_of_another_form_is_refused(client: ClientName, text: str) -> None:
    with pytest.raises(InvalidDocument):
        CLIENTS[client].document(LAUNCH, text)
