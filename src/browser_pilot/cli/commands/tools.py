"""`browser-pilot tools`: what an agent can do, and what each tool costs it in tokens before any call."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from ..home import locate_home
from .output import AsJson, out, print_json, print_table, say

# Near enough for compact JSON: within a twentieth of what o200k_base counts.
CHARACTERS_PER_TOKEN = 4


def tools(
    profile: Annotated[
        str | None, typer.Option(help="Show this selection only: a profile, tool names, -name to remove; by comma.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the tools with their profiles and about how many tokens each costs an agent."""
    # Late, because every command would wait for them.
    from ..config import load_settings
    from ..server.registry import PROFILES, Tool
    from ..server.tools import REGISTRY

    def cost(tool: Tool[Any]) -> int:
        described = {"name": tool.name, "description": tool.description, "inputSchema": tool.schema}
        text = json.dumps(described, separators=(",", ":"), ensure_ascii=False)
        return round(len(text) / CHARACTERS_PER_TOKEN)

    chosen = list(REGISTRY.select(profile).values()) if profile is not None else list(REGISTRY)
    totals = {name: sum(cost(tool) for tool in REGISTRY.select(name).values()) for name in PROFILES}
    rows = [(tool, [name for name in PROFILES if name in tool.profiles], cost(tool)) for tool in chosen]
    if as_json:
        listed = [
            {
                "name": tool.name,
                "title": tool.title,
                "description": tool.description,
                "profiles": profiles,
                "read_only": tool.read_only,
                "about_tokens": tokens,
            }
            for tool, profiles, tokens in rows
        ]
        print_json({"tools": listed, "about_tokens": sum(row[2] for row in rows), "profiles": totals})
        return
    print_table(
        ["Tool", "What it does", "Profiles", "About tokens"],
        [(tool.name, tool.title, " ".join(profiles), str(tokens)) for tool, profiles, tokens in rows],
        right=frozenset({3}),
    )
    out.line()
    if profile is not None:
        say(f"{len(rows)} tools, about {sum(row[2] for row in rows):,} tokens.")
        return
    in_force = load_settings(home=locate_home()).tools.profile
    for name in PROFILES:
        mark = "  ← in force" if name == in_force else ""
        say(f"{name:<9} {len(REGISTRY.select(name)):>3} tools, about {totals[name]:,} tokens{mark}")
