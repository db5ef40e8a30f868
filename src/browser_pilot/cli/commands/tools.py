"""`browser-pilot tools`: lists the tools, and the tokens that each description costs an agent."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from browser_pilot.cli.output import AsJson, out, print_json, print_line, print_table
from browser_pilot.home import locate_home

# Close enough for compact JSON: within 5 % of o200k_base.
CHARACTERS_PER_TOKEN = 4


def tools(
    profile: Annotated[
        str | None, typer.Option(help="Only this selection: a profile, tool names, -name to remove; comma-separated.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the tools with their profiles and approximate token costs."""
    # Imported here, because the imports are slow.
    from browser_pilot.config.settings import load_settings
    from browser_pilot.mcp_server.tool_registry import PROFILES, Tool
    from browser_pilot.mcp_server.tools import REGISTRY

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
                "profile_tokens": {name: cost(REGISTRY.select(name)[tool.name]) for name in profiles},
            }
            for tool, profiles, tokens in rows
        ]
        print_json({"tools": listed, "about_tokens": sum(row[2] for row in rows), "profiles": totals})
        return
    print_table(
        ["Tool", "Description", "Profiles", "Tokens (approx.)"],
        [(tool.name, tool.title, " ".join(profiles), str(tokens)) for tool, profiles, tokens in rows],
        right=frozenset({3}),
    )
    out.line()
    if profile is not None:
        print_line(f"{len(rows)} tools, about {sum(row[2] for row in rows):,} tokens.")
        return
    active = load_settings(home=locate_home()).tools.profile
    for name in PROFILES:
        mark = "  ← active" if name == active else ""
        print_line(f"{name:<9} {len(REGISTRY.select(name)):>3} tools, about {totals[name]:,} tokens{mark}")
