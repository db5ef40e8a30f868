from __future__ import annotations

from bench.server import COUNTER, with_counter


def test_the_counter_follows_the_opening_of_the_body() -> None:
    page = b'<html><BODY class="dark"><p>Hello</p></BODY></html>'
    assert with_counter(page) == b'<html><BODY class="dark">' + COUNTER + b"<p>Hello</p></BODY></html>"


def test_a_page_without_a_body_tag_gets_it_at_the_end() -> None:
    assert with_counter(b"<p>Hello</p>") == b"<p>Hello</p>" + COUNTER
