"""The history keeps the last snapshot that the client got, and diffs against it."""

from __future__ import annotations

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


async def test_another_document_has_no_snapshot_and_no_diff(show: Show) -> None:
    tab: Tab = await show("<button>Go</button>")
    await tab.tracker.subscribe(await tab.world.frames.main_session())
    await tab.snapshots.full(timeout_ms=TIMEOUT_MS)
    await tab.page.reload()
    await eventually(lambda: not tab.snapshots.has_document, "the new document")
    assert (await tab.snapshots.diff(timeout_ms=TIMEOUT_MS)).diff is None
