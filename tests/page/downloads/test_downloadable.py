"""What is known about a file before its bytes: its source, its name and its length."""

from __future__ import annotations

import pytest

from browser_pilot.page.downloads.downloadable import Downloadable, head_of

PAGE = "https://example.com/page"


@pytest.mark.parametrize(
    ("resource", "source"),
    [
        (Downloadable(None, url="https://example.com/a.png", page_url=PAGE), "https://example.com/a.png"),
        (Downloadable(None, url="data:image/png;base64,AAAA", page_url=PAGE), "data:image/png;base64"),
        (Downloadable(None, ref="e1", page_url=PAGE), PAGE),
    ],
)
def test_the_source_is_the_url_or_the_page_that_renders_it(resource: Downloadable, source: str) -> None:
    assert resource.source == source


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ('attachment; filename="report.pdf"', "report.pdf"),
        ("attachment; filename*=UTF-8''%C3%BCber.txt", "über.txt"),
        ("attachment;\r\n filename=a.txt", "a.txt"),
        ("attachment", "page's own"),
        ("", "page's own"),
    ],
)
def test_the_servers_name_comes_before_the_pages(disposition: str, name: str) -> None:
    head = head_of(Downloadable(None, name="page's own"), url="", mime="", disposition=disposition, length=None)
    assert head.suggested_name == name


@pytest.mark.parametrize(("length", "expected"), [("10", 10), (10, 10), (None, None), ("-1", None), ("x", None)])
def test_only_a_valid_length_counts(length: object, expected: int | None) -> None:
    assert head_of(Downloadable(None), url="", mime="", disposition="", length=length).length == expected
