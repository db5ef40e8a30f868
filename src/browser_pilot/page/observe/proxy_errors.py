"""Errors for a page or subresource that was not reached: the egress proxy's reason in place of the browser's.

A browser behind a proxy only sees a failed tunnel or the proxy's error page. ``NetworkErrorLookup`` returns the real
reason; this module turns it into an error, or a short text for a list of requests.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from playwright.async_api import Response

from browser_pilot.egress import BlockedByPolicy, NetworkFailure
from browser_pilot.egress.connect_errors import PARENT_PROXY_FAILED
from browser_pilot.errors import DomainDenied, NavigationFailed, PilotError
from browser_pilot.page.playwright_errors import network_failure
from browser_pilot.policy.rule_advice import rule_advice

# From a URL to why it last failed; None when it did not, or when the browser's own error is the right one.
NetworkErrorLookup = Callable[[str], BlockedByPolicy | NetworkFailure | None]

PROXY_STATUSES = (HTTPStatus.FORBIDDEN, HTTPStatus.BAD_GATEWAY, HTTPStatus.GATEWAY_TIMEOUT)


def no_network_errors(_url: str) -> None:
    """For a browser that does not use our proxy."""
    return


def may_be_proxy_response(response: Response) -> bool:
    """Whether the response may be the proxy's and not the server's; ``NetworkErrorLookup`` decides."""
    return response.status in PROXY_STATUSES


def unreachable_error(reason: BlockedByPolicy | NetworkFailure, operation: str, url: str) -> PilotError:
    if isinstance(reason, NetworkFailure) and reason.code == PARENT_PROXY_FAILED:
        return NavigationFailed(
            f"{operation} failed: {reason.reason}",
            suggestions=["Only the user can change the proxy (network.proxy); `browser-pilot doctor` checks it."],
        )
    if isinstance(reason, NetworkFailure):
        return network_failure(reason.code, url, operation)
    return DomainDenied(
        f"{operation} was refused: {reason.reason}",
        suggestions=[rule_advice(reason.rule)],
        metadata={"rule": reason.rule},
    )


def short_reason(reason: BlockedByPolicy | NetworkFailure) -> str:
    """For a row in a list."""
    return reason.code if isinstance(reason, NetworkFailure) else f"blocked by policy: {reason.reason}"
