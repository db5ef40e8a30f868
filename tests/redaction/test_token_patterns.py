"""Tokens recognized by their form: the data is what the script generates, and no pattern of it can be made slow."""

from __future__ import annotations

import json
import re
import time

import pytest

from browser_pilot.redaction.redactor import Redactor
from browser_pilot.redaction.token_patterns import PATTERNS, TokenPattern, find_tokens
from browser_pilot.redaction.token_rules import generate

REDACTOR = Redactor()
# A repeat without an upper bound backtracks; a possessive one, such as {8,}+, does not.
UNBOUNDED = re.compile(r"(?<!\\)(?:[*+]|\{\d*,\})(?!\+)")


def test_the_data_is_what_the_script_generates() -> None:
    gitleaks = json.loads(generate.GITLEAKS.read_text(encoding="utf-8"))
    own = generate.OwnRules.load(generate.OWN.read_text(encoding="utf-8"))
    assert generate.OUTPUT.read_text(encoding="utf-8") == generate.dump(generate.generate(gitleaks, own))


def test_the_data_names_its_source_its_licence_and_its_date() -> None:
    data = json.loads(generate.OUTPUT.read_text(encoding="utf-8"))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", data["date"])
    assert re.search(r"gitleaks v\S+, commit [0-9a-f]{40}", data["source"])
    assert data["licence"].startswith("MIT")
    assert (generate.HERE / "LICENSE.gitleaks").read_text(encoding="utf-8").startswith("MIT License")


def test_every_rule_of_gitleaks_is_converted_or_left_out_with_a_reason() -> None:
    data = json.loads(generate.OUTPUT.read_text(encoding="utf-8"))
    rules = json.loads(generate.GITLEAKS.read_text(encoding="utf-8"))["rules"]
    converted = {rule for pattern in data["patterns"] for rule in pattern["rules"]} - {"own"}
    assert converted | set(data["left_out"]) == set(rules)
    assert all(data["left_out"].values())


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.literal)
def test_a_pattern_has_only_bounded_or_possessive_repeats(pattern: TokenPattern) -> None:
    without_sets = re.sub(r"\[(?:\\.|[^\]\\])+\]", "S", pattern.source)
    possessive_removed = re.sub(r"\{\d+,\d*\}\+", "", without_sets)
    assert not UNBOUNDED.search(possessive_removed)
    # The literal must be needed for a match, since the engine looks for it first.
    assert re.escape(pattern.literal) in pattern.source or pattern.literal == "."


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.literal)
def test_time_grows_no_faster_than_the_text(pattern: TokenPattern) -> None:
    def seconds(piece: str, length: int) -> float:
        text = piece * (length // len(piece))
        started = time.thread_time()
        list(find_tokens(text))
        return time.thread_time() - started

    literal = pattern.literal
    for piece in (literal, f"a{literal}", f"{literal}a1b2c3d4", f"%20{literal}aaaaaaaaaaaaaaaaaaaa.", f"0{literal}-"):
        # Eight times the text; quadratic would be sixty-four times the time. A single slow run is a pause.
        assert any(seconds(piece, 40_000) < 24 * seconds(piece, 5_000) + 0.05 for _ in range(5)), piece


HEX = "0123456789abcdef"


@pytest.mark.parametrize(
    "token",
    [
        "glffct-" + "a1B2c3D4e5F6g7H8i9J0",
        "gloas-" + "a1B2c3D4" * 8,
        "GR1348941" + "a1B2c3D4e5F6g7H8i9J0",
        "HRKU-AA" + "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9",
        "access-sandbox-01234567-89ab-cdef-0123-456789abcdef",
        "AKCp" + "a1B2c3D4e5F6g7H8i9J0" * 3 + "a1B2c3D4e",
        "sha256~" + "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9J0xyz",
        "pat.a1B2c3D4e5F6g7H8i9J0ab.a1B2c3D4e5F6g7H8i9J0abcd.a1B2c3D4e5F6g7H8i9J0",
        "fo1_" + "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9J0xyz",
        "sm_pat_a1B2c3D4e5F6g7H8",
    ],
)
def test_a_token_that_only_gitleaks_knows_is_hidden(token: str) -> None:
    assert REDACTOR.text(f"use {token}, please") == "use [redacted:token], please"


@pytest.mark.parametrize(
    "text",
    [
        "API-REFERENCE-DOCUMENTATION and API-DOCUMENTATIONREFERENCEGUIDE",
        "live_stream_2026_schedule_of_the_world_cup_final_match and test_that_the_page_is_loaded_and_idle",
        "commit 4b1d3c2a9f8e7d6c5b4a39281706f5e4d3c2b1a0 and 4b1d" + HEX * 4,
        "sc_ext_pat.sat.example.com/scauth_documentation-overview",
        "access-development-environment-documentation-for-everyone",
        "v1.0-release-notes-and-documentation-for-all-users",
    ],
)
def test_an_ordinary_name_with_the_prefix_of_a_token_is_kept(text: str) -> None:
    assert REDACTOR.text(text) == text
