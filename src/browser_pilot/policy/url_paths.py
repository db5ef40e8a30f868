"""What a URL's path says that opening it, or sending a form to it, does: ``/account/delete``, ``?action=pay``. Pure.

A path is a weak sign: most such URLs only show a page. So few segments are clear, only where the path ends with them
(an id may follow), and never below documentation, help or search.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ada_url import URL

from .keywords import ActionCategory

# Complete path segments; sites use English ones in every language.
_SEGMENTS: dict[ActionCategory, str] = {
    "pay": "pay|payment|payments|checkout|donate|pay-now|paynow|make-payment|confirm-payment|topup|top-up",
    "buy": "buy|purchase|place-order|order-confirm|confirm-order|bid|place-bid|book-now",
    "transfer": "transfer|transfers|withdraw|withdrawal|payout|send-money|transfer-funds|cashout|sell|swap",
    "sign": "sign-contract|sign-document",
    "delete": "delete|destroy|erase|purge|wipe|close-account|delete-account|account-delete|delete-all"
    "|deactivate-account",
    "change_password": "change-password|reset-password|password-reset|change-email|disable-2fa",
    "permissions": "authorize|authorise|grant",
    "remove": "remove|unsubscribe|revoke|uninstall|cancel-subscription|cancel-order",
    "subscribe": "subscribe",
    "sign_in": "login|signin|sign-in|log-in|signup|sign-up|register",
    "sign_out": "logout|signout|sign-out|log-out|logoff",
}
# Opening one of these is likely to do it, or to be one step from it.
_CLEAR = frozenset(
    "pay|pay-now|paynow|make-payment|confirm-payment|place-order|confirm-order|order-confirm|place-bid|send-money"
    "|transfer-funds|delete|destroy|erase|purge|wipe|close-account|delete-account|account-delete|delete-all"
    "|deactivate-account".split("|")
)
_INFORMING = frozenset(
    "docs|doc|documentation|help|support|guide|guides|wiki|blog|article|articles|faq|faqs|learn|tutorial|tutorials|manual"
    "|reference|api-reference|kb|knowledge-base|news|search|questions|tag|tags|topics|glossary|dictionary|man|policy"
    "|policies|legal|community|forum|press|about|apidocs|api-docs|how-to|howto|sdk".split("|")
)
_ACTION_PARAMETERS = frozenset("action|act|do|op|cmd|command|task|method|_method|operation|event".split("|"))
_ID = re.compile(r"(?=.*\d)[0-9a-z-]{1,64}|[0-9a-f-]{16,64}")
_CATEGORY_OF: dict[str, ActionCategory] = {
    segment: category for category, names in _SEGMENTS.items() for segment in names.split("|")
}


class PathMeaning(NamedTuple):
    """``is_clear``: opening the URL is likely to do it, not only to show a page about it."""

    category: ActionCategory
    is_clear: bool


def path_meaning(url: str) -> PathMeaning | None:
    """What opening this URL may do, if its path or an action parameter says so."""
    parsed = _parse(url)
    if parsed is None:
        return None
    segments = _segments(parsed.pathname)
    if not _INFORMING.isdisjoint((*segments, parsed.hostname.partition(".")[0])):
        return None
    while segments and _ID.fullmatch(segments[-1]) and segments[-1] not in _CATEGORY_OF:
        segments.pop()
    last = [segments[-1]] if segments else []
    clear = next((name for name in (*last, *_action_parameters(parsed.search)) if name in _CLEAR), None)
    if clear is not None:
        return PathMeaning(_CATEGORY_OF[clear], is_clear=True)
    category = _first_category(segments)
    return None if category is None else PathMeaning(category, is_clear=False)


def target_category(url: str) -> ActionCategory | None:
    """What a form that is sent to this URL may do: any segment counts."""
    parsed = _parse(url)
    return None if parsed is None else _first_category(_segments(parsed.pathname))


def _parse(url: str) -> URL | None:
    try:
        parsed = URL(url)
    except ValueError:
        return None
    return parsed if parsed.protocol in ("http:", "https:") else None


def _segments(path: str) -> list[str]:
    return [name for part in path.lower().replace("_", "-").split("/") if (name := part.rsplit(".", 1)[0])]


def _action_parameters(query: str) -> list[str]:
    pairs = (pair.partition("=") for pair in query.removeprefix("?").lower().split("&"))
    return [value.replace("_", "-") for name, _, value in pairs if name in _ACTION_PARAMETERS]


def _first_category(segments: list[str]) -> ActionCategory | None:
    """The most sensitive category of any segment: categories are in this order."""
    found = {_CATEGORY_OF[segment] for segment in segments if segment in _CATEGORY_OF}
    return next((category for category in _SEGMENTS if category in found), None)
