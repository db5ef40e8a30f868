"""`browser-pilot approvals`, `approve` and `deny`: the door to an agent's questions on the command line."""

from __future__ import annotations

import json
import time
from http.client import HTTPException
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel, TypeAdapter, ValidationError

from ..errors import HubUnavailable, PilotError
from ..home import locate_home
from ..runtime import RuntimeInfo, read_runtime
from .hub import ask
from .output import GOOD, AsJson, print_json, print_table, say

DOOR = "command line"


class ShownQuestion(BaseModel):
    """A question as the hub tells it."""

    id: str
    client_name: str
    tool: str
    what: str
    site: str
    values: dict[str, str]
    steps: list[str]
    about: str
    risk: str
    reason: str
    rule: str
    choices: list[str]
    labels: dict[str, str] = {}
    expires_at: float

    @property
    def title(self) -> str:
        return self.what if self.about == "site" else f"{self.what} on {self.site}"


QUESTIONS = TypeAdapter(list[ShownQuestion])


class _Refusal(BaseModel):
    error: str
    message: str
    suggestions: list[str] = []


class AnswerRefused(PilotError):
    """The hub did not take an answer, mostly because another was first."""

    code = "NOT_OPEN"


def approvals(
    watch: Annotated[bool, typer.Option("--watch", help="Stay, show questions as they come, answer by key.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the questions that wait for your answer."""
    home = locate_home()
    if watch:
        from .watch import watch_questions

        watch_questions(home, as_json=as_json)
        return
    body = _request(home, "GET", "/api/approvals")
    if as_json:
        print_json(json.loads(body))
        return
    questions = QUESTIONS.validate_json(body)
    if not questions:
        say("Nothing waits for your answer.")
        return
    now = time.time()
    rows = [
        (one.id, one.title, one.risk, one.client_name, f"{max(0, one.expires_at - now):.0f} s") for one in questions
    ]
    print_table(["Id", "What", "Risk", "Asked by", "Left"], rows, right=frozenset({4}))
    say("Answer with `browser-pilot approve ID` or `browser-pilot deny ID`.")


QuestionId = Annotated[str, typer.Argument(metavar="ID", help="As `browser-pilot approvals` shows it.")]


def approve(
    question: QuestionId,
    session: Annotated[bool, typer.Option("--session", help="For the rest of the agent's session.")] = False,
    always: Annotated[bool, typer.Option("--always", help="Always on this site; writes a rule.")] = False,
) -> None:
    """Say yes to a question: once, unless you say for how long."""
    if session and always:
        raise typer.BadParameter("--session and --always do not go together")
    answer(locate_home(), question, "always" if always else "session" if session else "once")
    say(GOOD, f" Allowed{' always' if always else ' for this session' if session else ''}.")


def deny(
    question: QuestionId,
    block: Annotated[bool, typer.Option("--block", help="Block the whole site; writes a rule.")] = False,
) -> None:
    """Say no to a question."""
    answer(locate_home(), question, "block" if block else "deny")
    say(GOOD, " Denied, and the site is blocked." if block else " Denied.")


def answer(home: Path, question_id: str, choice: str) -> None:
    """Give an answer; raises ``AnswerRefused`` when it came too late."""
    if not question_id.isalnum():
        raise AnswerRefused(f"There is no question {question_id!r}.")
    _request(home, "POST", f"/api/approvals/{question_id}", {"choice": choice, "door": DOOR})


def _request(home: Path, method: str, path: str, body: dict[str, str] | None = None) -> bytes:
    info = _hub(home)
    try:
        status, answered = ask(info, method, path, body=None if body is None else json.dumps(body).encode())
    except (OSError, HTTPException):
        raise _no_hub() from None
    if status == 200:
        return answered
    try:
        refusal = _Refusal.model_validate_json(answered)
    except ValidationError:
        raise HubUnavailable(f"The hub answered with status {status}.") from None
    raise AnswerRefused(refusal.message, suggestions=refusal.suggestions)


def _hub(home: Path) -> RuntimeInfo:
    info = read_runtime(home)
    if info is None:
        raise _no_hub()
    return info


def _no_hub() -> HubUnavailable:
    return HubUnavailable(
        "No hub is running, so that no agent can ask anything.",
        suggestions=["`browser-pilot serve` starts one; an MCP client that runs `browser-pilot` starts one by itself."],
    )
