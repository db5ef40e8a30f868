"""`tools`: the list, the token costs and selections."""

from __future__ import annotations

from browser_pilot.mcp_server.tools import REGISTRY
from tests.cli.conftest import Pilot


def test_every_tool_is_listed_with_its_profiles_and_cost(pilot: Pilot) -> None:
    lines = pilot("tools").out.splitlines()
    for tool in REGISTRY:
        line = next(line for line in lines if line.startswith(f"{tool.name} "))
        assert tool.title in line
        assert all(profile in line for profile in tool.profiles)
        assert int(line.split()[-1]) > 10


def test_the_active_profile_is_marked(pilot: Pilot) -> None:
    marked = next(line for line in pilot("tools").out.splitlines() if "← active" in line)
    assert marked.startswith("standard")
    other = pilot("tools", env={"BROWSER_PILOT_TOOLS__PROFILE": "minimal"})
    assert "minimal" in next(line for line in other.out.splitlines() if "← active" in line)


def test_json_has_costs_that_add_up(pilot: Pilot) -> None:
    data = pilot("tools", "--json").data
    assert {tool["name"] for tool in data["tools"]} == {tool.name for tool in REGISTRY}
    for profile, total in data["profiles"].items():
        # A tool may have more arguments in the full profile.
        assert total == sum(tool["profile_tokens"].get(profile, 0) for tool in data["tools"])


def test_a_selection_shows_only_its_tools(pilot: Pilot) -> None:
    data = pilot("tools", "--profile", "minimal,-browser_console", "--json").data
    assert [tool["name"] for tool in data["tools"]] == [
        name for name in REGISTRY.select("minimal") if name != "browser_console"
    ]
