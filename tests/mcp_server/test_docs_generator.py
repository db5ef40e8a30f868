"""docs/tools.md is up to date, and the tool list costs few tokens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from browser_pilot.mcp_server.docs_generator import generate_reference
from browser_pilot.mcp_server.tools import REGISTRY
from tests.page.snapshot.tokens import real_tokens

ROOT = Path(__file__).parents[2]


def test_the_reference_is_current() -> None:
    assert (ROOT / "docs" / "tools.md").read_text() == generate_reference(REGISTRY), "run `make docs`"


@pytest.mark.parametrize(("profile", "ceiling"), [("minimal", 600), ("standard", 2_000)])
def test_the_tool_list_of_a_profile_is_cheap(profile: str, ceiling: int) -> None:
    tools = REGISTRY.select(profile).values()
    listed = [
        {"name": tool.name, "description": tool.description, "inputSchema": tool.schema, "title": tool.title}
        for tool in tools
    ]
    assert real_tokens(json.dumps(listed, separators=(",", ":"), ensure_ascii=False)) <= ceiling


def test_the_schema_of_a_tool_is_found_by_its_name_and_made_once() -> None:
    assert all(REGISTRY.schema_of(tool.name) is tool.schema for tool in REGISTRY)
    assert REGISTRY.schema_of("browser_unknown") is None
