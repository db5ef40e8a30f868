"""Hypothesis strategies for snapshots."""

from __future__ import annotations

from hypothesis import strategies as st

from browser_pilot.page.snapshot.rows import Row, Snapshot

TEXTS = st.text(st.sampled_from("abc ,:[](){}\"'\n\\|ü漢😀e12=-"), max_size=12)
ROLES = st.sampled_from(["text", "link", "button", "heading", "textbox", "row"])
STATES = st.lists(st.sampled_from(["focused", "checked", "disabled", "level 2"]), max_size=2, unique=True)


def plain_rows(ref: str) -> st.SearchStrategy[Row]:
    return st.builds(
        Row,
        ref=st.just(ref),
        role=ROLES,
        name=TEXTS,
        states=STATES.map(tuple),
        value=st.none() | TEXTS,
        actionable=st.booleans(),
    )


def rows(ref: str) -> st.SearchStrategy[Row]:
    """A plain row, or a line of text with a link in it."""
    parts = st.tuples(TEXTS, plain_rows(f"f9{ref}"), TEXTS)
    line = st.builds(Row, ref=st.just(ref), role=st.just("text"), parts=parts)
    return st.one_of(plain_rows(ref), plain_rows(ref), line)


@st.composite
def views(draw: st.DrawFn, document: str = "d") -> Snapshot:
    numbers = draw(st.lists(st.integers(1, 30), unique=True, max_size=12))
    return Snapshot(
        url=draw(st.sampled_from(["https://a.test/", "https://a.test/#x"])),
        title=draw(TEXTS),
        document=document,
        rows=tuple(draw(rows(f"e{number}")) for number in numbers),
        rest=draw(st.integers(0, 3)),
    )
