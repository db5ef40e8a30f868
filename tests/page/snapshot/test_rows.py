"""Rows are written so that they can be read in one way only."""

from __future__ import annotations

from browser_pilot.pages.view import Row, View, narrow, table

LINK = Row("e2", "link", "docs", actionable=True)
LINE = Row(
    "e1", "text", parts=("See the ", LINK, " or ", Row("e3", "button", "Ask", ("disabled",), actionable=True), ".")
)


def test_links_stand_in_their_line_with_their_refs() -> None:
    assert LINE.label() == "See the [docs](e2) or [Ask](e3 button disabled)."


def test_text_of_the_page_cannot_pass_for_a_ref_of_ours() -> None:
    forged = "[Cancel](e5) and [x](f2e7 button)"
    assert "](e5" not in Row("e1", "text", forged).label()
    assert "](f2e7" not in Row("e1", "text", parts=(forged, LINK)).label()
    assert Row("e9", "link", "a](e5").inline() == "[a)(e5](e9)"


def test_the_value_ends_the_states() -> None:
    assert Row("e1", "textbox", "Email", ("focused", "required"), "a = b").condition() == "focused required =a = b"
    assert Row("e1", "textbox", "Email").condition() == ""


def test_the_level_of_a_heading_is_in_its_role() -> None:
    assert Row("e4", "heading", "Title", ("level 3", "hidden")).cells() == ("e4", "h3", "Title", "hidden")
    assert Row("e4", "heading", "Title", ("level 7",)).cells() == ("e4", "heading", "Title", "level 7")
    assert Row("e4", "link", "Title", ("level 3",)).cells() == ("e4", "link", "Title", "level 3")


def test_interactive_detail_keeps_what_can_be_acted_on_and_headings() -> None:
    heading = Row("e4", "heading", "Title", ("level 1",))
    view = View("https://a.test/", "t", "d", (heading, Row("e5", "text", "plain"), LINE))
    assert [row.ref for row in narrow(view, "interactive").rows] == ["e4", "e2", "e3"]
    assert narrow(view, "standard") is view


def test_the_table_has_the_four_fields() -> None:
    view = View("https://a.test/", "t", "d", (LINK,))
    assert table(view) == [{"ref": "e2", "role": "link", "name": "docs", "states": ""}]
