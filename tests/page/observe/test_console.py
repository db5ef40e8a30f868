"""The console log shows format strings and tables as a console does."""

from __future__ import annotations

from browser_pilot.page.tab import Tab
from browser_pilot.redaction.redactor import Redactor
from tests.page.conftest import Show
from tests.waiting import eventually


def texts(tab: Tab) -> list[str]:
    return [entry.text for entry in tab.console]


async def test_a_format_string_is_rendered(show: Show) -> None:
    tab = await show("<script>console.log('%s has %d items', 'The cart', 3, {extra: true})</script>")
    await eventually(lambda: texts(tab), "it is logged")
    assert texts(tab) == ["The cart has 3 items {extra: true}"]


async def test_a_table_is_rendered_row_by_row(show: Show) -> None:
    tab = await show("<script>console.table([{name: 'Ada', age: 36}, {name: 'Grace', role: {}}, 7])</script>")
    await eventually(lambda: "Ada" in str(texts(tab)), "it is rendered")
    assert texts(tab)[0].split("\n") == ["0: name: Ada, age: 36", "1: name: Grace, role: {…}", "2: 7"]


async def test_a_secret_in_a_table_is_redacted(show: Show) -> None:
    tab = await show("<script>console.table([{user: 'ada', password: 'hunter2-Xy9'}])</script>")
    await eventually(lambda: "ada" in str(texts(tab)), "it is rendered")
    assert "hunter2" not in Redactor().text(texts(tab)[0])


async def test_a_huge_or_hostile_table_is_bounded(show: Show) -> None:
    tab = await show(
        """<script>
        const row = {get trap() { throw new Error('trapped'); }};
        console.table([row]);
        Array.prototype.join = String.prototype.slice = () => 'x'.repeat(1e6);
        const wide = {};
        for (let n = 0; n < 1000; n++) wide['column' + n] = 'y'.repeat(1000);
        console.table(Array.from({length: 5000}, () => wide));
        console.log('end');
        </script>"""
    )
    await eventually(lambda: "end" in texts(tab) and any("column0" in text for text in texts(tab)), "all is logged")
    assert all(len(text) <= 2_000 for text in texts(tab))
    assert any("column7" in text for text in texts(tab)) and "column8" not in str(texts(tab))
