"""Arguments that many tools share."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import WithJsonSchema

Element = Annotated[
    str | dict[str, Any],
    WithJsonSchema({"type": ["string", "object"], "description": 'ref "e12", selector, {css} or {role,name}'}),
]
