"""The ids of objects in a page, made to hold for one attachment of the debugger. Pure.

Whenever it is attached, Chrome counts the objects of each world from one again, so that an id from before would mean
another object. Sealed, it is known again as one from before, and refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from .wire import Json

_SEAL = "@"


@dataclass(eq=False, slots=True)
class Handles:
    attachment: int = 1

    def renew(self) -> None:
        """The debugger was attached anew."""
        self.attachment += 1

    def sealed(self, result: Any) -> Any:
        """An answer of Chrome's, as it is passed on."""
        if not isinstance(result, dict):
            return result
        made = cast(Json, result)
        if isinstance(one := made.get("object"), dict):
            made = {**made, "object": self._seal(cast(Json, one))}
        if isinstance(one := made.get("result"), dict):
            made = {**made, "result": self._seal(cast(Json, one))}
        elif isinstance(one, list):
            made = {**made, "result": [self._seal_property(told) for told in cast("list[Json]", one)]}
        return made

    def opened(self, params: Json) -> Json | None:
        """The parameters of a command, as Chrome knows them; None when they name an object from before."""
        made = dict(params)
        for one in (made, *(arguments := [dict(one) for one in params.get("arguments", [])])):
            if isinstance(handle := one.get("objectId"), str):
                bare, _, attachment = handle.partition(_SEAL)
                if attachment not in ("", str(self.attachment)):
                    return None
                one["objectId"] = bare
        return {**made, "arguments": arguments} if arguments else made

    def _seal(self, remote: Json) -> Json:
        if "objectId" not in remote:
            return remote
        return {**remote, "objectId": f"{remote['objectId']}{_SEAL}{self.attachment}"}

    def _seal_property(self, told: Json) -> Json:
        value = told.get("value")
        return {**told, "value": self._seal(cast(Json, value))} if isinstance(value, dict) else told
