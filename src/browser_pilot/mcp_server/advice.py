"""Leaves out advice that a client cannot follow: an argument that the tool does not take, a tool that it does not have.

An error is often raised far below the tools, by code that several of them use.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .tool_registry import Tool, ToolRegistry

_TOOL = re.compile(r"\bbrowser_(?!pilot\b)[a-z_]+")
# In backticks, with an underscore, or with a value.
_ARGUMENT = re.compile(r"`([a-z_]+)\b(?!-)|\b([a-z]+(?:_[a-z]+)+)\b|\b([a-z]+): (?:true|false)\b")


def arguments_of(tool: Tool[Any]) -> frozenset[str]:
    return frozenset(facts.alias or name for name, facts in tool.arguments.model_fields.items())


def named_arguments(text: str, registry: ToolRegistry) -> frozenset[str]:
    """The words of a text that are arguments of some tool."""
    words = {word for groups in _ARGUMENT.findall(text) for word in groups}
    known = frozenset(name for tool in registry for name in arguments_of(tool.in_full_profile))
    return known & words


def named_tools(text: str) -> frozenset[str]:
    return frozenset(_TOOL.findall(text))


def can_follow(text: str, tool: Tool[Any], tools: Mapping[str, Tool[Any]], registry: ToolRegistry) -> bool:
    """Whether a call of ``tool`` by a client that has ``tools`` can do what a suggestion says."""
    others = named_tools(text)
    if not others <= tools.keys():
        return False
    accepted = arguments_of(tool).union(*(arguments_of(tools[name]) for name in others))
    return named_arguments(text, registry) <= accepted


def usable_advice(
    suggestions: Sequence[str], tool: Tool[Any], tools: Mapping[str, Tool[Any]], registry: ToolRegistry
) -> tuple[str, ...]:
    """The suggestions that can be followed; at least one."""
    usable = tuple(text for text in suggestions if can_follow(text, tool, tools, registry))
    if usable or not suggestions:
        return usable
    return (f"Arguments of this tool: {', '.join(arguments_of(tool))}.",)
