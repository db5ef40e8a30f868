"""All guests of a home: the installed ones, their tools, and the processes of those that run.

A guest starts at the first call of one of its tools, once per origin, so that nothing of one client's calls is in the
memory of another's guest. It stops when it is idle, when its files or their approval have changed, and with the hub. A
guest that fails is started again by the next call; other guests are not affected.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from browser_pilot.background_tasks import BackgroundTasks
from browser_pilot.config.settings import GuestSettings
from browser_pilot.errors import GuestFailed, InvalidArgument, PilotError
from browser_pilot.guests.host.host_requests import SecretOf
from browser_pilot.guests.installed.guest_loading import load_guest
from browser_pilot.guests.installed.guest_store import GuestStore, InstalledGuest
from browser_pilot.guests.installed.manifest import GuestTool

from .argument_validation import validate_arguments
from .call_context import CallContext
from .compiled_modules import CompiledModules, quickjs_module, wasm_module
from .cpu_throttle import Offenders
from .log_file import GuestLog
from .process import WarmProcess
from .running_guest import ReportProgress, RunningGuest

logger = logging.getLogger(__name__)

# JSON inside a JSON string: escaping may double a byte.
_JSON_EXPANSION = 3


class HostRequestHandler(Protocol):
    """Handles the guests' host requests."""

    async def handle(
        self, guest: InstalledGuest, context: CallContext | None, method: str, params: Mapping[str, Any]
    ) -> Mapping[str, Any]: ...


@dataclass(eq=False)
class _Instance:
    """One guest for one origin; ``lock`` keeps concurrent calls from starting it twice."""

    lock: asyncio.Lock
    guest: RunningGuest | None = None
    last_used: float = 0.0


class GuestManager:
    def __init__(
        self,
        home: Path,
        *,
        settings: Callable[[], GuestSettings],
        host: HostRequestHandler,
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
        self._installed: dict[str, InstalledGuest] = {}
        self._tools: Sequence[tuple[InstalledGuest, GuestTool]] = []
        self._instances: dict[tuple[str, str], _Instance] = {}
        self._warm_process = WarmProcess()
        self._offenders = Offenders(time.monotonic)
        self._refreshing = asyncio.Lock()
        self._background = BackgroundTasks("guests that are restarted")
        self._retired: set[RunningGuest] = set()

    @property
    def running(self) -> list[tuple[str, str, int]]:
        """Name, origin and process id of each."""
        return [
            (name, origin, instance.guest.pid)
            for (name, origin), instance in self._instances.items()
            if instance.guest is not None and instance.guest.alive
        ]

    @property
    def tools(self) -> Sequence[tuple[InstalledGuest, GuestTool]]:
        """The tools of enabled guests; another object whenever they have changed."""
        return self._tools

    async def refresh(self) -> bool:
        """Load guests that were added, changed or removed. True if any was."""
        async with self._refreshing:
            return await self._refresh()

    async def _refresh(self) -> bool:
        stamp = self.store.stamp()
        if stamp == self._stamp:
            return False
        loaded = await asyncio.gather(*(self._load(name) for name, _ in stamp))
        self._stamp = stamp
        before, self._installed = self._installed, {guest.name: guest for guest in loaded if guest is not None}
        usable = (guest for guest in self._installed.values() if guest.enabled and guest.problem is None)
        self._tools = [(guest, tool) for guest in usable for tool in guest.tools]
        changed = {name for name, guest in before.items() if self._installed.get(name) != guest}
        await asyncio.gather(*(self._stop(key) for key in list(self._instances) if key[0] in changed))
        return True

    async def _load(self, name: str) -> InstalledGuest | None:
        try:
            return await load_guest(self.store, name)
        except PilotError as error:
            logger.warning("%s", error.message)
            return None

    async def call(
        self,
        name: str,
        tool: GuestTool,
        arguments: Mapping[str, Any],
        context: CallContext,
        *,
        report_progress: ReportProgress | None = None,
    ) -> Mapping[str, Any]:
        """The guest's result of a tool call. Raises ``GuestFailed`` and ``InvalidArgument``."""
        await validate_arguments(tool.schema, arguments)
        params = {"name": tool.name, "arguments": dict(arguments)}
        return await self._request(name, "tools/call", params, context, report_progress)

    async def read_resource(self, name: str, uri: str, context: CallContext) -> Mapping[str, Any]:
        """The contents of a resource that the guest linked to. Raises ``GuestFailed`` and ``InvalidArgument``."""
        return await self._request(name, "resources/read", {"uri": uri}, context, None)

    async def _request(
        self,
        name: str,
        method: str,
        params: Mapping[str, Any],
        context: CallContext,
        report_progress: ReportProgress | None,
    ) -> Mapping[str, Any]:
        guest = self._usable(name)
        instance = self._instances.setdefault(
            (name, context.origin), _Instance(asyncio.Lock(), last_used=asyncio.get_running_loop().time())
        )
        async with instance.lock:
            if instance.guest is None or not instance.guest.alive:
                await self._evict_idle(instance)
                instance.guest = await self.start(guest)
        running = instance.guest
        try:
            return await running.request(
                method,
                params,
                timeout_seconds=self._settings().call_seconds,
                context=context,
                report_progress=report_progress,
            )
        finally:
            instance.last_used = asyncio.get_running_loop().time()
            if running.end_cause in ("cpu", "wall"):
                self._offenders.add(name)

    async def compile(self, guest: InstalledGuest) -> Path:
        """Compile its module; slow the first time."""
        if guest.manifest.kind == "js":
            return await self._modules.path_of(quickjs_module())
        return await self._modules.path_of(wasm_module(await asyncio.to_thread(guest.read_code)))

    async def start(self, guest: InstalledGuest) -> RunningGuest:
        code = await asyncio.to_thread(guest.read_code)
        settings = self._settings()
        is_script = guest.manifest.kind == "js"
        module = await self.compile(guest)
        log = GuestLog(self.store.log_path(guest.name), redact=self._redact)
        command = {
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
        max_line_bytes = (settings.output_kb << 10) * _JSON_EXPANSION
        process = await self._warm_process.take(max_line_bytes=max_line_bytes)
        process.send(command)

        async def serve(context: CallContext | None, method: str, params: Mapping[str, Any]) -> object:
            return await self._host.handle(guest, context, method, params)

        full_speed_seconds = self._offenders.full_speed_seconds(guest.name)
        running = RunningGuest(guest.name, process, serve, log, full_speed_seconds=full_speed_seconds)
        await running.start()
        if settings.keep_ready:
            self._warm_process.prepare(max_line_bytes=max_line_bytes)
        logger.info("guest %s runs as process %d", guest.name, running.pid)
        return running

    async def stop_idle(self) -> None:
        """Stop guests without calls for the idle time of the settings."""
        oldest = asyncio.get_running_loop().time() - self._settings().idle_minutes * 60
        for key, instance in list(self._instances.items()):
            if (
                not instance.lock.locked()
                and instance.last_used < oldest
                and not (instance.guest and instance.guest.busy)
            ):
                await self._stop(key)
        if not self._instances:
            await self._warm_process.close()

    def restart(self, name: str) -> int:
        """Let the next calls start the guest anew; its open calls are finished first. Returns how many ran."""
        ending = [self._instances.pop(key) for key in list(self._instances) if key[0] == name]
        guests = [instance.guest for instance in ending if instance.guest is not None and instance.guest.alive]
        for guest in guests:
            self._retired.add(guest)
            self._background.spawn(self._end_retired(guest))
        return len(guests)

    async def _end_retired(self, guest: RunningGuest) -> None:
        await guest.stop(when_idle=True)
        self._retired.discard(guest)

    async def stop_origin(self, origin: str) -> None:
        """Stop the guests of an origin that has ended."""
        await asyncio.gather(*(self._stop(key) for key in list(self._instances) if key[1] == origin))

    async def close(self) -> None:
        await self._background.close()
        await asyncio.gather(
            *(self._stop(key) for key in list(self._instances)),
            *(guest.stop() for guest in self._retired),
            self._warm_process.close(),
        )

    def _usable(self, name: str) -> InstalledGuest:
        guest = self._installed.get(name)
        if guest is None or not guest.enabled:
            raise InvalidArgument(f"There is no guest {name!r}.")
        if guest.problem is not None:
            raise GuestFailed(guest.problem, suggestions=[f"`browser-pilot guest add {guest.source}`"])
        return guest

    def _environment(self, guest: InstalledGuest) -> dict[str, str]:
        environment = {variable.name: variable.value for variable in guest.manifest.environment}
        for secret in guest.manifest.secrets:
            value = self._secret_of(guest.identity, secret.name)
            if value is None:
                value = secret.value
            if value is not None:
                environment[secret.name] = value
            elif secret.required:
                raise GuestFailed(
                    f"The guest {guest.name} needs the secret {secret.name}.",
                    suggestions=[f"`browser-pilot guest secret {guest.name} {secret.name}` sets it."],
                )
        return environment

    async def _evict_idle(self, starting: _Instance) -> None:
        alive = {
            key: instance
            for key, instance in self._instances.items()
            if instance.guest is not None and instance.guest.alive
        }
        if len(alive) < self._settings().max_running:
            return
        idle = [
            key
            for key, instance in alive.items()
            if instance is not starting and instance.guest and not instance.guest.busy
        ]
        if not idle:
            raise GuestFailed(
                f"{len(alive)} guests are busy, and no more may run.",
                suggestions=["Try again in a moment.", "guests.max_running in the settings allows more."],
            )
        await self._stop(min(idle, key=lambda key: alive[key].last_used))

    async def _stop(self, key: tuple[str, str]) -> None:
        instance = self._instances.pop(key, None)
        if instance is not None and instance.guest is not None:
            await instance.guest.stop()
