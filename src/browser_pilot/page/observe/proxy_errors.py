"""What to say when a page or a part of it was not reached: the reason of the proxy in place of the browser's.

A browser behind a proxy knows only that a tunnel failed, or has the proxy's own page before it. ``Troubles`` is how a
tab asks what really stood in between; this is where the answer becomes an error, or a word in a list of requests.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from playwright.async_api import Response

from browser_pilot.egress import Failure, Refusal
from browser_pilot.errors import DomainDenied, PilotError
from browser_pilot.pages.playwright_errors import network_failure

# From an address to why it was last not reached; None when it was, or when the browser itself knows best.
Troubles = Callable[[str], Refusal | Failure | None]

STATUSES_OF_THE_PROXY = (HTTPStatus.FORBIDDEN, HTTPStatus.BAD_GATEWAY, HTTPStatus.GATEWAY_TIMEOUT)


def no_troubles(_url: str) -> None:
    """For a browser that is behind no proxy of ours."""
    return


def may_be_the_proxys(response: Response) -> bool:
    """Whether the proxy may have answered in place of a server; ``Troubles`` knows whether it did."""
    return response.status in STATUSES_OF_THE_PROXY


def unreached_error(trouble: Refusal | Failure, doing: str, url: str) -> PilotError:
    if isinstance(trouble, Failure):
        return network_failure(trouble.code, url, doing)
    return DomainDenied(
        f"{doing} was refused: {trouble.reason}",
        suggestions=[f"Only the user can change {trouble.rule}; `browser-pilot policy show` lists the rules in force."],
        metadata={"rule": trouble.rule},
    )


def in_few_words(trouble: Refusal | Failure) -> str:
    """For a row among many."""
    return trouble.code if isinstance(trouble, Failure) else f"blocked by policy: {trouble.reason}"
