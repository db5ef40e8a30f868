"""A diff applied to the old snapshot gives the new one, and is used only where it is cheaper."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from playwright.async_api import Page

from browser_pilot.page.isolated_world import World
from browser_pilot.page.snapshot.diff import apply_diff, diff_cost, diff_or_none, diff_tables, make_diff
from browser_pilot.page.snapshot.rows import Row, Snapshot
from browser_pilot.page.snapshot.snapshot import take_snapshot
from browser_pilot.page.snapshot.token_budget import estimate_rows
from tests.page.conftest import Sites

from .snapshot_strategies import views


def view_of(*rows: Row) -> Snapshot:
    return Snapshot("https://a.test/", "t", "d", rows)


PADDING = tuple(
    Row(f"e{n}", "text", f"Some words that make the table worth more than a diff, {n}") for n in range(50, 70)
)


@given(views(), views())
def test_a_diff_leads_exactly_to_the_new_snapshot(old: Snapshot, new: Snapshot) -> None:
    changes = make_diff(old, new)
    assert changes is not None
    assert apply_diff(old, changes) == new


@given(views())
def test_equal_snapshots_have_an_empty_diff(view: Snapshot) -> None:
    changes = diff_or_none(view, view)
    assert changes is not None
    assert changes.is_empty
    assert diff_tables(changes) == {}


@given(views(), views())
def test_a_diff_never_costs_more_than_the_table(old: Snapshot, new: Snapshot) -> None:
    changes = diff_or_none(old, new)
    assert changes is None or changes.is_empty or diff_cost(changes) <= estimate_rows(new.rows)


def test_another_document_has_no_diff() -> None:
    view = view_of(Row("e1", "text", "a"))
    assert diff_or_none(view, replace(view, document="other")) is None
    assert diff_or_none(None, view) is None


def test_the_tables_list_new_changed_and_removed_rows() -> None:
    one, two, box = Row("e1", "link", "One"), Row("e2", "link", "Two"), Row("e3", "checkbox", "Ok", ("unchecked",))
    old = view_of(one, two, box, *PADDING)
    new = view_of(one, Row("e4", "alert", "Saved"), Row("e5", "text", "x"), replace(box, states=("checked",)), *PADDING)
    changes = diff_or_none(old, new)
    assert changes is not None
    assert diff_tables(changes) == {
        "changed": [{"ref": "e3", "what": "states", "now": "checked"}],
        "new": [
            {"after": "e1", "ref": "e4", "role": "alert", "name": "Saved", "states": ""},
            {"after": "", "ref": "e5", "role": "text", "name": "x", "states": ""},
        ],
        "gone": "e2",
    }


def test_many_removed_rows_are_a_count_with_ranges() -> None:
    refs = [f"e{n}" for n in (*range(50, 66), 90)]
    kept = tuple(Row(f"e{n}", "text", f"What stays is much longer than what goes, {n}") for n in range(200, 230))
    old = view_of(*(Row(ref, "text", "x") for ref in (*refs, "f2e3", "f2e4")), *kept)
    changes = diff_or_none(old, view_of(*kept))
    assert changes is not None
    assert diff_tables(changes) == {"gone": "19 rows: e50-e65 e90 f2e3 f2e4"}


def test_rows_that_reappear_as_they_were_shown_are_not_sent_again() -> None:
    palette = tuple(Row(f"e{n}", "option", f"Colour {n}") for n in range(10, 20))
    old, new = view_of(*PADDING), view_of(*PADDING[:2], Row("e80", "dialog", "Pick"), *palette, *PADDING[2:])
    changes = diff_or_none(old, new)
    assert changes is not None
    changed = palette[4]
    known = {row.ref: row for row in palette} | {changed.ref: replace(changed, states=("selected",))}
    tables = diff_tables(changes, is_known=lambda row: known.get(row.ref) == row)
    assert tables == {
        "new": [
            {"after": "e51", "ref": "e80", "role": "dialog", "name": "Pick", "states": ""},
            {"after": "e13", "ref": "e14", "role": "option", "name": "Colour 14", "states": ""},
        ],
        "back": [
            {"after": "e80", "as_before": "4 rows: e10-e13"},
            {"after": "e14", "as_before": "5 rows: e15-e19"},
        ],
    }
    few = diff_tables(changes, is_known=lambda row: row.ref in ("e15", "e16"))
    assert "back" not in few and isinstance(few["new"], list) and len(few["new"]) == 11


def test_a_moved_row_is_listed_at_its_new_position_only() -> None:
    first, *others = PADDING
    changes = diff_or_none(view_of(first, *others), view_of(*others, first))
    assert changes is not None
    assert [insertion.row.ref for insertion in changes.new] == [first.ref]
    assert not changes.removed and not changes.changed


MUTATE = """
seed => {
  let state = seed;
  const pick = (n) => { state = (state * 1103515245 + 12345) % 2147483648; return state % n; };
  const all = [...document.querySelectorAll('main *')];
  const target = all.length ? all[pick(all.length)] : document.querySelector('main');
  const fragments = ['<p>Fresh text</p>', '<button>New</button>', '<a href=x>Link</a>', '<input value=v>', 'bare ',
    '<ul><li>a<li>b</ul>', '<table><tr><td>1<td>2</table>', '<h2>Head</h2>',
    '<label><input type=checkbox>Tick</label>'];
  const fragment = fragments[pick(fragments.length)];
  switch (pick(9)) {
    case 0: target.insertAdjacentHTML('beforebegin', fragment); break;
    case 1: target.insertAdjacentHTML('beforeend', fragment); break;
    case 2: target.remove(); break;
    case 3: document.querySelector('main').append(target); break;
    case 4: target.toggleAttribute('hidden'); break;
    case 5: target.style.cursor = target.style.cursor ? '' : 'pointer'; break;
    case 6: if (target.firstChild) target.firstChild.textContent = 'changed ' + seed; break;
    case 7: target.checked = !target.checked; target.setAttribute('aria-expanded', 'true'); break;
    case 8: document.querySelector('main').prepend(target); break;
  }
}
"""


@pytest.mark.parametrize("seed", range(4))
async def test_a_diff_is_right_after_random_changes_of_the_page(page: Page, sites: Sites, seed: int) -> None:
    await page.goto(sites.url("mixed.html"))
    world = World(page)
    old = await take_snapshot(world)
    chance = random.Random(seed)
    diffs = 0
    for _ in range(40):
        for _ in range(chance.randint(1, 4)):
            await page.evaluate(MUTATE, chance.randrange(1 << 30))
        new = await take_snapshot(world)
        refs = [row.ref for row in new.all_rows()]
        assert len(refs) == len(set(refs))
        changes = diff_or_none(old, new)
        if changes is not None:
            diffs += 1
            assert apply_diff(old, changes) == new
        old = new
    assert diffs >= 30
