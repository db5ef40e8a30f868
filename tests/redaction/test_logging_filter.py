"""Python's logging shows no secret."""

from __future__ import annotations

import io
import logging

from browser_pilot.redaction.logging_filter import redact_handlers
from browser_pilot.redaction.redactor import Redactor


def test_neither_a_message_nor_its_arguments_nor_a_traceback_shows_a_secret() -> None:
    stream = io.StringIO()
    logger = logging.Logger("test")
    logger.addHandler(logging.StreamHandler(stream))
    redact_handlers(logger, Redactor())
    redact_handlers(logger, Redactor())
    logger.info("sent %s", "password=hunter2")
    try:
        raise ValueError("https://ann:hunter2@a.example/")
    except ValueError:
        logger.exception("failed")
    assert "hunter2" not in stream.getvalue()
    assert "ValueError: https://[redacted:credentials]@a.example/" in stream.getvalue()
