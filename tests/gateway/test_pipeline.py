"""The call pipeline: the order of its steps, and how each way to end is reported, recorded and charged.

The log, the policy, the approvals and the budgets are real; the session and its tab are stand-ins without a browser.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import pytest_asyncio

from browser_pilot.approvals.authorizer import Authorizer
from browser_pilot.approvals.grants import SessionGrants
from browser_pilot.approvals.queue import ApprovalQueue, Subscription
from browser_pilot.audit_log.audit_log import AuditLog
from browser_pilot.audit_log.reader import AuditQuery
from browser_pilot.config.settings import PolicySettings, Settings
from browser_pilot.errors import (
    BrowserCrashed,
    BrowserDisconnected,
    DomainDenied,
    ElementChanged,
    ElementNotActionable,
    NavigationFailed,
    NoTab,
    OutcomeUnknown,
    PausedByUser,
    PilotError,
    RateLimited,
    StaleRef,
    Timeout,
)
from browser_pilot.gateway import Gateway, Location, Scope, ToolCall, ToolContext, action_preview, inspector, pipeline
from browser_pilot.gateway.audit import AuditTrail
from browser_pilot.gateway.inspector import Inspector
from browser_pilot.gateway.rate_limits import RateLimits
from browser_pilot.gateway.secret_injection import SecretInjector
from browser_pilot.metrics.prometheus import Metrics
from browser_pilot.page.actions.resolve import Target
from browser_pilot.page.actions.target_facts import InspectedElement, TargetSpec
from browser_pilot.page.downloads.downloadable import Downloadable, DownloadSpec
from browser_pilot.page.downloads.transfers import ExecutableFile
from browser_pilot.page.frames import Frame
from browser_pilot.policy.budgets import Budgets, client_account
from browser_pilot.policy.patterns import parse_pattern
from browser_pilot.policy.rules import Defaults, Rule, Ruleset
from browser_pilot.policy.sensitivity import ElementFacts
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.secrets.secret_store import SecretStore
from browser_pilot.sessions.client import Client
from tests.audit_log.logs import opened

URL = "https://shop.example/cart"
PAY = ElementFacts(role="button", name="Pay now", submits=True, form_action="https://shop.example/pay")
SEND = ElementFacts(role="button", name="Next")


@dataclass
class FakeTab:
    id: str = "t1"
    open: bool = True
    page: Any = field(default_factory=lambda: SimpleNamespace(url=URL))
    dialogs: Any = field(default_factory=lambda: SimpleNamespace(facts=None))
    tracker: Any = field(default_factory=lambda: SimpleNamespace(left_open=None))


@dataclass
class FakeSession:
    """Says what the pipeline asked of it, in order."""

    steps: list[str]
    crashes: bool = False
    id: str = "s1"
    engine: str = "managed"
    domains: Any = None
    file_saver: Any = None
    current: FakeTab = field(default_factory=FakeTab)
    # What the user's Pause leads to, after the approval number of this key.
    paused: dict[int, PilotError] = field(default_factory=dict[int, PilotError])
    waits: list[float] = field(default_factory=list[float])

    async def wait_resumed(self, _session: object, seconds: float) -> None:
        self.waits.append(seconds)
        error = self.paused.get(self.steps.count("ask"))
        if error is not None:
            raise error

    @contextmanager
    def in_use(self) -> Generator[None]:
        yield

    def tabs(self) -> Sequence[FakeTab]:
        return [self.current]

    def tab(self, _tab_id: str | None) -> FakeTab:
        self.steps.append("locate")
        return self.current

    async def tab_or_new(self, tab_id: str | None) -> FakeTab:
        self.steps.append("open tab")
        return self.current

    async def ready(self) -> None:
        pass

    def require_reload_acknowledged(self, _tab: FakeTab) -> None:
        pass

    async def was_crash(self, _tab: FakeTab, **_: bool) -> bool:
        return self.crashes

    def clear_crash_history(self, _tab: FakeTab) -> None:
        self.steps.append("clear crash history")

    def check_for_hang(self, _tab: FakeTab) -> None:
        self.steps.append("check for hang")

    def allow_navigation(self, _site: object) -> None:
        self.steps.append("allow navigation")

    async def block_in_urls(self, _values: object) -> None:
        self.steps.append("guard URLs")


@dataclass
class World:
    gateway: Gateway
    session: FakeSession
    log: AuditLog
    budgets: Budgets
    queue: ApprovalQueue
    limits: RateLimits
    steps: list[str]
    client: Client
    facts: list[ElementFacts]

    def call(self, **changes: Any) -> ToolCall:
        call = ToolCall(
            client=self.client,
            tool="browser_click",
            effect="write",
            arguments={"element": "e1"},
            timeout_ms=5_000,
            targets=(TargetSpec("e1"),),
        )
        return replace(call, **changes)

    async def run(self, call: ToolCall, execute: Callable[[ToolContext], Awaitable[Any]]) -> tuple[ToolContext, Any]:
        async def recorded(context: ToolContext) -> Any:
            self.steps.append("execute")
            return await execute(context)

        return await self.gateway.run(call, recorded)

    def recorded(self) -> list[dict[str, Any]]:
        return [cast("dict[str, Any]", action.flat()) for action in self.log.reader().search(AuditQuery())]


BUDGET = Defaults(step_budget=10)
RULES = {
    "allow": Ruleset((), BUDGET),
    "ask": Ruleset([Rule(pattern=parse_pattern("*"), write="ask")], BUDGET),
    "deny": Ruleset([Rule(pattern=parse_pattern("shop.example"), read="deny", write="deny")], BUDGET),
}


@pytest_asyncio.fixture
async def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    steps: list[str] = []
    facts = [SEND]

    async def inspect(_tab: object, specs: Sequence[TargetSpec]) -> tuple[InspectedElement, ...]:
        steps.append("inspect")
        fact = facts[0] if len(facts) == 1 else facts.pop(0)
        target = Target(Frame(0, "", None, URL, cast("Any", None)), "e1", "e1", fingerprint=fact.name)
        return tuple(InspectedElement(fact, target, "e1") for _ in specs)

    async def find(_tab: object, _spec: DownloadSpec) -> Downloadable:
        steps.append("inspect")
        return Downloadable(None, url="https://shop.example/file", page_url=URL)

    async def no_picture(*_: object) -> None:
        return None

    monkeypatch.setattr(inspector, "inspect_targets", inspect)
    monkeypatch.setattr(inspector, "find_downloadable", find)
    monkeypatch.setattr(action_preview, "element_preview", no_picture)
    async with opened(tmp_path / "log") as log:
        redactor, budgets, limits = Redactor(), Budgets(), RateLimits()
        queue = ApprovalQueue()
        session = FakeSession(steps)
        config: Any = SimpleNamespace(rules=RULES["allow"])

        def find_session(*_: object) -> FakeSession:
            return session

        sessions: Any = SimpleNamespace(find=find_session, config=config)

        async def count_call(*_: object) -> None:
            steps.append("admit")

        authorizer = Authorizer(queue=queue, grants=SessionGrants(), config=config, budgets=budgets)
        secrets = SecretInjector(SecretStore(tmp_path / "home", redactor))
        gateway = Gateway(
            sessions=sessions,
            authorizer=authorizer,
            inspector=Inspector(tmp_path / "home", authorizer, secrets, redactor),
            audit=RecordingAuditTrail(log, budgets, Metrics(), steps),
            rate_limits=limits,
            secrets=secrets,
            count_call=count_call,
            wait_resumed=session.wait_resumed,
        )
        client = Client("c1", Settings(policy=PolicySettings(rate_per_minute=100)))
        yield World(gateway, session, log, budgets, queue, limits, steps, client, facts)


class RecordingAuditTrail(AuditTrail):
    def __init__(self, log: AuditLog, budgets: Budgets, metrics: Metrics, steps: list[str]) -> None:
        super().__init__(log, budgets, metrics)
        self._steps = steps

    def effect(self, *args: Any, **kwargs: Any) -> Any:
        self._steps.append("record intent")
        return super().effect(*args, **kwargs)


async def succeed(_: ToolContext) -> str:
    return "done"


def use_rules(world: World, name: str) -> None:
    cast("Any", world.gateway.sessions).config.rules = RULES[name]


@asynccontextmanager
async def person_approves(world: World) -> AsyncGenerator[None]:
    """A person approves every request once."""

    async def approve(watcher: Subscription) -> None:
        while (event := await watcher.next()) is not None:
            if event.kind == "asked":
                world.steps.append("ask")
                world.queue.decide(event.approval.id, "once", channel="person")

    with world.queue.subscribe() as watcher:
        person = asyncio.create_task(approve(watcher))
        yield
        person.cancel()
        await asyncio.wait({person})


async def test_a_call_passes_every_step_in_order(world: World) -> None:
    context, result = await world.run(world.call(), succeed)
    assert result == "done"
    assert world.steps == ["admit", "locate", "inspect", "record intent", "execute", "clear crash history"]
    assert [target.fingerprint for target in context.action.targets] == ["Next"]
    (action,) = world.recorded()
    assert action["status"] == "ok"


async def test_after_an_approval_the_targets_are_inspected_again(world: World) -> None:
    use_rules(world, "ask")
    async with person_approves(world):
        context, _ = await world.run(world.call(), succeed)
    assert world.steps[2:6] == ["inspect", "ask", "inspect", "record intent"]
    assert context.action.approved


async def test_a_page_that_changes_after_the_approval_leads_to_another_request(world: World) -> None:
    use_rules(world, "ask")
    world.facts[:] = [SEND, PAY]
    async with person_approves(world):
        context, _ = await world.run(world.call(), succeed)
    assert world.steps.count("ask") == 2
    assert context.action.targets[0].fingerprint == "Pay now"


async def test_a_denied_call_is_recorded_and_not_executed(world: World) -> None:
    use_rules(world, "deny")
    with pytest.raises(DomainDenied):
        await world.run(world.call(), succeed)
    assert "execute" not in world.steps
    assert "inspect" not in world.steps, "nothing on a denied page is inspected"
    await cast("Any", world.gateway)._audit.flush()
    (action,) = world.recorded()
    assert (action["status"], action["decision"]) == ("refused", "deny")


async def test_a_call_that_the_user_paused_waits_within_its_time_and_is_recorded(world: World) -> None:
    world.session.paused = {0: PausedByUser("paused")}
    for call in (world.call(), world.call(url="https://shop.example/", scope=Scope.TAB_OR_NEW)):
        with pytest.raises(PausedByUser):
            await world.run(call, succeed)
    with pytest.raises(PausedByUser):
        await world.run(world.call(timeout_ms=600_000), succeed)
    assert world.session.waits == [5.0, 5.0, pipeline.MAX_PAUSE_SECONDS]
    assert "execute" not in world.steps
    await cast("Any", world.gateway)._audit.flush()
    assert [(action["status"], action["error"]) for action in world.recorded()] == [("refused", "PAUSED_BY_USER")] * 3


async def test_an_approval_during_a_pause_does_not_act_before_the_user_resumes(world: World) -> None:
    use_rules(world, "ask")
    world.session.paused = {1: PausedByUser("paused")}
    async with person_approves(world):
        with pytest.raises(PausedByUser):
            await world.run(world.call(), succeed)
    assert world.steps[-2:] == ["inspect", "ask"]
    await cast("Any", world.gateway)._audit.flush()
    (action,) = world.recorded()
    assert action["status"] == "refused"


async def test_a_pause_after_input_was_sent_leaves_the_outcome_unknown(world: World) -> None:
    async def execute(context: ToolContext) -> None:
        context.action.sent = True
        raise PausedByUser("paused")

    with pytest.raises(OutcomeUnknown):
        await world.run(world.call(), execute)


async def test_the_rate_limit_comes_first(world: World) -> None:
    world.client.settings = Settings(policy=PolicySettings(rate_per_minute=1))
    await world.run(world.call(), succeed)
    world.steps.clear()
    with pytest.raises(RateLimited):
        await world.run(world.call(), succeed)
    assert world.steps == []


async def test_a_target_that_changed_is_authorized_again_and_charged_once(world: World) -> None:
    failures = [ElementChanged("changed"), ElementChanged("changed")]

    async def execute(_: ToolContext) -> str:
        if failures:
            raise failures.pop()
        return "done"

    await world.run(world.call(), execute)
    assert world.steps.count("inspect") == 3
    assert world.budgets.used(client_account(world.client.identity)) == 1


@pytest.mark.parametrize(
    ("element", "attempts"),
    [
        ("#pay", 2),
        ("role=button", 2),
        ({"role": "button", "name": "Pay now"}, 2),
        ({"css": "#pay", "at": [1, 2]}, 2),
        ("e1", 1),
        ("@e1", 1),
        ({"ref": "f2e4"}, 1),
        ({"index": 3}, 1),
        (None, 1),
    ],
)
async def test_an_element_that_is_gone_is_resolved_again_if_it_was_named_by_a_selector(
    world: World, element: Any, attempts: int
) -> None:
    failures = [StaleRef("gone")]

    async def execute(_: ToolContext) -> str:
        if failures:
            raise failures.pop()
        return "done"

    call = world.call(targets=(TargetSpec(element),))
    if attempts == 1:
        with pytest.raises(StaleRef):
            await world.run(call, execute)
    else:
        await world.run(call, execute)
    assert world.steps.count("execute") == attempts
    assert world.budgets.used(client_account(world.client.identity)) == (0 if attempts == 1 else 1)


async def test_an_element_that_is_gone_after_input_was_sent_is_not_resolved_again(world: World) -> None:
    async def execute(context: ToolContext) -> None:
        context.action.sent = True
        raise StaleRef("gone")

    with pytest.raises(StaleRef):
        await world.run(world.call(targets=(TargetSpec("#pay"),)), execute)
    assert world.steps.count("execute") == 1


async def test_a_page_that_changes_its_targets_without_end_is_given_up(world: World) -> None:
    async def execute(_: ToolContext) -> None:
        raise ElementChanged("changed")

    with pytest.raises(ElementChanged):
        await world.run(world.call(), execute)
    assert world.steps.count("execute") == pipeline.MAX_ATTEMPTS
    assert world.budgets.used(client_account(world.client.identity)) == 0


async def test_an_executable_file_is_authorized_as_one(world: World) -> None:
    async def execute(context: ToolContext) -> str:
        if context.call.executable != "sh":
            raise ExecutableFile("sh")
        return context.authorization.preview.request.executable_type

    call = world.call(tool="browser_download", effect="download", targets=(), download=DownloadSpec(url="x"))
    async with person_approves(world):
        _, runs = await world.run(call, execute)
    assert runs == "sh"


async def test_the_tab_of_a_navigation_is_opened_after_the_authorization(world: World) -> None:
    call = world.call(tool="browser_navigate", effect="navigate", targets=(), url=URL, scope=Scope.TAB_OR_NEW)
    context, _ = await world.run(call, succeed)
    assert context.url == URL
    assert world.steps == ["admit", "record intent", "open tab", "allow navigation", "execute", "clear crash history"]


@dataclass(frozen=True)
class Interruption:
    """What happens during ``execute``, before or after input was sent, and what must be reported."""

    error: PilotError | None
    sent: bool
    code: str
    retryable: bool
    effect: str = "write"
    crashes: bool = False


INTERRUPTIONS = {
    "deadline before input": Interruption(None, False, "TIMEOUT", True),
    "deadline after input": Interruption(None, True, "OUTCOME_UNKNOWN", False),
    "deadline of a read that scrolled": Interruption(None, True, "TIMEOUT", True, effect="read"),
    "page timeout before input": Interruption(Timeout("slow"), False, "TIMEOUT", True),
    "page timeout after input": Interruption(Timeout("slow"), True, "OUTCOME_UNKNOWN", False),
    "crash before input": Interruption(NoTab("gone"), False, "BROWSER_CRASHED", True, crashes=True),
    "crash after input": Interruption(NoTab("gone"), True, "OUTCOME_UNKNOWN", False, crashes=True),
    "page crash after input": Interruption(BrowserCrashed("gone"), True, "OUTCOME_UNKNOWN", False),
    "closed tab": Interruption(NoTab("closed"), True, "NO_TAB", False),
    "lost Chrome before input": Interruption(BrowserDisconnected("lost"), False, "BROWSER_DISCONNECTED", True),
    "lost Chrome after input": Interruption(BrowserDisconnected("lost"), True, "OUTCOME_UNKNOWN", False),
    "unknown already": Interruption(OutcomeUnknown("lost"), False, "OUTCOME_UNKNOWN", False),
    "covered": Interruption(ElementNotActionable("covered"), False, "ELEMENT_NOT_ACTIONABLE", True),
    "network": Interruption(NavigationFailed("refused"), True, "NAVIGATION_FAILED", True),
}


@pytest.mark.parametrize("name", INTERRUPTIONS)
async def test_an_interruption_is_reported_truthfully(world: World, name: str) -> None:
    given = INTERRUPTIONS[name]
    world.session.crashes = given.crashes

    async def execute(context: ToolContext) -> None:
        context.action.sent = given.sent
        if given.error is None:
            await asyncio.Event().wait()
        raise cast("PilotError", given.error)

    call = world.call(effect=given.effect, timeout_ms=50 if given.error is None else 5_000)
    with pytest.raises(PilotError) as raised:
        await world.run(call, execute)
    assert (raised.value.code, raised.value.retryable) == (given.code, given.retryable)
    assert raised.value.metadata["tool"] == "browser_click"
    if given.code == "OUTCOME_UNKNOWN" and given.error is None:
        assert "browser_snapshot" in raised.value.suggestions[0]
    await cast("Any", world.gateway)._audit.flush()
    assert {action["error"] for action in world.recorded()} == {given.code}
    hung = given.error is None or isinstance(given.error, Timeout)
    assert ("check for hang" in world.steps) is hung


async def test_a_read_is_repeated_once_after_a_crash_and_an_effect_never(world: World) -> None:
    world.session.crashes = True
    failures = [NoTab("gone")]

    async def execute(_: ToolContext) -> str:
        if failures:
            raise failures.pop()
        return "page"

    _, result = await world.run(world.call(effect="read", targets=()), execute)
    assert result == "page"
    failures.append(NoTab("gone"))
    with pytest.raises(BrowserCrashed):
        await world.run(world.call(), execute)


async def test_a_cancelled_call_is_recorded_as_cancelled(world: World) -> None:
    begun = asyncio.Event()

    async def execute(_: ToolContext) -> None:
        begun.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(world.run(world.call(), execute))
    await asyncio.wait_for(begun.wait(), 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (action,) = world.recorded()
    assert action["status"] == "cancelled"


async def test_rendering_runs_after_the_outcome_is_recorded_and_has_time_of_its_own(world: World) -> None:
    context, result = await world.run(world.call(timeout_ms=50), succeed)
    (action,) = world.recorded()
    assert action["status"] == "ok"
    context.started -= 60

    async def rendering() -> str:
        await asyncio.sleep(0.1)
        return f"{result} and rendered"

    assert await world.gateway.render(context, rendering()) == "done and rendered"


async def test_a_page_that_cannot_be_rendered_in_time_is_checked_for_a_hang(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "MIN_RENDER_MS", 50)
    context, _ = await world.run(world.call(timeout_ms=50), succeed)
    context.unresponsive = True
    world.steps.clear()
    with pytest.raises(Timeout):
        await world.gateway.render(context, cast("Any", asyncio.Event().wait()))
    assert world.steps == ["check for hang"]


async def test_a_planned_session_is_authorized_without_being_opened(world: World) -> None:
    call = world.call(tool="browser_session", effect="navigate", targets=(), scope=Scope.PLANNED_SESSION)
    location = Location(cast("Any", world.session))
    await world.gateway.run(call, succeed, location=location)
    assert world.steps == ["admit", "record intent"]
