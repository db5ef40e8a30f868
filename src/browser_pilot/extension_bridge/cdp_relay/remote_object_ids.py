"""Tags the ids of remote objects with the attachment of the debugger that they belong to. Pure.

On every attach Chrome restarts the object ids of each world at one, so that an id from an earlier attachment would name
another object. The tag makes such an id recognisable; it is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from browser_pilot.json_types import JsonObject

_SEPARATOR = "@"


@dataclass(eq=False, slots=True)
class RemoteObjectIds:
    attachment: int = 1

    def start_attachment(self) -> None:
        """The debugger was attached again: earlier ids are void."""
        self.attachment += 1

    def tag_result(self, result: Any) -> Any:
        """A response of Chrome with tagged ids."""
        if not isinstance(result, dict):
            return result
        made = cast(JsonObject, result)
        if isinstance(one := made.get("object"), dict):
            made = {**made, "object": self._tag(cast(JsonObject, one))}
        if isinstance(one := made.get("result"), dict):
            made = {**made, "result": self._tag(cast(JsonObject, one))}
        elif isinstance(one, list):
            made = {**made, "result": [self._tag_property(entry) for entry in cast("list[JsonObject]", one)]}
        return made

    def untag_params(self, params: JsonObject) -> JsonObject | None:
        """The parameters of a command with Chrome's own ids; None when an id is from an earlier attachment."""
        made = dict(params)
        for one in (made, *(arguments := [dict(one) for one in params.get("arguments", [])])):
            if isinstance(handle := one.get("objectId"), str):
                bare, _, attachment = handle.partition(_SEPARATOR)
                if attachment not in ("", str(self.attachment)):
                    return None
                one["objectId"] = bare
        return {**made, "arguments": arguments} if arguments else made

    def _tag(self, remote: JsonObject) -> JsonObject:
        if "objectId" not in remote:
            return remote
        return {**remote, "objectId": f"{remote['objectId']}{_SEPARATOR}{self.attachment}"}

    def _tag_property(self, entry: JsonObject) -> JsonObject:
        value = entry.get("value")
        return {**entry, "value": self._tag(cast(JsonObject, value))} if isinstance(value, dict) else entry
