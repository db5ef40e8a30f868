"""Types of JSON data, for all packages: one definition each, no logic.

``Json`` is any value that ``json.loads`` returns. ``ReadOnlyJson`` is what ``json.dumps`` takes, for parameters: any
sequence or mapping will do. ``JsonObject`` is a message of a protocol, whose fields its receiver checks one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
ReadOnlyJson: TypeAlias = "bool | int | float | str | Sequence[ReadOnlyJson] | Mapping[str, ReadOnlyJson] | None"
JsonObject: TypeAlias = dict[str, Any]
