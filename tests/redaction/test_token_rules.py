"""Conversion of gitleaks' expressions: what is taken, as what, and what is left out with which reason."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from browser_pilot.redaction.token_rules import generate
from browser_pilot.redaction.token_rules.generate import OwnRules, compact, convert
from browser_pilot.redaction.token_rules.go_regex import Unsupported, parse

OWN = OwnRules(frozenset({"ghp_"}), frozenset({"npm_"}), (), {})
END = r"""(?:[\x60'"\s;]|\\[nr]|$)"""
NAMED = r"""(?i)[\w.-]{0,50}?(?:acme)(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}"""


@pytest.mark.parametrize(
    ("expression", "sequences"),
    [
        (r"\bab[0-9]{3}\b", ["ab[0-9]{3}"]),
        ("xox[os]-[a-f]{2,4}", ["xoxo\\-[a-f]{2,4}", "xoxs\\-[a-f]{2,4}"]),
        ("(?:sk|rk)_(?:live|test)_x", ["sk_live_x", "sk_test_x", "rk_live_x", "rk_test_x"]),
        ("ab(?i)[a-z0-9]{4}", ["ab[a-zA-Z0-9]{4}"]),
        ("ab(?i:[a-f]{4})[a-f]{2}", ["ab[a-fA-F]{4}[a-f]{2}"]),
        ("[[:alnum:]]{14}", ["[A-Za-z0-9]{14}"]),
        ("[a-z]{2}[a-z]{7}", ["[a-z]{9}"]),
        ("a[0-9]+", ["a[0-9]{1,255}"]),
        ("(?:[0-9]{4}-){2}x", ["[0-9]{4}\\-[0-9]{4}\\-x"]),
        ("a(?:-b)?", ["a", "a\\-b"]),
    ],
)
def test_an_expression_becomes_sequences_of_bounded_repeats(expression: str, sequences: list[str]) -> None:
    found = ["".join(part.regex for part in sequence) for sequence in parse(expression)]
    assert found == sequences
    for sequence in found:
        re.compile(sequence)


@pytest.mark.parametrize("expression", ["a.*b", "^a", "[^a]b", r"a\sb", "(?P<name>a)", "a{2}?", "(ab", "(?:ab){2,9}"])
def test_an_expression_that_is_no_such_sequence_is_refused(expression: str) -> None:
    with pytest.raises(Unsupported):
        parse(expression)


@pytest.mark.parametrize(
    ("expression", "entries"),
    [
        ("ghp_[0-9a-zA-Z]{36}", [{"literal": "ghp_", "form": "anywhere"}]),
        (rf"(?i)\b(npm_[a-z0-9]{{36}}){END}", [{"literal": "npm_", "form": "random"}]),
        (rf"\b(new-[a-f0-9]{{40}}){END}", [{"literal": "new-", "form": "word", "regex": "[a-f0-9]{40}"}]),
        (rf"{NAMED}(NEW-[a-z0-9]{{27}}){END}", [{"literal": "NEW-", "form": "word", "regex": "[a-zA-Z0-9]{27}"}]),
    ],
)
def test_a_rule_with_a_literal_prefix_is_converted(expression: str, entries: list[dict[str, str]]) -> None:
    assert convert(expression, OWN) == (entries, [])


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        (rf"{NAMED}([a-f0-9]{{32}}){END}", "only the name next to it"),
        (r"\b(a-[a-f0-9]{32})\b", "prefix is shorter"),
        (r"new-[a-f0-9]{12}", "less than 16 characters"),
        ("", "file names"),
    ],
)
def test_a_rule_without_one_is_left_out_with_the_reason(expression: str, reason: str) -> None:
    entries, reasons = convert(expression, OWN)
    assert entries == []
    assert reason in reasons[0]


def test_the_alternatives_of_a_rule_that_can_be_converted_are() -> None:
    entries, reasons = convert(r"\b(ghp_[a-f0-9]{40}|[a-f0-9]{40})\b", OWN)
    assert [entry["literal"] for entry in entries] == ["ghp_"]
    assert len(reasons) == 1


def test_only_ids_and_expressions_are_taken_from_gitleaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "gitleaks.toml"
    source.write_text(
        "[[rules]]\nid = 'acme'\ndescription = 'text'\nregex = '''acme-[a-f0-9]{40}'''\nkeywords = ['acme-']\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(generate, "GITLEAKS", tmp_path / "gitleaks.json")
    monkeypatch.setattr(generate, "OUTPUT", tmp_path / "token_patterns.json")
    assert generate.main([str(source), "--version", "v9", "--commit", "c" * 40, "--date", "2030-01-02"]) == 0
    output = (tmp_path / "token_patterns.json").read_text(encoding="utf-8")
    assert '"date": "2030-01-02"' in output
    assert '{"literal": "acme-", "form": "word", "regex": "[a-f0-9]{40}", "rules": ["acme"]}' in output
    rules = tomllib.loads(source.read_text(encoding="utf-8"))["rules"]
    taken = compact(rules, {"version": "v9", "commit": "c" * 40, "date": "2030-01-02"})
    assert taken["rules"] == {"acme": "acme-[a-f0-9]{40}"}


def test_the_source_of_newer_rules_must_be_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        generate.main([str(tmp_path / "gitleaks.toml")])
