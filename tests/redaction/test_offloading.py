"""Long hostile values are redacted outside of the event loop, by the same rules."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from browser_pilot.redaction import offloading
from browser_pilot.redaction.logging_filter import MAX_RECORD_CHARACTERS, RedactingFormatter
from browser_pilot.redaction.offloading import redact, redact_body, redact_data
from browser_pilot.redaction.redactor import Redactor
from tests.loop_blocks import ticks_during

# Each word costs a search for names, values and tokens.
HOSTILE = "key: a1b2c3d4e5f6g7h8 password=x1y2z3 4111 1111 1111 1111 "


@pytest.fixture
def redactor() -> Redactor:
    redactor = Redactor()
    redactor.add_secrets(["correct horse"])
    return redactor


async def test_a_long_text_is_redacted_while_the_loop_goes_on(redactor: Redactor) -> None:
    text = HOSTILE * 5_000 + "correct horse"
    async with ticks_during() as ticks:
        shown = await redact(redactor.text, text)
    assert ticks.count >= 5
    assert "a1b2c3d4" not in shown
    assert "4111" not in shown
    assert "correct horse" not in shown


@pytest.mark.parametrize(
    "data",
    [{"text": HOSTILE * 1_000}, {"rows": [[HOSTILE] * 400]}, {f"token{n}": HOSTILE for n in range(300)}],
    ids=["text", "rows", "names"],
)
async def test_long_data_has_the_same_result_as_in_the_event_loop(redactor: Redactor, data: dict[str, Any]) -> None:
    assert not offloading.is_short(data)
    assert await redact(redactor.data, data) == redactor.data(data)


TABLE = [{"ref": f"e{n}", "name": HOSTILE if n % 7 == 0 else "a name", "value": f"v{n}"} for n in range(900)]


@pytest.mark.parametrize(
    "data",
    [
        {"title": "t", "elements": TABLE, "url": "https://a.test/?token=a1b2c3d4e5f6"},
        {"name": "password", "value": "hunter2", "rows": TABLE},
        {"elements": [{"name": HOSTILE * 400}, *TABLE], "text": HOSTILE * 400},
        {"value": [{"a": HOSTILE}] * 400, "name": "password"},
        {"items": [HOSTILE] * 400, "tokens": TABLE},
    ],
)
async def test_tables_are_redacted_in_slices_with_the_same_result(redactor: Redactor, data: dict[str, Any]) -> None:
    assert not offloading.is_short(data)
    shown = await redact_data(redactor, data)
    assert shown == redactor.data(data)
    assert list(shown) == list(data)


async def test_a_long_table_needs_no_worker_process(redactor: Redactor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(offloading, "run_in_worker")
    data: dict[str, Any] = {"title": "t", "elements": TABLE}
    assert await redact_data(redactor, data) == redactor.data(data)


async def test_a_long_body_is_redacted_by_its_type(redactor: Redactor) -> None:
    body = "&".join(f"password=x{n}y1z2" for n in range(2_000))
    form = "application/x-www-form-urlencoded"
    assert await redact_body(redactor, body, form) == redactor.body(body, content_type=form)


async def test_what_cannot_be_redacted_in_time_is_hidden(redactor: Redactor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offloading, "REDACTION_TIMEOUT_SECONDS", 0.01)
    assert await redact(redactor.text, HOSTILE * 5_000) == "[redacted:text]"
    assert await redact(redactor.data, {"a": HOSTILE * 5_000}) == {"hidden": "[redacted:text]"}
    assert await redact_body(redactor, HOSTILE * 5_000, "text/plain") == "[redacted:text]"


def test_a_long_log_record_is_cut_before_it_is_redacted(redactor: Redactor) -> None:
    record = logging.makeLogRecord({"msg": "begin " + "word " * 100_000 + "correct horse end"})
    line = RedactingFormatter(logging.Formatter(), redactor).format(record)
    assert len(line) < MAX_RECORD_CHARACTERS + 100
    assert line.startswith("begin")
    assert line.endswith("[redacted:secret] end")
