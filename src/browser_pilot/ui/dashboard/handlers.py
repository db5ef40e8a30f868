"""What the dashboard shows and what its user does there. The routes have made sure that the user asks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import asdict
from typing import cast

from .. import __version__
from ..bridge.bridge import MODES, WORDS, Bridge
from ..bridge.pairing import OpenCode
from ..bridge.wire import EXTENSION_ID, Json
from ..errors import InvalidArgument
from ..overview import Overview

DOOR = "dashboard"


class Desk:
    """``clients`` names those that are connected; ``health`` tells how each part of the hub is."""

    def __init__(
        self,
        *,
        bridge: Bridge,
        overview: Overview,
        clients: Callable[[], Iterable[str]],
        health: Callable[[], Json],
    ) -> None:
        self._bridge = bridge
        self._overview = overview
        self._clients = clients
        self._health = health
        self._asks: dict[str, Callable[[Json], Awaitable[Json]]] = {
            "state": self._state,
            "activity": overview.activity,
            "answer": self._answer,
            "picture": self._picture,
            "word": self._word,
            "pair": self._pair,
            "rename": self._rename,
            "forget": self._forget,
        }

    async def answer(self, name: str, params: Json) -> Json:
        ask = self._asks.get(name)
        if ask is None:
            raise InvalidArgument(f"The hub knows no question {name!r}.", suggestions=["Load the page again."])
        return await ask(params)

    async def _state(self, _: Json) -> Json:
        health = self._health()
        parts = cast("dict[str, dict[str, str]]", health["parts"])
        return {
            "hub": __version__,
            "uptime": health["uptime_seconds"],
            "extension": EXTENSION_ID,
            "problems": [part["says"] for part in parts.values() if part["state"] == "problem"],
            "mode": self._bridge.mode,
            "clients": sorted(set(self._clients())),
            "questions": self._overview.questions(),
            "agents": self._overview.agents(),
            "browsers": [asdict(state) for state in self._bridge.states()],
            "pairing": _code_data(self._bridge.pairing()),
        }

    async def _answer(self, params: Json) -> Json:
        return self._overview.answer(params, door=DOOR)

    async def _picture(self, params: Json) -> Json:
        return self._overview.picture(params)

    async def _word(self, params: Json) -> Json:
        word = str(params.get("word", ""))
        if word not in (*WORDS, *MODES):
            raise InvalidArgument(f"{word[:20]!r} means nothing.", suggestions=[f"Say {', '.join((*WORDS, *MODES))}."])
        self._bridge.say(word, where="on the dashboard")
        return {}

    async def _pair(self, _: Json) -> Json:
        return {"pairing": _code_data(self._bridge.open_pairing())}

    async def _rename(self, params: Json) -> Json:
        return asdict(self._bridge.rename(str(params.get("browser", "")), str(params.get("name", ""))))

    async def _forget(self, params: Json) -> Json:
        await self._bridge.forget(str(params.get("browser", "")))
        return {}


def _code_data(code: OpenCode | None) -> Json | None:
    return None if code is None else {"code": code.code, "expires": code.expires}
