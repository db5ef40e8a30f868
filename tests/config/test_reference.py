"""The reference of settings: complete, current, and with examples that are valid."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from browser_pilot.config.reference import documents, schema, settings_of, variable_of
from browser_pilot.config.setting_descriptions import DESCRIPTIONS
from browser_pilot.config.settings import Settings, load_settings

DOCS = Path(__file__).parents[2] / "docs"
KEYS = [".".join(key) for key, _ in settings_of(Settings())]


def test_every_setting_is_described_and_nothing_else() -> None:
    assert set(DESCRIPTIONS) == set(KEYS)


@pytest.mark.parametrize("name", documents())
def test_the_generated_files_are_current(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == documents()[name], "run `make docs`"


@pytest.mark.parametrize("key", [key for key in KEYS if DESCRIPTIONS[key].example])
def test_an_example_is_valid_in_the_file_and_for_the_schema(key: str, tmp_path: Path) -> None:
    section, _, name = key.rpartition(".")
    (tmp_path / "config.toml").write_text(f"[{section}]\n{name} = {DESCRIPTIONS[key].example}\n")
    loaded = load_settings(home=tmp_path, environ={}).model_dump(mode="json")
    jsonschema.validate(loaded, schema())


def test_each_variable_is_read() -> None:
    for key, default in settings_of(Settings()):
        if isinstance(default, bool | int) and key != ("hub", "port"):
            settings = load_settings(home=Path("/nowhere"), environ={variable_of(key): json.dumps(default)})
            assert settings == Settings().at(Path("/nowhere"))


def test_the_schema_refuses_what_the_settings_refuse() -> None:
    invalid_documents: list[dict[str, dict[str, object]]] = [
        {"hub": {"prot": 1}},
        {"hub": {"port": 70000}},
        {"sessions": {"max": 0}},
        {"policy": {"mode": "x"}},
        {"other": {}},
    ]
    for invalid in invalid_documents:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(invalid, schema())
