"""The composition root: builds the hub from its parts, runs it, and takes it down in order.

The hub's life: take the home's lock, clean up after a killed predecessor, listen, write the runtime file, serve until
told to stop (a signal, ``browser-pilot stop``, or idleness when an adapter started it), close browsers, leave nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import signal
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
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
from .egress import EgressProxy
from .engines.choice import EngineChoice
from .engines.managed import ManagedEngine
from .errors import PilotError
from .gateway import Gateway
from .gateway.journal import Journal
from .gateway.limits import Limits
from .gateway.secrets import SecretFilling
from .guest_browser import open_house
from .home import make_private_folder, write_private
from .in_force import InForce, RuleChange, keep_out_of_the_hub
from .leftovers import end_leftovers, temporary_folder
from .listening import HttpServer, Listening, bound_socket
from .locks import held
from .own_browsers import OwnBrowsers
from .policy.budgets import Budgets
from .policy.rules import Ruleset
from .records.activity import ActivityLog
from .records.entries import Note
from .records.keeping import adopt_logging, keep_records, retention_of
from .records.log_lines import redact_handlers
from .records.metrics import Metrics
from .records.redaction import Redactor
from .records.secrets import SecretStore
from .runtime import RuntimeInfo, read_runtime, remove_runtime, write_runtime
from .server.browsers_api import bridge_routes
from .server.clients import ClientList
from .server.guard import names_of
from .server.guest_tools import GuestRegistry, origin_of
from .server.guests_api import guest_routes
from .server.health import health_data
from .server.http import build_app, http_settings
from .server.local import LocalListener
from .server.mcp_server import build_server, run_tool
from .server.parking import Parking
from .server.resources import Resources
from .server.tab_logs import TabLogs
from .server.tools import REGISTRY
from .sessions.client import Client
from .sessions.registry import SessionRegistry

logger = logging.getLogger(__name__)

HTTP_CLOSE_SECONDS = 2
HOUSEKEEPING_SECONDS = 30.0
RECORDS_SECONDS = 3600.0


class HubRunning(PilotError):
    """Another hub has this home."""

    code = "HUB_RUNNING"


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
        self._engine = ManagedEngine(self._egress, guards_secrets=lambda: bool(self._secrets.values()))
        self._own = OwnBrowsers(
            home,
            settings=lambda: self.settings,
            rules=lambda: self._in_force.rules,
            reload=self.reload,
            note=lambda note: self._journal.note(note),
            driver=self._engine.driver,
        )
        self._sessions = SessionRegistry(EngineChoice(self._engine, self._own.engine), self._rules_for)
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
        )
        self._registry = GuestRegistry(REGISTRY, self._guests)
        self._resources = Resources()
        tab_logs = TabLogs(self._resources, REGISTRY, partial(run_tool, REGISTRY, self._gateway))
        self._resources.add(tab_logs)
        self._sessions.on_tab_news(tab_logs.note)
        self._clients = ClientList(settings, self._registry, self._close_client)
        vitals.add_gauges(
            self._metrics,
            clients=self._clients,
            sessions=self._sessions,
            engine=self._engine,
            approvals=self._approvals,
        )
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
        with self._only_one(), bound_socket(self.settings.hub.host, self.settings.hub.port) as (listener, note):
            self._clean_up()
            await self._open_records()
            token = _token(self.home)
            self._redactor.know([token])
            host, port = self.settings.hub.host, listener.getsockname()[1]
            self._in_force.add_built_in(keep_out_of_the_hub(host, port))
            self._own.tell_rules()
            app = build_app(
                registry=self._registry,
                gateway=self._gateway,
                clients=self._clients,
                approvals=self._approvals,
                parking=self._parking,
                resources=self._resources,
                more_routes=[*guest_routes(self._guests, self._refresh_guests), *bridge_routes(self._own.bridge)],
                token=token,
                hosts=names_of(host, port, self.settings.hub.allowed_hosts),
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
                keeping = tasks.create_task(self._keep_house())
                watching = tasks.create_task(self._in_force.watch(self._adopt))
                bridging = tasks.create_task(self._own.bridge.keep_house())
                warming = tasks.create_task(self._engine.warm())
                write_runtime(self.home, info)
                try:
                    yield Listening(info, note)
                finally:
                    remove_runtime(self.home, info.pid)
                    keeping.cancel()
                    watching.cancel()
                    bridging.cancel()
                    self._approvals.close()
                    warming.cancel()
                    await self._own.let_go()
                    http.should_exit = True
                    await local.close()
                    await asyncio.wait({serving}, timeout=HTTP_CLOSE_SECONDS + 1)
                    await self._guests.close()
                    await self._sessions.close()
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

    async def _refresh_guests(self) -> bool:
        """Take in what the user changed about guests, and tell clients of the tools that came or went."""
        changed = await self._guests.refresh()
        if changed:
            self._resources.tools_changed()
        return changed

    @contextlib.contextmanager
    def _only_one(self) -> Generator[None]:
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(held(self.home / "run" / "hub.lock"))
            except TimeoutError:
                other = read_runtime(self.home)
                where = f" (process {other.pid}, port {other.port})" if other else ""
                raise HubRunning(
                    f"A hub already runs in this home{where}.",
                    suggestions=["`browser-pilot status` shows it, `browser-pilot stop` ends it."],
                ) from None
            yield

    def _clean_up(self) -> None:
        orphans = end_leftovers(self.home)
        if orphans:
            logger.warning("ended %d browser processes that a killed hub had left", orphans)
        # Playwright and Chromium put their temporary profiles here, so that the next start can find and remove them.
        os.environ["TMPDIR"] = str(make_private_folder(temporary_folder(self.home)))

    async def _keep_egress(self) -> None:
        """Without its proxy a browser reaches nothing, so a proxy that ended is started again."""
        try:
            if await self._egress.keep_listening():
                logger.warning("the egress proxy had ended; it listens again")
        except OSError as error:
            logger.error("the egress proxy cannot listen at port %d: %s", self._egress.port, error.strerror)

    async def _keep_house(self) -> None:
        """End clients that went away without a word, and a hub that nobody needs; remove records that are too old."""
        loop = asyncio.get_running_loop()
        last_used = loop.time()
        records_due = loop.time()
        while True:
            idle_seconds = self.settings.hub.idle_minutes * 60
            self._clients.changed.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._clients.changed.wait(), min(HOUSEKEEPING_SECONDS, idle_seconds))
            self._limits.prune()
            await self._keep_egress()
            if loop.time() >= records_due:
                records_due = loop.time() + RECORDS_SECONDS
                await keep_records(self.home, self.settings.logging, self._log)
            await self._clients.expire(self.settings.sessions.idle_minutes * 60)
            await self._refresh_guests()
            await self._guests.end_idle()
            if len(self._clients):
                last_used = loop.time()
            elif self._detached and loop.time() - last_used >= idle_seconds:
                logger.info("nobody has needed the hub for %.1f minutes", idle_seconds / 60)
                self.stop()


def _token(home: Path) -> str:
    """The bearer token of this home: made once, so that clients' configurations stay valid."""
    path = home / "token"
    try:
        token = path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        token = ""
    if len(token) < 32:
        token = secrets.token_urlsafe(32)
        write_private(path, f"{token}\n")
    return token
