"""The history keeps the last snapshot that the client got, and diffs against it."""

from __future__ import annotations

from browser_pilot.page.snapshot.history import MAX_SHOWN_ROWS
from browser_pilot.page.snapshot.rows import Row
from browser_pilot.page.tab import Tab
from tests.page.conftest import Show
from tests.waiting import eventually

TIMEOUT_MS = 10_000


async def test_the_first_diff_has_nothing_to_compare_with(show: Show) -> None:
    tab: Tab = await show("<button>Go</button>")
    assert not tab.snapshots.has_document
    update = await tab.snapshots.diff(timeout_ms=TIMEOUT_MS)
    assert update.is_first and update.diff is None
    assert [row.name for row in update.snapshot.rows] == ["Go"]
    assert tab.snapshots.has_document


async def test_a_diff_is_relative_to_the_last_snapshot_full_or_not(show: Show) -> None:
    tab: Tab = await show("<h1>Title</h1><button>Go</button><p id=p>One of the texts that stay as they are</p>")
    await tab.snapshots.full(timeout_ms=TIMEOUT_MS)
    await tab.page.evaluate("document.querySelector('button').textContent = 'Stop'")
    update = await tab.snapshots.diff(timeout_ms=TIMEOUT_MS)
    assert not update.is_first and update.diff is not None
    assert [(change.before.name, change.row.name) for change in update.diff.changed] == [("Go", "Stop")]
    update = await tab.snapshots.diff(timeout_ms=TIMEOUT_MS)
    assert update.diff is not None and update.diff.is_empty


async def test_rows_count_as_shown_as_they_were_sent_in_this_document(show: Show) -> None:
    history = (await show("")).snapshots
    one, two = Row("e1", "button", "Go"), Row("e2", "checkbox", "Ok", ("unchecked",))
    history.note_shown("d", (one, two))
    assert history.was_shown(one) and history.was_shown(two)
    assert not history.was_shown(Row("e2", "checkbox", "Ok", ("checked",)))
    history.note_shown("d", (Row(f"e{n}", "text", "x") for n in range(3, 3 + MAX_SHOWN_ROWS)))
    assert not history.was_shown(one)
    history.note_shown("other", ())
    assert not history.was_shown(Row("e3", "text", "x"))


async def test_another_document_has_no_snapshot_and_no_diff(show: Show) -> None:
    tab: Tab = await show("<button>Go</button>")
    await tab.tracker.subscribe(await tab.world.frames.main_session())
    await tab.snapshots.full(timeout_ms=TIMEOUT_MS)
    await tab.page.reload()
    await eventually(lambda: not tab.snapshots.has_document, "the new document")
    assert (await tab.snapshots.diff(timeout_ms=TIMEOUT_MS)).diff is None
