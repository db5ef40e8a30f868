"""The composition root: builds the parts of a hub, each from the ones before it. Nothing starts here.

Two parts that need each other share a third one that is created first: ``SessionEvents`` between the sessions and what
is built on them, ``UiBackend`` between the extension bridge and the side panel, ``LiveConfig`` between what changes the
rules and what applies them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from browser_pilot.approvals.authorizer import Authorizer, rule_from_decision
from browser_pilot.approvals.grants import SessionGrants
from browser_pilot.approvals.models import ApprovalDecision, PendingApproval
from browser_pilot.approvals.queue import ApprovalQueue
from browser_pilot.config.live_reload import CurrentConfig, LiveConfig
from browser_pilot.config.settings import Settings
from browser_pilot.config.user_rules import UserRulesStore
from browser_pilot.extension_bridge.ui_backend import UiBackend
from browser_pilot.gateway import Gateway
from browser_pilot.gateway.downloads import PageDownloads
from browser_pilot.gateway.guest_browser import create_guest_manager
from browser_pilot.gateway.inspector import Inspector
from browser_pilot.gateway.rate_limits import RateLimits
from browser_pilot.gateway.secret_injection import SecretInjector
from browser_pilot.guests.manager import GuestManager
from browser_pilot.mcp_server.client_registry import ClientRegistry
from browser_pilot.mcp_server.guest_tools import GuestRegistry, call_context, origin_of
from browser_pilot.mcp_server.pending_calls import PendingCalls
from browser_pilot.mcp_server.resources.download_resources import DownloadResources
from browser_pilot.mcp_server.resources.guest_resources import GuestResources
from browser_pilot.mcp_server.resources.resource_registry import ResourceRegistry
from browser_pilot.mcp_server.resources.tab_resources import TabResources
from browser_pilot.mcp_server.server import run_tool
from browser_pilot.mcp_server.tools import REGISTRY
from browser_pilot.policy.rules import Ruleset
from browser_pilot.sessions.client import Client
from browser_pilot.sessions.events import SessionEvents
from browser_pilot.sessions.wiring import SessionHosting, open_sessions
from browser_pilot.ui.approval_requests import ApprovalRequests
from browser_pilot.ui.dashboard.handlers import DashboardHandlers
from browser_pilot.ui.dashboard.routes import Dashboard
from browser_pilot.ui.side_panel import SidePanel
from browser_pilot.ui.state import UiState

from .browsers import Browsers, create_browsers
from .early_start import ManagedBrowsers
from .health_checks import HealthReport, count_approval
from .records import Records, create_records


@dataclass(frozen=True)
class Core:
    """What tool calls and user interfaces are built on. ``grants`` are the approvals for the rest of a session."""

    home: Path
    config: LiveConfig
    records: Records
    approvals: ApprovalQueue
    grants: SessionGrants
    browsers: Browsers
    hosting: SessionHosting


@dataclass(frozen=True)
class McpParts:
    """What serves MCP clients, on any transport."""

    gateway: Gateway
    limits: RateLimits
    guests: GuestManager
    registry: GuestRegistry
    resources: ResourceRegistry
    pending_calls: PendingCalls
    clients: ClientRegistry

    async def refresh_guests(self) -> bool:
        """Reload the installed guests, and notify clients when the list of tools has changed."""
        changed = await self.guests.refresh()
        if changed:
            self.resources.notify_tools_changed()
        return changed


def build_core(home: Path, settings: Settings, load: Callable[[], Settings], managed: ManagedBrowsers) -> Core:
    """``load`` reads the settings again when their file has changed. Raises ``SettingsError``."""
    _check_tool_profile(settings)
    records = create_records(home, settings)
    config = LiveConfig(
        settings, UserRulesStore(home), home=home, load=partial(_load_checked, load), on_rule=records.note_rule_change
    )
    approvals = ApprovalQueue(
        persist=partial(_store_rule_of, config), on_event=partial(count_approval, records.metrics)
    )
    ui = UiBackend(ApprovalRequests(approvals).pending_in_brief)
    browsers = create_browsers(home, config, records, ui, managed)
    config.subscribe(browsers.user_chrome.push_rules)
    grants = SessionGrants()
    hosting = open_sessions(home, browsers.engine, partial(_rules_for, grants, config), config, SessionEvents())
    return Core(
        home=home,
        config=config,
        records=records,
        approvals=approvals,
        grants=grants,
        browsers=browsers,
        hosting=hosting,
    )


def build_mcp(core: Core) -> McpParts:
    config, records, sessions = core.config, core.records, core.hosting.sessions
    limits = RateLimits()
    authorizer = Authorizer(queue=core.approvals, grants=core.grants, config=config, budgets=records.budgets)
    secrets = SecretInjector(records.secrets)
    gateway = Gateway(
        sessions=sessions,
        authorizer=authorizer,
        inspector=Inspector(core.home, authorizer, secrets, records.redactor),
        audit=records.audit,
        rate_limits=limits,
        secrets=secrets,
        count_call=core.hosting.count_call,
        wait_resumed=lambda session, seconds: core.browsers.user_chrome.engine.wait_resumed(session.request, seconds),
    )
    guests = create_guest_manager(
        core.home,
        gateway=gateway,
        approvals=core.approvals,
        config=config,
        secrets=records.secrets,
        redactor=records.redactor,
        log=records.log,
        paired=lambda: core.browsers.user_chrome.bridge.is_paired,
        parent_proxy=core.browsers.managed.egress.parent_proxy,
    )
    events = sessions.events
    events.handle_downloads(PageDownloads(gateway).save)
    events.on_closed(partial(_forget_session, core))
    resources = ResourceRegistry()
    tab_resources = TabResources(resources, REGISTRY, partial(run_tool, REGISTRY, gateway))
    resources.add(tab_resources)
    events.on_tab_change(tab_resources.on_tab_event)
    downloads = DownloadResources(resources, REGISTRY, sessions.downloads_of, records.redactor)
    resources.add(downloads)
    resources.add(GuestResources(guests, records.redactor, lambda client: call_context(client, "resources/read")))
    events.on_transfer_end(downloads.on_transfer_end)
    events.on_transfer_end(records.note_download)

    registry = GuestRegistry(REGISTRY, guests)
    pending_calls = PendingCalls()
    cleanup = _ClientCleanup(core, guests, resources, pending_calls)
    clients = ClientRegistry(config.settings, registry, cleanup.close)
    config.subscribe(_SettingsUpdate(config, clients, records).apply)
    return McpParts(
        gateway=gateway,
        limits=limits,
        guests=guests,
        registry=registry,
        resources=resources,
        pending_calls=pending_calls,
        clients=clients,
    )


def build_health(core: Core, clients: ClientRegistry) -> HealthReport:
    health = HealthReport(
        config=core.config,
        records=core.records,
        browsers=core.browsers,
        approvals=core.approvals,
        clients=clients,
        sessions=core.hosting.sessions,
    )
    health.add_gauges(core.records.metrics)
    return health


def build_ui(core: Core, clients: ClientRegistry, health: HealthReport) -> Dashboard:
    """The dashboard, and the side panel, which the extension bridge reaches through its ``UiBackend``."""
    config, records, approvals, sessions = core.config, core.records, core.approvals, core.hosting.sessions
    user_chrome = core.browsers.user_chrome
    bridge = user_chrome.bridge
    state = UiState(sessions=sessions, budgets=records.budgets, config=config, log=records.log)
    panel = SidePanel(
        bridge=bridge,
        state=state,
        approvals=approvals,
        grants=core.grants,
        sessions=sessions,
        clients=clients,
        config=config,
    )
    user_chrome.ui.register(panel.handlers)
    user_chrome.ui.on_presence(panel.presence_changed)
    user_chrome.ui.on_stop(panel.end_approvals)
    handlers = DashboardHandlers(
        bridge=bridge, state=state, approvals=ApprovalRequests(approvals), clients=clients, health=health.data
    )
    return Dashboard(core.home, handlers, approvals, records.audit.note)


def _check_tool_profile(settings: Settings) -> None:
    REGISTRY.select(settings.tools.profile)


def _load_checked(load: Callable[[], Settings]) -> Settings:
    settings = load()
    _check_tool_profile(settings)
    return settings


def _store_rule_of(config: LiveConfig, approval: PendingApproval, decision: ApprovalDecision) -> None:
    """Store the rule of an "always" or "block" decision."""
    rule = rule_from_decision(approval, decision)
    if rule is not None:
        config.put_rule(rule)


def _rules_for(grants: SessionGrants, config: CurrentConfig, session: str) -> Ruleset:
    return grants.rules_for(session, config.rules)


class _SettingsUpdate:
    """Applies changed settings to the parts that hold values derived from them."""

    def __init__(self, config: CurrentConfig, clients: ClientRegistry, records: Records) -> None:
        self._config = config
        self._clients = clients
        self._records = records
        self._applied = config.settings

    def apply(self) -> None:
        settings = self._config.settings
        if settings != self._applied:
            self._applied = settings
            self._clients.apply_settings(settings)
            self._records.apply_settings(settings)


async def _forget_session(core: Core, session: str) -> None:
    """Forget what was allowed for a session."""
    core.grants.forget(session)


@dataclass(frozen=True)
class _ClientCleanup:
    core: Core
    guests: GuestManager
    resources: ResourceRegistry
    pending_calls: PendingCalls

    async def close(self, client: Client) -> None:
        """Release everything of a client that has disconnected."""
        sessions = self.core.hosting.sessions
        self.pending_calls.cancel_client(client.id)
        self.resources.remove_client(client)
        for session in sessions.ids_of(client):
            self.core.grants.forget(session)
        await self.guests.stop_origin(origin_of(client.id))
        await sessions.close_client(client)
