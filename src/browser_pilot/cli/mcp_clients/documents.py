"""Adds an MCP server to the text of a configuration in JSON (with comments), TOML or YAML; the rest stays. Pure."""

from __future__ import annotations

import io
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any, Literal, cast

import tomlkit
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from tomlkit.exceptions import TOMLKitError

from browser_pilot.json_types import Json

from .jsonc import parse_jsonc, set_member

FileFormat = Literal["json", "toml", "yaml"]
_VARIABLES = ("env", "environment", "envs")


class InvalidDocument(ValueError):
    """The text cannot be parsed, or has something else where servers belong."""


def with_server(
    file_format: FileFormat, text: str, path: Sequence[str], entry: Mapping[str, Json], managed: frozenset[str]
) -> str:
    """``text`` with ``entry`` at ``path``; unchanged if it is there already. Raises ``InvalidDocument``.

    ``managed``: fields of an earlier entry that it replaces; others, and variables of the environment, are kept.
    """
    try:
        match file_format:
            case "json":
                return _in_json(text, path, entry, managed)
            case "toml":
                return _in_toml(text, path, entry, managed)
            case "yaml":
                return _in_yaml(text, path, entry, managed)
    except (TOMLKitError, YAMLError, ValueError) as error:
        raise InvalidDocument(" ".join(str(error).split())) from None


def _in_json(text: str, path: Sequence[str], entry: Mapping[str, Json], managed: frozenset[str]) -> str:
    text = text if text.strip("\ufeff \t\r\n") else "{}\n"
    before = _at(parse_jsonc(text), path)
    merged = _merged(before, entry, managed)
    return text if before == merged else set_member(text, path, merged)


def _in_toml(text: str, path: Sequence[str], entry: Mapping[str, Json], managed: frozenset[str]) -> str:
    document = tomlkit.parse(text)
    before = _at(document.unwrap(), path)
    merged = _merged(before, entry, managed)
    if before == merged:
        return text
    table = cast("MutableMapping[str, Any]", document)
    for depth, name in enumerate(path[:-1]):
        if name not in table:
            table[name] = tomlkit.table(is_super_table=True)
        table = _table(table[name], path[: depth + 1])
    # Field by field: comments inside of the table stay.
    if path[-1] not in table:
        table[path[-1]] = tomlkit.table()
    _replace_fields(_table(table[path[-1]], path), merged)
    return tomlkit.dumps(document)


def _in_yaml(text: str, path: Sequence[str], entry: Mapping[str, Json], managed: frozenset[str]) -> str:
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 4096
    loaded = cast("object", cast("Any", yaml).load(text))
    document: object = {} if loaded is None else loaded
    before = _at(document, path)
    merged = _merged(before, entry, managed)
    if before == merged:
        return text
    table = _table(document, ())
    for depth, name in enumerate(path):
        if table.get(name) is None:
            table[name] = {}
        table = _table(table[name], path[: depth + 1])
    _replace_fields(table, merged)
    written = io.StringIO()
    cast("Any", yaml).dump(document, written)
    return written.getvalue()


def _replace_fields(table: MutableMapping[str, Any], fields: Mapping[str, Json]) -> None:
    for name in [name for name in table if name not in fields]:
        del table[name]
    for name, value in fields.items():
        if name not in table or table[name] != value:
            table[name] = value


def _table(value: object, path: Sequence[str]) -> MutableMapping[str, Any]:
    if not isinstance(value, MutableMapping):
        raise InvalidDocument(f"{'.'.join(path) or 'the document'} is not a table")
    return cast("MutableMapping[str, Any]", value)


def _at(document: object, path: Sequence[str]) -> object:
    value = document
    for name in path:
        if not isinstance(value, Mapping):
            return None
        value = cast("Mapping[str, object]", value).get(name)
    return value


def _merged(before: object, entry: Mapping[str, Json], managed: frozenset[str]) -> dict[str, Json]:
    old = dict(cast("Mapping[str, Json]", before)) if isinstance(before, Mapping) else {}
    merged = {**{name: value for name, value in old.items() if name not in managed}}
    for name in _VARIABLES:
        variables = old.get(name)
        if name in managed and isinstance(variables, Mapping):
            merged[name] = dict(variables)
    for name, value in entry.items():
        kept = merged.get(name)
        merged[name] = {**kept, **value} if isinstance(kept, dict) and isinstance(value, dict) else value
    return merged
