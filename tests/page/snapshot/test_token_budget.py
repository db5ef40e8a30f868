"""A tool result stays within its token budget, says what is left, and can be continued."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import toon_format
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.errors import InvalidArgument
from browser_pilot.page.snapshot.rows import Row, Snapshot, table
from browser_pilot.page.snapshot.token_budget import Cursor, estimate_row, estimate_tokens, fitting_length, truncate

from .snapshot_strategies import views
from .tokens import real_tokens

SAMPLES = {
    "english": "Please sign in to continue with your order and to receive a confirmation by mail. ",
    "german": "Bitte überprüfen Sie Ihre Rechnungsadresse, die Zahlungsmöglichkeiten und die Geschäftsbedingungen. ",
    "russian": "Пожалуйста, войдите в систему, чтобы продолжить оформление заказа и получить подтверждение. ",
    "arabic": "الرجاء تسجيل الدخول للمتابعة وإتمام عملية الشراء والحصول على التأكيد. ",
    "hebrew": "אנא התחבר כדי להמשיך ולהשלים את הרכישה שלך ולקבל אישור. ",
    "chinese": "请登录以继续完成您的订单并获得确认信息。如有任何问题请联系客服。",
    "japanese": "注文を続行して確認を受け取るには、ログインしてください。",
    "korean": "주문을 계속하고 확인을 받으려면 로그인하십시오. ",
    "hindi": "कृपया अपना ऑर्डर जारी रखने और पुष्टि प्राप्त करने के लिए लॉग इन करें। ",
    "emoji": "😀🎉👍🏽👨‍👩‍👧🚀🔥✨❤️🥳 ",
    "numbers": "1 23 456 7890 12,345.67 2026-11-16 +49 151 23456789 99% ",
    "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 ",
    "url": "https://example.com/path/to/resource?id=12345&token=abcDEF_123-xyz#section-4 ",
    "code": "for (const part of parts) if (typeof part === 'string') text += part.trim(); ",
    "signs": "!@#$%^&*()_+{}|:<>?~`-=[]\\;',./ ",
}


@pytest.mark.parametrize("kind", SAMPLES)
def test_the_estimate_is_not_low(kind: str) -> None:
    text = SAMPLES[kind] * 5
    assert estimate_tokens(text) >= 0.95 * real_tokens(text)


def test_the_estimate_of_a_text_is_not_far_too_high() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    prose = SAMPLES["english"] * 20
    assert estimate_tokens(prose) <= 1.3 * real_tokens(prose)
    assert estimate_tokens(text) <= 1.5 * real_tokens(text)


@given(st.lists(st.sampled_from(sorted(SAMPLES)), min_size=3, max_size=12))
def test_the_estimate_of_mixed_rows_is_not_low(kinds: list[str]) -> None:
    rows = tuple(Row(f"e{n}", "link", SAMPLES[kind].strip(), ("focused",)) for n, kind in enumerate(kinds, 1))
    encoded = toon_format.encode({"elements": table(Snapshot("u", "t", "d", rows))})
    assert sum(map(estimate_row, rows)) + 12 >= 0.95 * real_tokens(encoded)


MANY = Snapshot(
    "https://a.test/", "t", "d", tuple(Row(f"e{n}", "link", f"Link number {n}") for n in range(1, 2001)), rest=7
)


def test_a_truncated_result_is_within_its_budget_and_says_what_is_left() -> None:
    result = truncate(MANY, max_tokens=500)
    encoded = toon_format.encode({"url": MANY.url, "title": MANY.title, "elements": table(result.snapshot)})
    assert 300 < real_tokens(encoded) <= 500
    assert result.rows_left == 2000 - len(result.snapshot.rows) + 7


@given(views(), st.integers(200, 400))
def test_the_cursor_continues_so_that_every_row_is_shown_once(view: Snapshot, max_tokens: int) -> None:
    view = replace(view, rest=0)
    shown: list[Row] = []
    cursor = None
    while True:
        result = truncate(view, max_tokens=max_tokens, cursor=cursor)
        shown += result.snapshot.rows
        cursor = result.cursor
        if cursor is None:
            break
        assert result.snapshot.rows
    assert tuple(shown) == view.rows


def test_a_row_longer_than_the_budget_is_shown_in_pieces() -> None:
    text = " ".join(f"word{n}" for n in range(2000))
    view = Snapshot("u", "t", "d", (Row("e1", "text", text), Row("e2", "link", "End")))
    pieces: list[str] = []
    cursor = None
    while True:
        result = truncate(view, max_tokens=400, cursor=cursor)
        pieces += [row.name for row in result.snapshot.rows if row.ref == "e1"]
        cursor = result.cursor
        if cursor is None:
            break
    assert result.snapshot.rows[-1].ref == "e2"
    assert "".join(piece.removesuffix("…") for piece in pieces) == text


def test_a_cursor_continues_after_its_row_when_rows_came_before_it() -> None:
    first = truncate(MANY, max_tokens=500)
    grown = replace(MANY, rows=(Row("e9001", "text", "New on top"), *MANY.rows))
    assert truncate(grown, max_tokens=500, cursor=first.cursor).snapshot.rows[0] == MANY.rows[len(first.snapshot.rows)]


def test_a_cursor_whose_row_is_gone_continues_at_its_position() -> None:
    first = truncate(MANY, max_tokens=500)
    last = len(first.snapshot.rows) - 1
    shrunk = replace(MANY, rows=MANY.rows[:last] + MANY.rows[last + 1 :])
    following = truncate(shrunk, max_tokens=500, cursor=first.cursor).snapshot.rows[0]
    assert following == MANY.rows[last + 2]


def test_a_cursor_of_another_document_starts_over() -> None:
    cursor = Cursor("other", 5, "e5").encode()
    assert truncate(MANY, max_tokens=500, cursor=cursor).snapshot.rows[0] == MANY.rows[0]


@pytest.mark.parametrize("cursor", ["", "x", "not a cursor!", Cursor("d", 5, "e5").encode()[:-2] + "AA"])
def test_an_invalid_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidArgument):
        Cursor.decode(cursor)


@given(st.text(max_size=400), st.integers(1, 60))
def test_the_longest_fitting_prefix_fits(text: str, budget: int) -> None:
    taken = fitting_length(text, budget)
    assert taken >= min(1, len(text))
    assert taken <= 1 or estimate_tokens(text[:taken]) <= budget
