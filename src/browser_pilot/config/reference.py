"""Generates docs/configuration.md and docs/config.schema.json: ``python -m browser_pilot.config.reference``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel

from .setting_descriptions import DESCRIPTIONS
from .settings import PORT_VARIABLE, PREFIX, SettingKey, Settings

_BOUNDS = {"gt": "exclusiveMinimum", "ge": "minimum", "lt": "exclusiveMaximum", "le": "maximum"}
MARKDOWN, SCHEMA = "configuration.md", "config.schema.json"
INTRODUCTION = f"""\
# Configuration

Generated from the code by `make docs`; do not edit.

Settings are in `config.toml` in the home folder (`browser-pilot config path`). A variable of the environment
overrides the file, an option of the command line overrides both. `browser-pilot config show` shows the values with
their origin, `config check` validates them. The hub reads the file again when it changes. For completion in an editor,
name the schema in the first line:
`#:schema https://github.com/browser-pilot/browser-pilot/raw/main/docs/{SCHEMA}`.

Values of variables are written as in the file, but texts need no quotes: `BROWSER_PILOT_BROWSER__VIEWPORT=[800, 600]`.
`BROWSER_PILOT_HOME` sets the home folder, `{PORT_VARIABLE}` is short for `{PREFIX}HUB__PORT`.
"""


def settings_of(section: BaseModel, prefix: SettingKey = ()) -> Iterator[tuple[SettingKey, object]]:
    """Every setting with its default, in the order of the sections."""
    for name in type(section).model_fields:
        value: object = getattr(section, name)
        if isinstance(value, BaseModel):
            yield from settings_of(value, (*prefix, name))
        else:
            yield (*prefix, name), value


def variable_of(key: SettingKey) -> str:
    return PREFIX + "__".join(key).upper()


def schema() -> dict[str, Any]:
    """The JSON schema of the file, with descriptions."""
    found = _with_bounds(Settings.model_json_schema())
    found["$schema"] = "http://json-schema.org/draft-07/schema#"
    found["title"] = "Browser Pilot's config.toml"
    found.pop("description", None)
    for key, _ in settings_of(Settings()):
        _property(found, key)["description"] = DESCRIPTIONS[".".join(key)].text
    return found


def _with_bounds(node: Any) -> Any:
    """Pydantic leaves its own words for bounds where a validator of ours comes first."""
    if isinstance(node, list):
        return [_with_bounds(item) for item in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    return {_BOUNDS.get(name, name): _with_bounds(value) for name, value in cast("dict[str, Any]", node).items()}


def generate_markdown() -> str:
    described = schema()
    lines = [INTRODUCTION]
    section: SettingKey = ()
    for key, default in settings_of(Settings()):
        if key[:-1] != section:
            section = key[:-1]
            lines += [
                f"\n## [{'.'.join(section)}]\n",
                "| Setting | Values | Default | Example | Meaning |",
                "|---|---|---|---|---|",
            ]
        description = DESCRIPTIONS[".".join(key)]
        shown = "" if default is None else f"`{_toml(default)}`"
        example = f"`{description.example or _toml(default)}`"
        values = _values(_property(described, key), described)
        lines.append(f"| `{key[-1]}`<br>`{variable_of(key)}` | {values} | {shown} | {example} | {description.text} |")
    return "\n".join(lines) + "\n"


def _property(root: dict[str, Any], key: SettingKey) -> dict[str, Any]:
    node = root
    for name in key:
        node = _resolved(node, root)["properties"][name]
    return node


def _resolved(node: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    reference = node.get("$ref")
    return root["$defs"][reference.rpartition("/")[2]] if isinstance(reference, str) else node


def _values(node: dict[str, Any], root: dict[str, Any]) -> str:
    """The values of a setting in words."""
    node = _resolved(node, root)
    if "enum" in node:
        return ", ".join(f"`{value}`" for value in node["enum"])
    if "const" in node:
        return f"`{node['const']}`"
    if "anyOf" in node:
        kinds = [_values(one, root) for one in node["anyOf"] if one.get("type") != "null"]
        return " or ".join(kinds)
    match node.get("type"):
        case "array" if "prefixItems" in node:
            return "[" + ", ".join(_values(one, root) for one in node["prefixItems"]) + "]"
        case "array":
            return f"list of {_values(node['items'], root)}"
        case "integer" | "number" as kind:
            return " ".join(["whole number" if kind == "integer" else "number", *_range(node)])
        case "boolean":
            return "`true`, `false`"
        case "object":
            return "tables"
        case _:
            return "path" if node.get("format") == "path" else "text"


def _range(node: Mapping[str, Any]) -> Iterator[str]:
    words = {"exclusiveMinimum": "above", "minimum": "from", "maximum": "to"}
    yield from (f"{word} {node[name]}" for name, word in words.items() if name in node)


def _toml(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(item) for item in cast('tuple[object, ...]', value))}]"
    return json.dumps(str(value) if isinstance(value, Path) else value, ensure_ascii=False)


def documents() -> dict[str, str]:
    """The generated files by name."""
    return {MARKDOWN: generate_markdown(), SCHEMA: json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"}


if __name__ == "__main__":
    for name, text in documents().items():
        (Path(sys.argv[1]) / name).write_text(text, encoding="utf-8")
