"""Which questions are open, and how those before them ended. Pure: the caller says what time it is.

A question ends once: by the first answer before it expires, by expiring, or by being withdrawn. How the last ones
ended is remembered, so that whoever comes too late is told why.
"""

from __future__ import annotations

from ..errors import InvalidArgument, PilotError
from .questions import Answer, Choice, Question

REMEMBERED = 200


class NotOpen(PilotError):
    """Nothing with this id waits for an answer (any more). For people at a door; an agent never meets it."""

    code = "NOT_OPEN"


class Board:
    def __init__(self) -> None:
        self._open: dict[str, Question] = {}
        self._ended: dict[str, str] = {}

    @property
    def pending(self) -> tuple[Question, ...]:
        """In the order in which they were asked."""
        return tuple(self._open.values())

    def __contains__(self, question_id: object) -> bool:
        return question_id in self._open

    def open(self, question: Question) -> None:
        if question.id in self._open or question.id in self._ended:
            raise ValueError(f"the id {question.id} was given before")
        self._open[question.id] = question

    def check(self, question_id: str, choice: Choice, now: float) -> Question:
        """The open question, if it can be answered so and now; raises ``NotOpen`` or ``InvalidArgument``."""
        question = self._open.get(question_id)
        if question is None or now >= question.expires_at:
            ended = "it has expired" if question is not None else self._ended.get(question_id)
            raise NotOpen(
                f"The question {question_id} can no longer be answered: {ended}."
                if ended
                else f"There is no question {question_id}.",
                suggestions=["`browser-pilot approvals` lists the open ones."],
            )
        if choice not in question.matter.choices:
            raise InvalidArgument(
                f"{choice!r} is no answer to this question.",
                suggestions=[f"Answers: {', '.join(question.matter.choices)}."],
            )
        return question

    def answer(self, question_id: str, answer: Answer) -> Question:
        question = self.check(question_id, answer.choice, answer.at)
        said = "allowed" if answer.allows else "denied"
        self._end(question, f"it was {said} ({answer.door})")
        return question

    def expire(self, question_id: str) -> Question | None:
        return self._close(question_id, "it has expired")

    def withdraw(self, question_id: str) -> Question | None:
        return self._close(question_id, "the agent no longer wants it")

    def _close(self, question_id: str, how: str) -> Question | None:
        question = self._open.get(question_id)
        if question is not None:
            self._end(question, how)
        return question

    def _end(self, question: Question, how: str) -> None:
        del self._open[question.id]
        self._ended[question.id] = how
        while len(self._ended) > REMEMBERED:
            del self._ended[next(iter(self._ended))]
