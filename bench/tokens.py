"""Counts tokens with o200k_base.

tiktoken downloads its ranks; the npm package ``js-tiktoken`` contains the same ones, so that a run needs the package
registry only.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, cast

import tiktoken

from .rpc import JsonObject


class Counter(Protocol):
    def __call__(self, text: str, /) -> int: ...


def load_counter(ranks_file: Path) -> Counter:
    source = ranks_file.read_text(encoding="utf-8")
    table = cast(dict[str, object], json.loads(source[source.index("{") : source.rindex("}") + 1]))
    encoding = tiktoken.Encoding(
        "o200k_base",
        pat_str=cast(str, table["pat_str"]),
        mergeable_ranks=_ranks(cast(str, table["bpe_ranks"])),
        special_tokens=cast(dict[str, int], table["special_tokens"]),
    )

    def count(text: str, /) -> int:
        return len(encoding.encode(text, disallowed_special=()))

    return count


def _ranks(packed: str) -> dict[bytes, int]:
    """Each line is ``! <rank of the first> <token> <token> …``, the tokens in base64."""
    ranks: dict[bytes, int] = {}
    for line in packed.splitlines():
        _, first, *tokens = line.split(" ")
        for offset, token in enumerate(tokens):
            ranks[base64.b64decode(token)] = int(first) + offset
    return ranks


def tool_list_text(tools: Sequence[JsonObject]) -> str:
    """Returns the tool list as a model sees it: names, descriptions and input schemas."""
    shown = [{key: tool[key] for key in ("name", "description", "inputSchema") if key in tool} for tool in tools]
    return json.dumps(shown, separators=(",", ":"), ensure_ascii=False)
