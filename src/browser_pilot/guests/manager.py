"""All guests of a home: which there are, what tools they have, and the processes of those that run.

A guest is started when one of its tools is first called, once for each origin, so that nothing that one client's calls
brought into its memory is there in another's; it is ended when it has been idle, when its files or the user's yes have
changed, and with the hub. One that breaks is started anew by the next call, and nobody else notices.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ..config import GuestSettings
from ..errors import GuestFailed, InvalidArgument, PilotError
from .context import CallContext
from .host import SecretOf
from .journal import Journal
from .manifest import GuestTool
from .modules import CompiledModules, module_of, quickjs
from .process import Spare
from .runtime import RunningGuest
from .schemas import check_arguments
from .store import GuestStore, Installed

logger = logging.getLogger(__name__)

# JSON that is text in JSON may need two bytes for one.
_ESCAPED = 3


class Serving(Protocol):
    """What serves the guests' host requests."""

    async def serve(
        self, guest: Installed, context: CallContext | None, method: str, params: Mapping[str, Any]
    ) -> Mapping[str, Any]: ...


@dataclass(eq=False)
class _Room:
    """A place for one guest of one origin; ``lock`` keeps two calls from starting it twice."""

    lock: asyncio.Lock
    guest: RunningGuest | None = None
    last_used: float = 0.0


class GuestHouse:
    def __init__(
        self,
        home: Path,
        *,
        settings: Callable[[], GuestSettings],
        host: Serving,
        secret_of: SecretOf,
        redact: Callable[[str], str],
        modules: CompiledModules | None = None,
    ) -> None:
        self.store = GuestStore(home)
        self._settings = settings
        self._host = host
        self._secret_of = secret_of
        self._redact = redact
        self._modules = modules or CompiledModules(self.store.cache_folder)
        self._stamp: tuple[tuple[str, int], ...] = ()
        self._installed: dict[str, Installed] = {}
        self._rooms: dict[tuple[str, str], _Room] = {}
        self._spare = Spare()

    @property
    def running(self) -> list[tuple[str, str, int]]:
        """Name, origin and process of each."""
        return [
            (name, origin, room.guest.pid)
            for (name, origin), room in self._rooms.items()
            if room.guest is not None and room.guest.alive
        ]

    def tools(self) -> list[tuple[Installed, GuestTool]]:
        return [
            (guest, tool)
            for guest in self._installed.values()
            if guest.enabled and guest.problem is None
            for tool in guest.tools
        ]

    async def refresh(self) -> bool:
        """Take in what was added, changed or removed; whether anything was."""
        stamp = self.store.stamp()
        if stamp == self._stamp:
            return False
        self._stamp = stamp
        before, self._installed = self._installed, {}
        for name, _ in stamp:
            try:
                self._installed[name] = self.store.load(name)
            except PilotError as error:
                logger.warning("%s", error.message)
        changed = {name for name, guest in before.items() if self._installed.get(name) != guest}
        await asyncio.gather(*(self._vacate(key) for key in list(self._rooms) if key[0] in changed))
        return True

    async def call(
        self, name: str, tool: GuestTool, arguments: Mapping[str, Any], context: CallContext
    ) -> Mapping[str, Any]:
        """The result of a tool, as the guest gave it. Raises ``GuestFailed`` and ``InvalidArgument``."""
        check_arguments(tool.schema, arguments)
        guest = self._usable(name)
        room = self._rooms.setdefault(
            (name, context.origin), _Room(asyncio.Lock(), last_used=asyncio.get_running_loop().time())
        )
        async with room.lock:
            if room.guest is None or not room.guest.alive:
                await self._make_room(room)
                room.guest = await self.start(guest)
        running = room.guest
        params = {"name": tool.name, "arguments": dict(arguments)}
        try:
            return await running.request("tools/call", params, seconds=self._settings().call_seconds, context=context)
        finally:
            room.last_used = asyncio.get_running_loop().time()

    async def prepare(self, guest: Installed) -> Path:
        """Have its module compiled, which the first time takes a while."""
        return await self._modules.path_of(quickjs() if guest.manifest.kind == "js" else module_of(guest.read_code()))

    async def start(self, guest: Installed) -> RunningGuest:
        code = guest.read_code()
        settings = self._settings()
        is_script = guest.manifest.kind == "js"
        module = await self.prepare(guest)
        journal = Journal(self.store.log_path(guest.name), redact=self._redact)
        orders = {
            "type": "run",
            "kind": guest.manifest.kind,
            "module": str(module),
            "script": code.decode(errors="replace") if is_script else "",
            "memory_bytes": min(settings.memory_mb, guest.manifest.memory_mb or settings.memory_mb) << 20,
            "cpu_seconds": settings.cpu_seconds,
            "output_bytes": settings.output_kb << 10,
            "log_bytes": settings.log_kb << 10,
            "host_requests": settings.host_requests,
            "environment": self._environment(guest),
        }
        longest_line = (settings.output_kb << 10) * _ESCAPED
        process = await self._spare.take(longest_line=longest_line)
        process.send(orders)

        async def serve(context: CallContext | None, method: str, params: Mapping[str, Any]) -> object:
            return await self._host.serve(guest, context, method, params)

        running = RunningGuest(guest.name, process, serve, journal)
        await running.start()
        if settings.keep_ready:
            self._spare.prepare(longest_line=longest_line)
        logger.info("guest %s runs as process %d", guest.name, running.pid)
        return running

    async def end_idle(self) -> None:
        """End those that nobody has called for a while."""
        oldest = asyncio.get_running_loop().time() - self._settings().idle_minutes * 60
        for key, room in list(self._rooms.items()):
            if not room.lock.locked() and room.last_used < oldest and not (room.guest and room.guest.busy):
                await self._vacate(key)
        if not self._rooms:
            await self._spare.end()

    async def leave(self, origin: str) -> None:
        """This origin will not call again."""
        await asyncio.gather(*(self._vacate(key) for key in list(self._rooms) if key[1] == origin))

    async def close(self) -> None:
        await asyncio.gather(*(self._vacate(key) for key in list(self._rooms)), self._spare.end())

    def _usable(self, name: str) -> Installed:
        guest = self._installed.get(name)
        if guest is None or not guest.enabled:
            raise InvalidArgument(f"There is no guest {name!r}.")
        if guest.problem is not None:
            raise GuestFailed(guest.problem, suggestions=[f"`browser-pilot guest add {guest.source}`"])
        return guest

    def _environment(self, guest: Installed) -> dict[str, str]:
        environment = {variable.name: variable.value for variable in guest.manifest.environment}
        for wish in guest.manifest.secrets:
            value = self._secret_of(guest.name, wish.name)
            if value is not None:
                environment[wish.name] = value
            elif wish.required:
                raise GuestFailed(
                    f"The guest {guest.name} needs the secret {wish.name}.",
                    suggestions=[f"`browser-pilot guest secret {guest.name} {wish.name}` gives it."],
                )
        return environment

    async def _make_room(self, wanted: _Room) -> None:
        alive = {key: room for key, room in self._rooms.items() if room.guest is not None and room.guest.alive}
        if len(alive) < self._settings().max_running:
            return
        idle = [key for key, room in alive.items() if room is not wanted and room.guest and not room.guest.busy]
        if not idle:
            raise GuestFailed(
                f"{len(alive)} guests are at work, and no more may run.",
                suggestions=["Try again in a moment.", "guests.max_running in the settings allows more."],
            )
        await self._vacate(min(idle, key=lambda key: alive[key].last_used))

    async def _vacate(self, key: tuple[str, str]) -> None:
        room = self._rooms.pop(key, None)
        if room is not None and room.guest is not None:
            await room.guest.end()
