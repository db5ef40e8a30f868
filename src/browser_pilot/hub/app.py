"""The composition root: builds the hub from its parts, runs it, and takes it down in order.

The hub's life: take the home's lock, clean up after a killed predecessor, listen, write the runtime file, serve until
told to stop (a signal, ``browser-pilot stop``, or idleness when an adapter started it), close browsers, leave nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import signal
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from . import __version__, vitals
from .approvals.clearance import Clearance, rule_made_by
from .approvals.grants import SessionGrants
from .approvals.questions import Answer, Question
from .approvals.queue import ApprovalQueue
from .approvals.rules_store import RulesStore
from .config import Settings, load_settings
from .dashboard.desk import Desk
from .dashboard.routes import Dashboard, comes_from_a_file, needs_no_token
from .egress import EgressProxy
from .engines.choice import EngineChoice
from .engines.managed import ManagedEngine
from .engines.remote import RemoteEngine
from .errors import PilotError
from .files.store import clear_leftovers
from .gateway import Gateway
from .gateway.journal import Journal
from .gateway.limits import Limits
from .gateway.saving import Saving, words_of
from .gateway.secrets import SecretFilling
from .guest_browser import open_house
from .home import make_private_folder
from .housekeeping import Housekeeper
from .hub_token import hub_token
from .in_force import InForce, RuleChange, keep_out_of_the_hub
from .leftovers import end_leftovers, temporary_folder
from .listening import HttpServer, Listening, bound_socket
from .only_hub import the_only_hub
from .overview import Overview
from .own_browsers import OwnBrowsers
from .pages.transfers import Transfer
from .policy.budgets import Budgets
from .policy.rules import Ruleset
from .records.activity import ActivityLog
from .records.entries import Note
from .records.keeping import adopt_logging, retention_of
from .records.log_lines import redact_handlers
from .records.metrics import Metrics
from .records.redaction import Redactor
from .records.secrets import SecretStore
from .runtime import RuntimeInfo, remove_runtime, write_runtime
from .server.browsers_api import bridge_routes
from .server.clients import ClientList
from .server.downloads import DownloadFiles
from .server.guard import names_of
from .server.guest_tools import GuestRegistry, origin_of
from .server.guests_api import guest_routes
from .server.health import health_data
from .server.http import build_app, http_settings
from .server.local import LocalListener
from .server.mcp_server import build_server, run_tool
from .server.panel import Panel
from .server.parking import Parking
from .server.resources import Resources
from .server.tab_logs import TabLogs
from .server.tools import REGISTRY
from .sessions.client import Client
from .sessions.hosting import open_sessions
from .sessions.wishes import context_request

logger = logging.getLogger(__name__)

HTTP_CLOSE_SECONDS = 2


class Hub:
    """``load`` reads the settings again when their file has changed."""

    def __init__(
        self, settings: Settings, home: Path, *, detached: bool = False, load: Callable[[], Settings] | None = None
    ) -> None:
        self.home = home
        self._rules_store = RulesStore(home)
        self._load = load or (lambda: load_settings(home=home))
        self._in_force = InForce(
            settings, self._rules_store, home=home, load=self._load_usable, on_rule=self._note_rule
        )
        self._detached = detached
        self._started = time.time()
        self._stop = asyncio.Event()
        self._egress = EgressProxy()
        self._engine = ManagedEngine(
            self._egress,
            guards_secrets=lambda: bool(self._secrets.values()),
            spare_viewport=settings.browser.viewport if settings.sessions.warm else None,
            code_cache=home / "driver-cache",
        )
        self._own = OwnBrowsers(
            home,
            settings=lambda: self.settings,
            rules=lambda: self._in_force.rules,
            reload=self.reload,
            note=lambda note: self._journal.note(note),
            driver=self._engine.driver,
        )
        self._remote = RemoteEngine(self._engine.driver)
        engines = EngineChoice(self._engine, self._own.engine, self._remote)
        self._hosting = open_sessions(home, engines, self._rules_for, lambda: self.settings)
        self._sessions = self._hosting.sessions
        self._metrics = Metrics()
        self._approvals = ApprovalQueue(
            keep=self._keep_answer, on_event=lambda event: vitals.count_question(self._metrics, event)
        )
        self._grants = SessionGrants()
        self._parking = Parking()
        self._redactor = Redactor(emails=settings.redaction.email, phones=settings.redaction.phone)
        self._log = ActivityLog(home, self._redactor, retention=retention_of(settings.logging))
        self._secrets = SecretStore(home, self._redactor)
        budgets = Budgets()
        self._journal = Journal(self._log, budgets, self._metrics)
        self._limits = Limits()
        self._gateway = Gateway(
            sessions=self._sessions,
            clearance=Clearance(
                queue=self._approvals, grants=self._grants, rules=lambda: self._in_force.rules, budgets=budgets
            ),
            journal=self._journal,
            limits=self._limits,
            secrets=SecretFilling(self._secrets),
            redactor=self._redactor,
            count_call=self._hosting.count_call,
        )
        self._guests = open_house(
            home,
            gateway=self._gateway,
            approvals=self._approvals,
            rules=lambda: self._in_force.rules,
            settings=lambda: self.settings.guests,
            secrets=self._secrets,
            redactor=self._redactor,
            log=self._log,
            paired=lambda: self._own.bridge.is_paired,
        )
        self._sessions.keep_downloads(Saving(self._gateway).keep)
        self._registry = GuestRegistry(REGISTRY, self._guests)
        self._resources = Resources()
        tab_logs = TabLogs(self._resources, REGISTRY, partial(run_tool, REGISTRY, self._gateway))
        self._resources.add(tab_logs)
        self._sessions.on_tab_news(tab_logs.note)
        downloads = DownloadFiles(self._resources, REGISTRY, self._sessions.shelf_of, self._redactor)
        self._resources.add(downloads)
        self._sessions.on_transfer_end(downloads.note)
        self._sessions.on_transfer_end(self._note_download)
        self._sessions.on_closed(self._forget_session)
        self._clients = ClientList(settings, self._registry, self._close_client)
        overview = Overview(
            approvals=self._approvals,
            sessions=self._sessions,
            budgets=budgets,
            rules=lambda: self._in_force.rules,
            log=self._log,
        )
        self._own.bridge.desk = Panel(
            bridge=self._own.bridge,
            overview=overview,
            approvals=self._approvals,
            sessions=self._sessions,
            rules=lambda: self._in_force.rules,
            rules_store=self._rules_store,
            reload=self.reload,
        )
        desk = Desk(
            bridge=self._own.bridge,
            overview=overview,
            clients=lambda: (client.name for client in self._clients),
            health=self.health,
        )
        self._dashboard = Dashboard(home, desk, self._approvals, self._journal.note)
        self._housekeeper = Housekeeper(
            home,
            settings=lambda: self.settings,
            clients=self._clients,
            sessions=self._sessions,
            engine=self._engine,
            egress=self._egress,
            guests=self._guests,
            refresh_guests=self._refresh_guests,
            limits=self._limits,
            log=self._log,
            is_watched=lambda: self._dashboard.watchers > 0,
            on_unneeded=self.stop if detached else None,
        )
        sized = {"clients": self._clients, "sessions": self._sessions}
        vitals.add_gauges(self._metrics, **sized, engine=self._engine, approvals=self._approvals)
        REGISTRY.select(settings.tools.profile)

    @property
    def settings(self) -> Settings:
        """Those in force now."""
        return self._in_force.settings

    def stop(self) -> None:
        self._stop.set()

    def reload(self) -> PilotError | None:
        """Read settings and rules again; what is wrong with them, if anything."""
        self._in_force.reload()
        self._adopt(self._in_force.settings)
        return self._in_force.problem

    async def serve(
        self, on_ready: Callable[[Listening], None], *, beside: Callable[[Listening], Awaitable[None]] | None = None
    ) -> None:
        """Run until stopped. ``on_ready`` is called once everything listens; ``beside`` then runs until it ends."""
        loop = asyncio.get_running_loop()
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            with contextlib.suppress(NotImplementedError, AttributeError):
                loop.add_signal_handler(getattr(signal, name), self.stop)
        async with self.running() as listening:
            on_ready(listening)
            companion = asyncio.ensure_future(beside(listening)) if beside else None
            await self._stop.wait()
            if companion is not None:
                companion.cancel()
                await asyncio.wait({companion})
            logger.info("stopping")

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[Listening]:
        """A hub that serves while inside."""
        make_private_folder(self.home)
        with the_only_hub(self.home), bound_socket(self.settings.hub.host, self.settings.hub.port) as (listener, note):
            self._clean_up()
            await self._open_records()
            token = hub_token(self.home)
            self._redactor.know([token])
            host, port = self.settings.hub.host, listener.getsockname()[1]
            self._in_force.add_built_in(keep_out_of_the_hub(host, port, self.settings.hub.allowed_hosts))
            self._own.tell_rules()
            self._dashboard.listen(host, port)
            app = build_app(
                registry=self._registry,
                gateway=self._gateway,
                clients=self._clients,
                approvals=self._approvals,
                parking=self._parking,
                resources=self._resources,
                more_routes=[
                    *guest_routes(self._guests, self._refresh_guests),
                    *bridge_routes(self._own.bridge),
                    *self._dashboard.routes(),
                ],
                token=token,
                hosts=names_of(host, port, self.settings.hub.allowed_hosts),
                knows_visitors=needs_no_token,
                comes_from_a_file=comes_from_a_file,
                health=self.health,
                metrics=self._metrics,
                stop=self.stop,
                reload=self.reload,
            )
            self._own.engine.listen(host, port)
            local = LocalListener(
                token=token,
                clients=self._clients,
                replaceable=self._detached,
                server_for=lambda client: build_server(
                    self._registry, self._gateway, self._parking, self._metrics, self._resources, lambda _: client
                ),
                retire=self.stop,
            )
            await self._guests.refresh()
            address = await local.start(self.home)
            await self._egress.start()
            http = HttpServer(http_settings(app, close_seconds=HTTP_CLOSE_SECONDS))
            info = RuntimeInfo(os.getpid(), self._started, __version__, host, port, address, token, self._detached)
            async with asyncio.TaskGroup() as tasks:
                serving = tasks.create_task(http.serve(sockets=[listener]))
                chores = (
                    self._housekeeper.run(),
                    self._in_force.watch(self._adopt),
                    self._own.bridge.keep_house(),
                    self._warm(),
                    self._hosting.run(),
                )
                background = [tasks.create_task(chore) for chore in chores]
                # What start-up made stays: no collection of garbage need go through it again.
                gc.freeze()
                write_runtime(self.home, info)
                try:
                    yield Listening(info, note)
                finally:
                    remove_runtime(self.home, info.pid)
                    for task in background:
                        task.cancel()
                    self._approvals.close()
                    self._dashboard.close()
                    await self._own.let_go()
                    http.should_exit = True
                    await local.close()
                    await asyncio.wait({serving}, timeout=HTTP_CLOSE_SECONDS + 1)
                    await self._guests.close()
                    await self._hosting.close()
                    await self._remote.close()
                    await self._engine.close()
                    await self._egress.close()
                    await self._journal.settle()
                    await self._log.close()

    def health(self) -> dict[str, object]:
        facts = {
            "version": __version__,
            "uptime_seconds": round(time.time() - self._started, 1),
            "clients": len(self._clients),
            "sessions": len(self._sessions),
            "browsers": [
                {"kind": facts.kind, "version": facts.version, "sessions": facts.contexts}
                for facts in self._engine.facts()
            ],
            "approvals": {"open": len(self._approvals.pending), "watchers": self._approvals.watchers},
        }
        parts = (
            vitals.hub_part(),
            vitals.browsers_part(self._engine),
            vitals.settings_part(self._in_force.problem),
            vitals.log_part(self._log),
            vitals.approvals_part(self._approvals),
            vitals.egress_part(self._egress),
            vitals.secrets_part(self._secrets),
        )
        return health_data(facts, parts)

    def _rules_for(self, session: str) -> Ruleset:
        return self._grants.rules_for(session, self._in_force.rules)

    def _load_usable(self) -> Settings:
        settings = self._load()
        REGISTRY.select(settings.tools.profile)
        return settings

    def _adopt(self, settings: Settings) -> None:
        self._own.tell_rules()
        self._clients.adopt(settings)
        self._redactor.hide(emails=settings.redaction.email, phones=settings.redaction.phone)
        adopt_logging(settings.logging, self._log)

    async def _open_records(self) -> None:
        redact_handlers(logging.getLogger(), self._redactor)
        problem = await self._log.start()
        if problem is not None:
            logger.error("nothing can be done until the activity log can be written: %s", problem.message)
        await self._journal.restore()
        self._journal.note(Note(f"Browser Pilot {__version__} started."))

    def _note_rule(self, change: RuleChange) -> None:
        logger.info("the user changed the rule for %s: %s", change.pattern, change.after or "none")
        before, after = str(change.before or "none"), str(change.after or "none")
        self._journal.note(
            Note(f"The rule for {change.pattern} was changed.", by="user", details={"before": before, "after": after})
        )

    def _note_download(self, client: Client, transfer: Transfer) -> None:
        how = words_of(transfer.saved) if transfer.saved else f"{transfer.state}: {transfer.error}"
        self._journal.note(Note(f"Download {transfer.id} of {client.name}: {how}", details={"source": transfer.source}))

    def _keep_answer(self, question: Question, answer: Answer) -> None:
        rule = rule_made_by(question, answer)
        if rule is not None:
            self._rules_store.put(rule)
            self._in_force.reload()
            self._own.tell_rules()

    async def _close_client(self, client: Client) -> None:
        self._parking.drop(client.id)
        self._resources.drop(client)
        for session in self._sessions.ids_of(client):
            self._grants.forget(session)
        await self._guests.leave(origin_of(client.id))
        await self._gateway.close_client(client)
        await self._sessions.close_client(client)

    async def _warm(self) -> None:
        """The driver at once, and a browser when there is somebody to use it."""
        await self._engine.warm()
        await self._clients.arrived.wait()
        browser = self.settings.browser
        if self.settings.sessions.warm and browser.engine == "managed" and browser.user_data_dir is None:
            with contextlib.suppress(PilotError):
                await self._engine.prepare(context_request(self.settings))

    async def _refresh_guests(self) -> bool:
        """Take in what the user changed about guests, and tell clients of the tools that came or went."""
        changed = await self._guests.refresh()
        if changed:
            self._resources.tools_changed()
        return changed

    def _clean_up(self) -> None:
        orphans = end_leftovers(self.home)
        if orphans:
            logger.warning("ended %d browser processes that a killed hub had left", orphans)
        clear_leftovers(self.settings.files.download_dir)
        # Playwright and Chromium put their temporary profiles here, so that the next start can find and remove them.
        os.environ["TMPDIR"] = str(make_private_folder(temporary_folder(self.home)))

    async def _forget_session(self, session: str) -> None:
        self._grants.forget(session)
        await self._journal.forget_session(session)
