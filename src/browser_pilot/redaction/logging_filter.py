"""Redaction for Python's ``logging``: neither a log line nor a traceback on stderr shows a secret."""

from __future__ import annotations

import logging

from .redactor import Redactor


class RedactingFormatter(logging.Formatter):
    """Formats with ``inner``, then redacts the result, including tracebacks."""

    def __init__(self, inner: logging.Formatter, redactor: Redactor) -> None:
        super().__init__()
        self._inner = inner
        self._redactor = redactor

    def format(self, record: logging.LogRecord) -> str:
        return self._redactor.text(self._inner.format(record))


def redact_handlers(logger: logging.Logger, redactor: Redactor) -> None:
    """Add redaction to every handler of ``logger`` that has none."""
    for handler in logger.handlers:
        inner = handler.formatter or logging.Formatter()
        if not isinstance(inner, RedactingFormatter):
            handler.setFormatter(RedactingFormatter(inner, redactor))
