"""Arguments that many tools share."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import WithJsonSchema

Element = Annotated[
    str | dict[str, Any],
    # Without a type: some clients cannot read a list of types, and an object is as good as a string.
    WithJsonSchema({"description": "ref or selector"}),
]
