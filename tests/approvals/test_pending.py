"""However answers, expiry and withdrawal are mixed, a question ends exactly once, and in time."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule

from browser_pilot.approvals.board import REMEMBERED, Board, NotOpen
from browser_pilot.approvals.questions import LABELS, Answer, Choice, Question
from browser_pilot.errors import InvalidArgument
from tests.approvals.matters import matter

CHOICES: tuple[Choice, ...] = tuple(LABELS)


class BoardMachine(RuleBasedStateMachine):
    """The model: for each id, when it expires, and how it ended if it did."""

    questions = Bundle("questions")

    def __init__(self) -> None:
        super().__init__()
        self.board = Board()
        self.now = 1000.0
        self.count = 0
        self.expires: dict[str, float] = {}
        self.ended: dict[str, str] = {}

    @rule(target=questions, seconds=st.integers(1, 100))
    def ask(self, seconds: int) -> str:
        self.count += 1
        question_id = f"q{self.count}"
        question = Question(id=question_id, matter=matter(), asked_at=self.now, expires_at=self.now + seconds)
        self.board.open(question)
        self.expires[question_id] = question.expires_at
        return question_id

    @rule(seconds=st.integers(0, 60))
    def wait(self, seconds: int) -> None:
        self.now += seconds

    @rule(question_id=questions, choice=st.sampled_from(CHOICES))
    def answer(self, question_id: str, choice: Choice) -> None:
        can = question_id not in self.ended and self.now < self.expires[question_id]
        if can:
            assert self.board.answer(question_id, Answer(choice, "test", self.now)).id == question_id
            self.ended[question_id] = "answered"
        else:
            with pytest.raises(NotOpen):
                self.board.answer(question_id, Answer(choice, "test", self.now))

    @rule(question_id=questions)
    def expire(self, question_id: str) -> None:
        ended = self.board.expire(question_id)
        assert (ended is None) == (question_id in self.ended)
        self.ended.setdefault(question_id, "expired")

    @rule(target=questions, question_id=consumes(questions))
    def withdraw(self, question_id: str):
        ended = self.board.withdraw(question_id)
        assert (ended is None) == (question_id in self.ended)
        self.ended.setdefault(question_id, "withdrawn")
        return multiple(question_id)

    @invariant()
    def the_open_ones_are_those_that_have_not_ended(self) -> None:
        expected = [question_id for question_id in self.expires if question_id not in self.ended]
        assert [question.id for question in self.board.pending] == expected
        assert all(question_id in self.board for question_id in expected)


TestBoard = BoardMachine.TestCase


def test_whoever_comes_too_late_is_told_who_was_first() -> None:
    board = Board()
    board.open(Question(id="q1", matter=matter(), asked_at=0, expires_at=60))
    board.answer("q1", Answer("deny", "side panel", 1))
    with pytest.raises(NotOpen, match=r"denied \(side panel\)"):
        board.answer("q1", Answer("once", "command line", 2))
    with pytest.raises(NotOpen, match="There is no question q2"):
        board.answer("q2", Answer("once", "command line", 2))


def test_an_answer_at_the_moment_of_expiry_is_too_late() -> None:
    board = Board()
    board.open(Question(id="q1", matter=matter(), asked_at=0, expires_at=60))
    with pytest.raises(NotOpen, match="expired"):
        board.answer("q1", Answer("once", "command line", 60))


def test_an_answer_that_was_not_offered_is_refused() -> None:
    board = Board()
    board.open(Question(id="q1", matter=matter(about="site"), asked_at=0, expires_at=60))
    with pytest.raises(InvalidArgument, match="'once'"):
        board.answer("q1", Answer("once", "command line", 1))
    assert "q1" in board


def test_an_id_is_never_used_twice() -> None:
    board = Board()
    question = Question(id="q1", matter=matter(), asked_at=0, expires_at=60)
    board.open(question)
    board.withdraw("q1")
    with pytest.raises(ValueError, match="q1"):
        board.open(question)


def test_memory_of_what_ended_is_bounded() -> None:
    board = Board()
    for number in range(REMEMBERED + 50):
        board.open(Question(id=f"q{number}", matter=matter(), asked_at=0, expires_at=60))
        board.expire(f"q{number}")
    with pytest.raises(NotOpen, match="There is no question q0"):
        board.check("q0", "once", 1)
    with pytest.raises(NotOpen, match="expired"):
        board.check(f"q{REMEMBERED + 49}", "once", 1)
