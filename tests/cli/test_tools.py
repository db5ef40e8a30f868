"""`tools`: the list, its costs, and its selections."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.cli.tokens import PIECE, about_tokens
from browser_pilot.server.tools import REGISTRY

from .conftest import Pilot

TOON = """url: "https://example.com/login"
title: Login - Example App
elements[5]{ref,role,name,states}:
  e1,heading,Welcome back,level=1
  e2,textbox,Email,focused
  e3,textbox,Password,
  e4,checkbox,Keep me signed in,unchecked
  e5,button,Sign in,
  e6,link,Forgotten your password?,"""
GERMAN = (
    "Bitte geben Sie Ihre E-Mail-Adresse und Ihr Passwort ein, um fortzufahren. Die Rechnungsadresse stimmt überein."
)


def test_every_tool_is_listed_with_its_profiles_and_cost(pilot: Pilot) -> None:
    lines = pilot("tools").out.splitlines()
    for tool in REGISTRY:
        line = next(line for line in lines if line.startswith(f"{tool.name} "))
        assert tool.title in line
        assert all(profile in line for profile in tool.profiles)
        assert int(line.split()[-1]) > 10


def test_the_profile_in_force_is_marked(pilot: Pilot) -> None:
    marked = next(line for line in pilot("tools").out.splitlines() if "in force" in line)
    assert marked.startswith("standard")
    other = pilot("tools", env={"BROWSER_PILOT_TOOLS__PROFILE": "minimal"})
    assert "minimal" in next(line for line in other.out.splitlines() if "in force" in line)


def test_json_has_costs_that_add_up(pilot: Pilot) -> None:
    data = pilot("tools", "--json").data
    assert {tool["name"] for tool in data["tools"]} == {tool.name for tool in REGISTRY}
    for profile, total in data["profiles"].items():
        assert total == sum(tool["about_tokens"] for tool in data["tools"] if profile in tool["profiles"])


def test_a_selection_shows_only_its_tools(pilot: Pilot) -> None:
    data = pilot("tools", "--profile", "minimal,-browser_console", "--json").data
    assert [tool["name"] for tool in data["tools"]] == [
        name for name in REGISTRY.select("minimal") if name != "browser_console"
    ]


@pytest.mark.parametrize(("text", "real"), [(TOON, 92), (GERMAN, 26), ("", 0)])
def test_the_estimate_is_near_the_real_count(text: str, real: int) -> None:
    assert abs(about_tokens(text) - real) <= real * 0.2


@given(st.text())
def test_every_character_is_counted_once(text: str) -> None:
    assert "".join(PIECE.findall(text)) == text
    assert about_tokens(text) <= len(text.encode("utf-8", "surrogatepass"))
