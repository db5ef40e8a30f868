"""Generates docs/tools.md from the tools: ``python -m browser_pilot.mcp_server.docs_generator``."""

from __future__ import annotations

import sys
from typing import Any, cast

from .tool_registry import PROFILES, Tool, ToolRegistry
from .tool_schema import TabArguments, lean_schema
from .tools import REGISTRY

INTRODUCTION = """\
# Tools

Generated from the code by `make docs`; do not edit.

Every tool also takes `tab` (such as `t2`; the current one by default), `session` and `timeout_ms`. An `element` is a
ref of the last snapshot (`e12`), a selector (CSS, `text=…`, `role=button[name="Save"]`, `xpath=…`), or an object:
`{ref}`, `{css}`, `{role, name}`. Results are TOON (`--format json` for JSON). A failure is a tool error with
`error` (a code), `message`, `suggestions` and `retryable`.

`browser_click`, `browser_hover`, `browser_scroll` and `browser_drag` also take a point: in an element,
`{ref, at: [x, y]}`, or of the viewport, `{x, y}`. The element at that point is resolved and authorized like a ref,
compared again when the input is sent, and reported as `hit`.

The result of an action has the rows of the page that are `new` (after which row) or `changed`, the refs of those that
are `gone`, and in `back` the refs of rows that are there again as they were shown before.

A profile selects the tools of a client: `--tools standard` (the default), `minimal` or `full`; names can be added and
removed, as in `--tools standard,browser_evaluate,-browser_upload`.
"""


def generate_reference(registry: ToolRegistry) -> str:
    rows = [f"| [`{tool.name}`](#{tool.name}) | {tool.title} | {_profiles(tool)} |" for tool in registry]
    overview = "\n".join(["| Tool | What it does | Profiles |", "|---|---|---|", *rows])
    return "\n".join([INTRODUCTION, overview, "", *(_section(tool) for tool in registry)])


def _profiles(tool: Tool[Any]) -> str:
    return ", ".join(name for name in PROFILES if name in tool.profiles)


def _section(tool: Tool[Any]) -> str:
    lines = [f"## {tool.name}", "", tool.description, "", f"Effect: {tool.effect}.", ""]
    schema = tool.in_full_profile.schema
    properties = cast(dict[str, dict[str, Any]], schema["properties"])
    required = set(cast(list[str], schema.get("required", [])))
    full_only = tool.in_full_profile.arguments.model_fields.keys() - tool.arguments.model_fields.keys()
    common = lean_schema(TabArguments, full=True)["properties"]
    shown = {name: facts for name, facts in properties.items() if facts != common.get(name)}
    if shown:
        lines += ["| Argument | Type | Default | Notes |", "|---|---|---|---|"]
        for name, facts in shown.items():
            noted = {**facts, "description": "Profile `full` only."} if name in full_only else facts
            lines.append(_argument(name, noted, required=name in required))
        lines.append("")
    return "\n".join(lines)


def _argument(name: str, facts: dict[str, Any], *, required: bool) -> str:
    default = "required" if required else f"`{facts['default']}`" if "default" in facts else ""
    return f"| `{name}` | {_type(facts)} | {default} | {facts.get('description', '')} |"


def _type(facts: dict[str, Any]) -> str:
    if "enum" in facts:
        return " \\| ".join(f"`{value}`" for value in cast(list[Any], facts["enum"]))
    kind = facts.get("type", "any")
    if isinstance(kind, list):
        return " or ".join(cast(list[str], kind))
    return f"list of {_type(facts['items'])}" if kind == "array" and "items" in facts else str(kind)


if __name__ == "__main__":
    sys.stdout.write(generate_reference(REGISTRY))
