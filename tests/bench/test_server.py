"""The counter that the server adds to a page."""

from __future__ import annotations

from bench.server import COUNTER, with_counter


def test_the_counter_is_the_last_element_of_the_body() -> None:
    page = b"<body title='a > b'><p>Hello</p></BODY></html>"
    assert with_counter(page) == b"<body title='a > b'><p>Hello</p>" + COUNTER + b"</BODY></html>"


def test_the_counter_goes_to_the_end_of_a_page_without_a_closing_body_tag() -> None:
    assert with_counter(b"<p>Hello</p>") == b"<p>Hello</p>" + COUNTER
