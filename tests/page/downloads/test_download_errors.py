"""Errors of downloads: a retry is advised only where it can change something."""

from __future__ import annotations

import pytest

from browser_pilot.errors import DownloadBroken, DownloadFailed
from browser_pilot.page.downloads.download_errors import network_error, require_whole_file


@pytest.mark.parametrize(
    "code",
    ["ERR_TOO_MANY_REDIRECTS", "net::ERR_NAME_NOT_RESOLVED", "ERR_UNSAFE_PORT", "ERR_CERT_AUTHORITY_INVALID"],
)
def test_what_another_attempt_cannot_change_is_not_retried(code: str) -> None:
    error = network_error(code)
    assert not error.retryable and not any("again" in advice.lower() for advice in error.suggestions)
    assert error.message.startswith("Network request failed: ")


def test_a_broken_connection_may_be_retried() -> None:
    error = network_error("net::ERR_CONNECTION_RESET")
    assert isinstance(error, DownloadBroken) and error.retryable


@pytest.mark.parametrize(
    ("status", "content_range"),
    [(204, ""), (205, ""), (206, ""), (206, "bytes 0-999/5012"), (206, "bytes 1-999/1000"), (206, "bytes 0-999/*")],
)
def test_a_response_without_the_whole_file_is_refused(status: int, content_range: str) -> None:
    with pytest.raises(DownloadFailed):
        require_whole_file(status, content_range)


@pytest.mark.parametrize(("status", "content_range"), [(200, ""), (200, "bytes 0-1/9"), (206, "bytes 0-999/1000")])
def test_a_response_with_the_whole_file_is_accepted(status: int, content_range: str) -> None:
    require_whole_file(status, content_range)
