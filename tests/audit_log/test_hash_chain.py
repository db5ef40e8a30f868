"""The chain finds every single edit, removal, insertion, exchange and truncation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from browser_pilot.audit_log.hash_chain import (
    EMPTY_HEAD,
    GENESIS,
    ChainHead,
    ChainRow,
    chain_hash,
    encode_body,
    pruned_to,
    verify,
)


def build(bodies: Sequence[str], start: ChainHead = EMPTY_HEAD) -> list[ChainRow]:
    rows: list[ChainRow] = []
    last = start
    for body in bodies:
        row = ChainRow(last.seq + 1, body, chain_hash(last.hash, last.seq + 1, body))
        rows.append(row)
        last = ChainHead(row.seq, row.hash)
    return rows


def head_of(rows: Sequence[ChainRow]) -> ChainHead:
    return ChainHead(rows[-1].seq, rows[-1].hash)


bodies_strategy = st.lists(st.text(max_size=20), min_size=2, max_size=12)


@settings(deadline=None)
@given(bodies_strategy)
def test_an_unchanged_chain_verifies(bodies: list[str]) -> None:
    rows = build(bodies)
    report = verify(rows, head=head_of(rows), anchors=[head_of(rows), ChainHead(rows[0].seq, rows[0].hash)])
    assert report.ok
    assert report.rows == len(bodies)
    assert report.head == head_of(rows)


def edit_body(rows: list[ChainRow], at: int) -> list[ChainRow]:
    rows[at] = rows[at]._replace(body=rows[at].body + "x")
    return rows


def edit_hash(rows: list[ChainRow], at: int) -> list[ChainRow]:
    rows[at] = rows[at]._replace(hash=bytes(32))
    return rows


def remove(rows: list[ChainRow], at: int) -> list[ChainRow]:
    return rows[:at] + rows[at + 1 :]


def renumber_after_removal(rows: list[ChainRow], at: int) -> list[ChainRow]:
    return [row._replace(seq=number) for number, row in enumerate(remove(rows, at), 1)]


def truncate(rows: list[ChainRow], at: int) -> list[ChainRow]:
    return rows[:at]


def behead(rows: list[ChainRow], at: int) -> list[ChainRow]:
    return rows[at + 1 :]


def exchange(rows: list[ChainRow], at: int) -> list[ChainRow]:
    other = (at + 1) % len(rows)
    first, second = rows[at], rows[other]
    rows[at], rows[other] = second._replace(seq=first.seq), first._replace(seq=second.seq)
    return rows


def repeat(rows: list[ChainRow], at: int) -> list[ChainRow]:
    return [*rows[: at + 1], rows[at], *rows[at + 1 :]]


def forge_from(rows: list[ChainRow], at: int) -> list[ChainRow]:
    """Edit a row and recompute all hashes after it: only the anchor detects this."""
    return build([row.body + ("x" if row.seq == at + 1 else "") for row in rows])


def append(rows: list[ChainRow], at: int) -> list[ChainRow]:
    return [*rows, *build([f"forged {at}"], ChainHead(rows[-1].seq, bytes(32)))]


@pytest.mark.parametrize(
    "tamper",
    [edit_body, edit_hash, remove, renumber_after_removal, truncate, behead, exchange, repeat, forge_from, append],
)
@settings(deadline=None)
@given(bodies=bodies_strategy, data=st.data())
def test_any_single_change_is_found(
    tamper: Callable[[list[ChainRow], int], list[ChainRow]], bodies: list[str], data: st.DataObject
) -> None:
    rows = build(bodies)
    anchor = head_of(rows)
    tampered = tamper(list(rows), data.draw(st.integers(0, len(rows) - 1)))
    assert not verify(tampered, head=ChainHead(*anchor), anchors=[anchor]).ok


def pruned_chain() -> tuple[list[ChainRow], ChainHead]:
    rows = build([f"row {number}" for number in range(1, 8)])
    cut = rows[3]
    checkpoint = encode_body({"kind": "checkpoint", "pruned_seq": cut.seq, "pruned_hash": cut.hash.hex()})
    rows += build([checkpoint, "row 9"], head_of(rows))
    return rows[4:], ChainHead(cut.seq, cut.hash)


def test_a_pruned_chain_verifies_from_its_checkpoint() -> None:
    rows, start = pruned_chain()
    assert verify(rows, start=start, head=head_of(rows), anchors=[head_of(rows)]).ok
    assert pruned_to(rows[-2].body) == start


def test_rows_removed_at_the_beginning_without_a_checkpoint_are_found() -> None:
    rows, start = pruned_chain()
    assert not verify(rows[1:], start=start, head=head_of(rows)).ok
    assert not verify(rows[1:], start=ChainHead(rows[0].seq, rows[0].hash), head=head_of(rows)).ok


def test_an_empty_log_verifies_and_an_emptied_one_does_not() -> None:
    assert verify([], head=EMPTY_HEAD).ok
    rows = build(["a", "b"])
    assert not verify([], head=EMPTY_HEAD, anchors=[head_of(rows)]).ok
    assert not verify([], head=head_of(rows)).ok


def test_a_gap_row_stays_a_problem() -> None:
    rows = build(["a", encode_body({"kind": "gap", "text": "rows 2 to 5 existed before."})])
    assert "rows 2 to 5" in verify(rows, head=head_of(rows)).problems[0].text


def test_arguments_that_look_like_a_checkpoint_or_gap_are_ignored() -> None:
    rows = build([encode_body({"kind": "intent", "arguments": {"kind": "gap"}, "more": {"kind": "checkpoint"}})])
    assert verify(rows, head=head_of(rows)).ok


def test_equal_content_has_one_encoding_and_any_text_can_be_encoded() -> None:
    assert encode_body({"b": 1, "a": "ü"}) == encode_body({"a": "ü", "b": 1}) == '{"a":"ü","b":1}'
    assert encode_body({"a": "\ud800"}).encode("utf-8") == b'{"a":"\\ud800"}'


def test_the_hash_separates_number_and_body() -> None:
    assert chain_hash(GENESIS, 1, "a") != chain_hash(GENESIS, 2, "a")
    assert chain_hash(GENESIS, 1, "") != chain_hash(GENESIS, 1, "\0")
