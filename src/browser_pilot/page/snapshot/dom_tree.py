"""The indexed DOM tree: rendered elements, one line each, as ``[3] img "Logo" @(10,10,200,50)``.

The index of a line names its element until the next tree is taken; ``DomTree.ref`` turns it into a ref.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from browser_pilot.errors import ElementNotFound, StaleRef
from browser_pilot.page.frames import MAIN, Frame
from browser_pilot.page.isolated_world import DEFAULT_TIMEOUT_MS, FrameGone, World
from browser_pilot.safe_text import cut, parse_json

from .rows import Box

DEFAULT_MAX_NODES = 500
MAX_NODES = 20_000
# As long as the page cuts the names of nodes.
MAX_TAG_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class Node:
    """One element of the tree."""

    depth: int
    tag: str
    name: str
    ref: str
    box: Box
    hidden: str = ""
    """``hidden`` or ``offscreen`` for an element whose text nobody can see."""


@dataclass(frozen=True, slots=True)
class DomTree:
    """The nodes in order of their index. ``nodes_left`` counts those over the limit."""

    document: str
    nodes: tuple[Node, ...]
    nodes_left: int

    def ref(self, index: int) -> str:
        """The ref of the element with an index."""
        if not 0 <= index < len(self.nodes):
            raise ElementNotFound(
                f"Element index {index} out of range.",
                suggestions=(f"The tree has indices 0 to {len(self.nodes) - 1}.",),
            )
        return self.nodes[index].ref

    def starts_like(self, other: object, count: int) -> bool:
        """Whether the first indices name the same elements in both."""
        if not isinstance(other, DomTree) or self.document != other.document:
            return False
        return [node.ref for node in self.nodes[:count]] == [node.ref for node in other.nodes[:count]]

    def lines(self) -> list[str]:
        return [_line(index, node) for index, node in enumerate(self.nodes)]


def _line(index: int, node: Node) -> str:
    name = f' "{node.name}"' if node.name else ""
    hidden = f" ({node.hidden})" if node.hidden else ""
    return f"{'  ' * node.depth}[{index}] {node.tag}{name} @({','.join(map(str, node.box))}){hidden}"


async def take_dom_tree(
    world: World,
    *,
    max_nodes: int = DEFAULT_MAX_NODES,
    root: tuple[Frame, str] | None = None,
    timeout_ms: int = DEFAULT_TIMEOUT_MS,
) -> DomTree:
    """The tree of the page with its frames, or of the part inside ``root`` (a frame and a ref)."""
    frames = await world.live_frames(timeout_ms=timeout_ms)
    top = root[0].number if root else MAIN

    async def one(frame: Frame) -> tuple[int, dict[str, Any]] | None:
        inside = root[1] if root and frame.number == top else None
        settings = {"maxNodes": max_nodes, "root": inside}
        try:
            text = await world.call(frame, "domTree", settings, repeatable=True, timeout_ms=timeout_ms)
        except FrameGone:
            if frame.number == top:
                raise
            return None
        tree = cast("dict[str, Any]", parse_json(cast("str", text)))
        world.note_refs_used(frame, tree["lastRef"])
        if not tree["found"]:
            raise StaleRef("The element is no longer on the page.")
        return frame.number, tree

    trees = dict(tree for tree in await asyncio.gather(*map(one, frames)) if tree is not None)
    nodes = list(_nodes(top, 0, trees))
    left = sum(int(tree["left"]) for tree in trees.values()) + max(0, len(nodes) - max_nodes)
    world.tree = DomTree(str(trees[top]["document"]), tuple(nodes[:max_nodes]), left)
    return world.tree


def _nodes(number: int, depth: int, trees: dict[int, dict[str, Any]]) -> Iterator[Node]:
    for deep, tag, name, ref, box, child, hidden in trees[number]["nodes"]:
        yield Node(depth + deep, cut(tag, MAX_TAG_CHARACTERS), name, ref, cast("Box", tuple(box)), hidden)
        if child in trees:
            yield from _nodes(child, depth + deep + 1, trees)
