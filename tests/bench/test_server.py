from __future__ import annotations

from bench.server import COUNTER, with_counter


def test_the_counter_is_the_last_thing_in_the_body() -> None:
    page = b"<body title='a > b'><p>Hello</p></BODY></html>"
    assert with_counter(page) == b"<body title='a > b'><p>Hello</p>" + COUNTER + b"</BODY></html>"


def test_a_page_whose_body_is_never_closed_gets_it_at_the_end() -> None:
    assert with_counter(b"<p>Hello</p>") == b"<p>Hello</p>" + COUNTER
