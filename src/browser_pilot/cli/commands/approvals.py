"""`browser-pilot approvals`, `approve` and `deny`: the approval channel of the command line."""

from __future__ import annotations

import json
import time
from http.client import HTTPException
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel, TypeAdapter, ValidationError

from browser_pilot.cli.hub_control import ErrorBody, send_request
from browser_pilot.cli.output import SUCCESS, AsJson, print_json, print_line, print_table
from browser_pilot.errors import HubUnavailable, PilotError
from browser_pilot.home import locate_home
from browser_pilot.hub_discovery.runtime_file import RuntimeInfo, read_runtime

CHANNEL = "command line"


class ShownRunStep(BaseModel):
    run: str
    number: int
    steps: int


class ShownApproval(BaseModel):
    """A pending approval in the hub's HTTP API."""

    id: str
    client_name: str
    tool: str
    what: str
    site: str
    values: dict[str, str]
    steps: list[str]
    run_step: ShownRunStep | None = None
    about: str
    risk: str
    reason: str
    rule: str
    receiver: str = ""
    receiver_is_other_site: bool = False
    form: dict[str, str] = {}
    amount: str = ""
    changes: list[str] = []
    choices: list[str]
    labels: dict[str, str] = {}
    always_label: str = ""
    undo_always: str = ""
    expires_at: float

    @property
    def title(self) -> str:
        return self.what if self.about == "site" else f"{self.what} on {self.site}"

    @property
    def details(self) -> list[str]:
        """Everything that is approved beyond the title, in full."""
        step = self.run_step
        run = [] if step is None else [f"Step {step.number} of {step.steps} of run {step.run}"]
        steps = [f"{number}. {step}" for number, step in enumerate(self.steps, 1)]
        values = [f"{name}: {value}" for name, value in self.values.items()]
        to = "ANOTHER SITE: " if self.receiver_is_other_site else ""
        receiver = [f"Sends a form to {to}{self.receiver}"] if self.receiver else []
        amount = [f"Amount: {self.amount}"] if self.amount else []
        form = [f"  {name}: {value}" for name, value in self.form.items()]
        changes = [f"Changed since you agreed: {change}" for change in self.changes]
        return [*changes, *run, *steps, *values, *receiver, *amount, *form]


APPROVALS = TypeAdapter(list[ShownApproval])


class DecisionRejected(PilotError):
    """The hub rejected a decision, usually because another came first."""

    code = "NOT_OPEN"


def approvals(
    watch: Annotated[
        bool, typer.Option("--watch", help="Keep running, show approvals as they arrive, decide by key.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the approvals that wait for your decision."""
    home = locate_home()
    if watch:
        from browser_pilot.cli.approvals_watch import watch_approvals

        watch_approvals(home, as_json=as_json)
        return
    body = _request(home, "GET", "/api/approvals")
    if as_json:
        print_json(json.loads(body))
        return
    pending = APPROVALS.validate_json(body)
    if not pending:
        print_line("No approvals are pending.")
        return
    now = time.time()
    rows = [(one.id, one.title, one.risk, one.client_name, f"{max(0, one.expires_at - now):.0f} s") for one in pending]
    print_table(["Id", "Action", "Risk", "Requested by", "Time left"], rows, right=frozenset({4}))
    for one in pending:
        for line in one.details:
            print_line(f"{one.id}  {line}")
    print_line("Decide with `browser-pilot approve ID` or `browser-pilot deny ID`.")


ApprovalId = Annotated[str, typer.Argument(metavar="ID", help="The id that `browser-pilot approvals` shows.")]


def approve(
    approval: ApprovalId,
    session: Annotated[bool, typer.Option("--session", help="Allow it for the rest of the agent's session.")] = False,
    always: Annotated[bool, typer.Option("--always", help="Always allow it on this site; writes a rule.")] = False,
) -> None:
    """Approve an action: once, or for longer with an option."""
    if session and always:
        raise typer.BadParameter("--session and --always cannot be combined")
    send_decision(locate_home(), approval, "always" if always else "session" if session else "once")
    print_line(SUCCESS, f" Allowed{' always' if always else ' for this session' if session else ''}.")
    if always:
        print_line("`browser-pilot policy show` lists the rule, `browser-pilot policy forget SITE` removes it.")


def deny(
    approval: ApprovalId,
    block: Annotated[bool, typer.Option("--block", help="Block the whole site; writes a rule.")] = False,
) -> None:
    """Deny an action."""
    send_decision(locate_home(), approval, "block" if block else "deny")
    print_line(SUCCESS, " Denied; the site is blocked." if block else " Denied.")


def send_decision(home: Path, approval_id: str, choice: str) -> None:
    """Send a decision; raises ``DecisionRejected`` when it comes too late."""
    if not approval_id.isalnum():
        raise DecisionRejected(f"There is no approval {approval_id!r}.")
    _request(home, "POST", f"/api/approvals/{approval_id}", {"choice": choice, "door": CHANNEL})


def _request(home: Path, method: str, path: str, body: dict[str, str] | None = None) -> bytes:
    info = _hub(home)
    try:
        status, content = send_request(info, method, path, body=None if body is None else json.dumps(body).encode())
    except (OSError, HTTPException):
        raise _no_hub() from None
    if status == 200:
        return content
    try:
        error = ErrorBody.model_validate_json(content)
    except ValidationError:
        raise HubUnavailable(f"The hub responded with HTTP status {status}.") from None
    raise DecisionRejected(error.message, suggestions=error.suggestions)


def _hub(home: Path) -> RuntimeInfo:
    info = read_runtime(home)
    if info is None:
        raise _no_hub()
    return info


def _no_hub() -> HubUnavailable:
    return HubUnavailable(
        "No hub is running, so no approvals can be pending.",
        suggestions=["`browser-pilot serve` starts one; an MCP client that runs `browser-pilot` starts one as well."],
    )
