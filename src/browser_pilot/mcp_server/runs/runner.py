"""Executes the steps of a run, one after the other, and makes one result of them.

A step is a tool call like any other: the gateway limits, authorizes and records it. The runner adds the order, one
deadline (which does not count the time that the user takes), one token limit, and the changes of all actions together.
Lifecycle: one ``Runner`` per run.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from browser_pilot.audit_log.entries import RunStep
from browser_pilot.errors import PilotError, Timeout, error_data, unexpected_error
from browser_pilot.gateway import ToolContext
from browser_pilot.gateway.tool_call import Progress, UserWait, no_progress
from browser_pilot.mcp_server.tool_registry import CallRequest, StepScope, describe
from browser_pilot.mcp_server.tool_result import ToolResult, render
from browser_pilot.page.actions.outcome import Outcome
from browser_pilot.page.snapshot.token_budget import estimate_tokens
from browser_pilot.page.tab import Tab

from .result_references import fill_in
from .steps import ParsedStep

logger = logging.getLogger(__name__)

# What a picture costs a model, about.
IMAGE_TOKENS = 1_500
# Of the result's tokens, the part that is kept for what changed on the page.
CHANGES_SHARE = 4
MIN_CHANGES_TOKENS = 150


@dataclass(frozen=True)
class _Deferred:
    """The last action in a tab, whose changes the run has not shown yet, and what the actions before it did."""

    context: ToolContext
    outcome: Outcome


@dataclass
class Runner:
    """``read_changes`` returns what changed on the page since the client's last snapshot, after an action."""

    request: CallRequest
    steps: Sequence[ParsedStep]
    timeout_ms: int
    read_changes: Callable[[ToolContext, Outcome], Awaitable[dict[str, object]]]
    id: str = field(default_factory=lambda: secrets.token_hex(4))
    _parts: list[ToolResult] = field(default_factory=list[ToolResult])
    _results: dict[int, Mapping[str, object]] = field(default_factory=dict[int, Mapping[str, object]])
    _deferred: dict[Tab, _Deferred] = field(default_factory=dict["Tab", "_Deferred"])
    _user_wait: UserWait = field(default_factory=UserWait)
    _started: float = field(default_factory=time.monotonic)
    _tokens: int = 0

    async def run(self) -> ToolResult:
        stopped: tuple[ParsedStep, PilotError] | None = None
        for step in self.steps:
            try:
                await self._run_step(step)
            except PilotError as error:
                if not step.continues:
                    stopped = step, error
                    break
                await self._add(step, ToolResult(error_data(error)))
        data: dict[str, object] = {} if stopped is None else self._failure(*stopped)
        data["done"] = f"{len(self._results)} of {len(self.steps)}"
        changes = await self._changes()
        if stopped is None and len(changes) == 1:
            data |= changes.pop()
        code = None if stopped is None else stopped[1].code
        return ToolResult(data, parts=(*self._parts, *map(ToolResult, changes)), error_code=code)

    async def _run_step(self, step: ParsedStep) -> None:
        run_step = RunStep(self.id, step.number, len(self.steps))
        remaining_ms = self._remaining_ms()
        if remaining_ms <= 0:
            raise Timeout(
                f"The run did not finish within {self.timeout_ms} ms; this step was not begun.",
                suggestions=["Give a larger timeout_ms, or split it into several runs."],
            )
        await self.request.progress(step.number - 1, len(self.steps), f"step {step.number}: {step.tool.name}")
        request = replace(
            self.request,
            tool=step.tool,
            arguments=fill_in(step.arguments, self._results),
            progress=self._progress_of(step),
            step=StepScope(run_step, remaining_ms, self._tokens_left(), self._user_wait, self._defer),
        )
        try:
            result = await step.tool.run(request, step.tool.parse(request.arguments))
        except PilotError:
            raise
        except Exception:
            logger.exception("%s failed unexpectedly in %s", step.tool.name, run_step)
            raise unexpected_error(step.tool.name) from None
        safe = await result.safe(self.request.gateway.redactor)
        self._results[step.number] = safe.data
        await self._add(step, safe, is_safe=True)

    def _progress_of(self, step: ParsedStep) -> Progress:
        """A step's own progress, as a part of the run's."""
        if self.request.report_progress is None:
            return no_progress

        async def report(done: float, total: float | None, text: str) -> None:
            share = min(done / total, 1) if total else 0
            await self.request.progress(step.number - 1 + share, len(self.steps), f"step {step.number}: {text}")

        return report

    def _defer(self, context: ToolContext, outcome: Outcome) -> dict[str, object]:
        """Keep the outcome of an action until the end of the run; what it did besides is its result."""
        earlier = self._deferred.pop(context.tab, None)
        merged = outcome
        if earlier is not None:
            merged = replace(
                outcome,
                navigated=outcome.navigated or earlier.outcome.navigated,
                new_document=outcome.new_document or earlier.outcome.new_document,
            )
        self._deferred[context.tab] = _Deferred(context, merged)
        return replace(outcome, still_loading=()).facts()

    async def _changes(self) -> list[dict[str, object]]:
        """What the actions changed since the client's last snapshot of each tab."""
        found: list[dict[str, object]] = []
        for tab, deferred in self._deferred.items():
            if not tab.open or tab.dialogs.facts is not None:
                continue
            changes = await self._changes_in(deferred)
            found.append({"tab": tab.id, **changes} if len(self._deferred) > 1 else changes)
        return found

    async def _changes_in(self, deferred: _Deferred) -> dict[str, object]:
        context, outcome = deferred.context, deferred.outcome
        context.defer, context.token_limit = None, max(self._tokens_left(changes=True), MIN_CHANGES_TOKENS)
        last = Outcome(
            navigated=outcome.navigated, new_document=outcome.new_document, still_loading=outcome.still_loading
        )

        async def render_last() -> ToolResult:
            return ToolResult(await self.read_changes(context, last))

        try:
            result = await describe(self.request.gateway, context, render_last)
        except PilotError as error:
            return {"notices": [f"The page could not be read after the last step ({error.code})."]}
        self._tokens += _cost(result, self.request)
        return dict(result.data)

    async def _add(self, step: ParsedStep, result: ToolResult, *, is_safe: bool = False) -> None:
        """Add a step's result, unless there is nothing to say or no room for it."""
        if not is_safe:
            result = await result.safe(self.request.gateway.redactor)
        if result == ToolResult({}):
            return
        part = replace(result, data={"step": step.number, **result.data})
        cost = _cost(part, self.request)
        if cost > self._tokens_left():
            left_out = f"It was left out: it takes {cost} tokens, more than the run has left. Call it alone."
            part = ToolResult({"step": step.number, "notices": [left_out]})
            cost = _cost(part, self.request)
        self._tokens += cost
        self._parts.append(part)

    def _failure(self, step: ParsedStep, error: PilotError) -> dict[str, object]:
        """Where and why the run stopped. The run as a whole must not be repeated once a step is done."""
        place = {"tool": self.request.tool.name, "stopped_at": step.number, "step_tool": step.tool.name}
        data = {**error_data(error), **place}
        if self._results:
            data["retryable"] = False
            data["suggestions"] = [*error.suggestions, "The steps that are done stay done: run the rest only."]
        return data

    def _remaining_ms(self) -> int:
        spent = time.monotonic() - self._started - self._user_wait.seconds
        return self.timeout_ms - int(spent * 1000)

    def _tokens_left(self, *, changes: bool = False) -> int:
        limit = self.request.client.settings.tools.max_tokens
        return max(limit - self._tokens - (0 if changes else limit // CHANGES_SHARE), 0)


def _cost(result: ToolResult, request: CallRequest) -> int:
    text = render(result.data, request.client.settings.tools.format) + (result.page_text or "")
    content = () if result.guest is None else result.guest.to_mcp()
    texts = [getattr(block, "text", "") for block in content]
    return estimate_tokens("\n".join((text, *texts))) + IMAGE_TOKENS * (len(result.images) + texts.count(""))
