"""The hub process: starts the parts that ``wiring`` builds, serves until it is stopped, and shuts down in order.

Lifecycle: in a home that is claimed (``early_start``) listen, write the runtime file, serve until stopped (by a
signal, by ``browser-pilot stop``, or by idleness when an adapter started the hub), close the browsers.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import signal
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware

from browser_pilot import __version__
from browser_pilot.config.live_reload import self_protection_rules
from browser_pilot.config.settings import Settings, load_settings
from browser_pilot.http_api.approvals import approval_routes
from browser_pilot.http_api.auth_middleware import AuthMiddleware, accepted_hosts
from browser_pilot.http_api.browsers import bridge_routes
from browser_pilot.http_api.guests import guest_routes
from browser_pilot.http_api.hub_control import hub_routes
from browser_pilot.hub_discovery.bearer_token import hub_token
from browser_pilot.hub_discovery.runtime_file import RuntimeInfo, remove_runtime, write_runtime
from browser_pilot.mcp_server.server import PilotServer, build_server
from browser_pilot.mcp_server.transports.local_socket import LocalListener
from browser_pilot.mcp_server.transports.streamable_http import StreamableHttp
from browser_pilot.policy.labels import prepare_labels
from browser_pilot.sessions.client import Client
from browser_pilot.ui.dashboard.routes import allows_null_origin, is_token_exempt

from .early_start import ManagedBrowsers
from .http_listener import HttpServer, HubEndpoint, bound_socket, uvicorn_config
from .maintenance import IdleShutdown, Job, Maintenance
from .maintenance_jobs import maintenance_jobs
from .wiring import build_core, build_health, build_mcp, build_ui

logger = logging.getLogger(__name__)

HTTP_CLOSE_SECONDS = 2


class Hub:
    """``detached`` means started by an adapter: such a hub stops when idle, and a newer version may replace it.

    ``load`` reads the settings again when their file has changed.
    """

    def __init__(
        self,
        settings: Settings,
        home: Path,
        managed: ManagedBrowsers,
        *,
        detached: bool = False,
        load: Callable[[], Settings] | None = None,
    ) -> None:
        self.home = home
        self._detached = detached
        self._started = time.time()
        self._stop = asyncio.Event()
        self._core = build_core(home, settings, load or partial(load_settings, home=home), managed)
        self._mcp = build_mcp(self._core)
        self._health = build_health(self._core, self._mcp.clients)
        self._dashboard = build_ui(self._core, self._mcp.clients, self._health)

    def stop(self) -> None:
        self._stop.set()

    async def serve(
        self,
        on_ready: Callable[[HubEndpoint], None],
        *,
        companion: Callable[[HubEndpoint], Awaitable[None]] | None = None,
    ) -> None:
        """Run until stopped. Calls ``on_ready`` once the hub listens, and then runs ``companion`` next to it."""
        loop = asyncio.get_running_loop()
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            with contextlib.suppress(NotImplementedError, AttributeError):
                loop.add_signal_handler(getattr(signal, name), self.stop)
        async with self.running() as listening:
            on_ready(listening)
            companion_task = asyncio.ensure_future(companion(listening)) if companion else None
            await self._stop.wait()
            if companion_task is not None:
                companion_task.cancel()
                await asyncio.wait({companion_task})
            logger.info("stopping")

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[HubEndpoint]:
        """The hub serves inside this context."""
        core, mcp, settings = self._core, self._mcp, self._core.config.settings
        with bound_socket(settings.hub.host, settings.hub.port, is_chosen=settings.hub.is_port_chosen) as (
            listener,
            notice,
        ):
            await core.records.start()
            token = hub_token(self.home)
            core.records.redactor.add_secrets([token])
            host, port = settings.hub.host, listener.getsockname()[1]
            core.config.add_built_in(self_protection_rules(host, port, settings.hub.allowed_hosts))
            self._dashboard.listen(host, port)
            core.browsers.user_chrome.engine.set_address(host, port)
            http = HttpServer(uvicorn_config(self._http_app(token, host, port), close_seconds=HTTP_CLOSE_SECONDS))
            local = self._local_listener(token)
            await mcp.guests.refresh()
            address = await local.start(self.home)
            info = RuntimeInfo(os.getpid(), self._started, __version__, host, port, address, token, self._detached)
            async with asyncio.TaskGroup() as tasks:
                serving = tasks.create_task(http.serve(sockets=[listener]))
                background = [tasks.create_task(work) for work in self._background_work()]
                # Objects of the start-up stay alive: garbage collections need not visit them.
                gc.freeze()
                write_runtime(self.home, info)
                try:
                    yield HubEndpoint(info, notice)
                finally:
                    remove_runtime(self.home, info.pid)
                    for task in background:
                        task.cancel()
                    core.approvals.close()
                    self._dashboard.close()
                    await core.browsers.user_chrome.detach()
                    http.should_exit = True
                    await local.close()
                    await asyncio.wait({serving}, timeout=HTTP_CLOSE_SECONDS + 1)
                    await mcp.guests.close()
                    await core.hosting.close()
                    await core.browsers.close()
                    await core.records.close()

    def _http_app(self, token: str, host: str, port: int) -> Starlette:
        core, mcp, metrics = self._core, self._mcp, self._core.records.metrics
        http = StreamableHttp(mcp.registry, mcp.gateway, mcp.pending_calls, metrics, mcp.resources, mcp.clients)

        @asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncGenerator[None]:
            async with http.run():
                yield

        return Starlette(
            routes=[
                http.route,
                *hub_routes(
                    health=self._health.data,
                    metrics=metrics,
                    clients=mcp.clients,
                    stop=self.stop,
                    reload=core.config.reload,
                ),
                *approval_routes(core.approvals),
                *guest_routes(mcp.guests, mcp.refresh_guests),
                *bridge_routes(core.browsers.user_chrome.bridge),
                *self._dashboard.routes(),
            ],
            middleware=[
                Middleware(
                    AuthMiddleware,
                    token=token,
                    hosts=accepted_hosts(host, port, core.config.settings.hub.allowed_hosts),
                    is_token_exempt=is_token_exempt,
                    allows_null_origin=allows_null_origin,
                )
            ],
            lifespan=lifespan,
        )

    def _local_listener(self, token: str) -> LocalListener:
        mcp, metrics = self._mcp, self._core.records.metrics

        def server_for(client: Client) -> PilotServer:
            return build_server(mcp.registry, mcp.gateway, mcp.pending_calls, metrics, mcp.resources, lambda _: client)

        return LocalListener(
            token=token,
            clients=mcp.clients,
            replaceable=self._detached,
            server_for=server_for,
            retire=self.stop,
        )

    def _background_work(self) -> list[Coroutine[Any, Any, None]]:
        core, mcp = self._core, self._mcp
        jobs = maintenance_jobs(core, mcp)
        if self._detached:
            idle = IdleShutdown(config=core.config, in_use=self._in_use, stop=self.stop)
            jobs.append(Job("stop an idle hub", idle.check))
        return [
            Maintenance(jobs, wake=mcp.clients.changed, config=core.config).run(),
            core.config.watch(),
            core.browsers.user_chrome.bridge.run_maintenance(),
            core.browsers.warm(mcp.clients),
            asyncio.to_thread(prepare_labels),
            core.hosting.run(),
        ]

    def _in_use(self) -> bool:
        return len(self._mcp.clients) > 0 or self._dashboard.watchers > 0
