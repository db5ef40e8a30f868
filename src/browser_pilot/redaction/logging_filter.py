"""Redaction for Python's ``logging``: neither a log line nor a traceback on stderr shows a secret."""

from __future__ import annotations

import logging

from .redactor import Redactor

MAX_RECORD_CHARACTERS = 8_000


class RedactingFormatter(logging.Formatter):
    """Formats with ``inner``, then redacts the result, including tracebacks."""

    def __init__(self, inner: logging.Formatter, redactor: Redactor) -> None:
        super().__init__()
        self._inner = inner
        self._redactor = redactor

    def format(self, record: logging.LogRecord) -> str:
        return self._redactor.text(shorten(self._inner.format(record)))


def shorten(text: str) -> str:
    """Cut the middle of a long record, at spaces: it is redacted in the event loop, and its texts may be a page's."""
    if len(text) <= MAX_RECORD_CHARACTERS:
        return text
    head, tail = text[: MAX_RECORD_CHARACTERS // 2], text[-MAX_RECORD_CHARACTERS // 2 :]
    # Half a word could be half of a secret, which no rule finds.
    head, _, _ = head.rpartition(" ")
    _, _, tail = tail.partition(" ")
    return f"{head} … ({len(text) - len(head) - len(tail)} characters) … {tail}"


def redact_handlers(logger: logging.Logger, redactor: Redactor) -> None:
    """Add redaction to every handler of ``logger`` that has none."""
    for handler in logger.handlers:
        inner = handler.formatter or logging.Formatter()
        if not isinstance(inner, RedactingFormatter):
            handler.setFormatter(RedactingFormatter(inner, redactor))
