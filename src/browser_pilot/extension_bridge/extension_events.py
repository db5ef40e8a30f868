"""Validates the events of a paired extension before anything is done with them. Pure.

The extension is ours, but what it sends may be damaged, or come from another program that holds its key. A malformed
event ends the connection, like any other message that is not of the protocol.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

from browser_pilot.upstream_errors import DROPPED_EVENT

from .protocol import Event, ProtocolError

MAX_TABS = 1_000
_GUID = re.compile(r"[\w-]{1,100}")


def validate(event: Event) -> None:
    """Raise ``ProtocolError`` unless the arguments have the types that the relay relies on. Unknown events pass."""
    check = _CHECKS.get(event.event)
    if check is not None and not check(event.args):
        raise ProtocolError(f"a malformed event {event.event}")


def _is_dict(value: object, **fields: type | tuple[type, ...]) -> bool:
    """Whether it is an object with these fields; a bool is no number."""
    if not isinstance(value, dict):
        return False
    given = cast("dict[str, object]", value)
    values = ((given.get(name), kind) for name, kind in fields.items())
    return all(isinstance(one, kind) and not isinstance(one, bool) for one, kind in values)


def _is_cdp_event(args: list[Any]) -> bool:
    if len(args) != 3 or not _is_dict(args[0], tabId=int, sessionId=(str, type(None))) or not isinstance(args[1], str):
        return False
    method, params = args[1], args[2]
    if not _is_dict(params, **_CDP_FIELDS.get(method, {})):
        return False
    if method == "Page.frameNavigated":
        return _is_dict(params["frame"], id=str, loaderId=str)
    if method == "Target.attachedToTarget":
        return _is_dict(params["targetInfo"], targetId=str)
    if method == DROPPED_EVENT:
        return isinstance(params.get("stopped"), bool) and all(type(one) is int for one in params["dropped"].values())
    # A download's id becomes a file name.
    return not method.startswith("Page.download") or _GUID.fullmatch(params["guid"]) is not None


def _is_detach(args: list[Any]) -> bool:
    match args:
        case [source, str()]:
            return _is_dict(source, tabId=int)
        case _:
            return False


def _is_tab_list(args: list[Any]) -> bool:
    if len(args) != 1 or not isinstance(args[0], list):
        return False
    tabs = cast("list[object]", args[0])
    return len(tabs) <= MAX_TABS and all(
        _is_dict(tab, id=int, kind=str, since=(int, float), opener=(int, type(None))) for tab in tabs
    )


def _is_navigation(args: list[Any]) -> bool:
    return len(args) == 1 and _is_dict(args[0], tabId=int, url=(str, type(None)))


def _is_word(args: list[Any]) -> bool:
    return len(args) == 1 and isinstance(args[0], str)


# The fields of CDP events that the relay itself reads; all others pass to Playwright as they are.
_CDP_FIELDS: dict[str, dict[str, type]] = {
    "Target.attachedToTarget": {"sessionId": str, "targetInfo": dict},
    "Target.detachedFromTarget": {"sessionId": str},
    DROPPED_EVENT: {"dropped": dict},
    "Page.frameRequestedNavigation": {"frameId": str},
    "Page.frameAttached": {"frameId": str},
    "Page.frameDetached": {"frameId": str},
    "Page.frameNavigated": {"frame": dict},
    "Page.downloadWillBegin": {"guid": str, "url": str},
    "Page.downloadProgress": {"guid": str},
    "Network.requestWillBeSent": {"requestId": str},
    "Network.loadingFinished": {"requestId": str},
    "Network.loadingFailed": {"requestId": str},
}
_CHECKS: dict[str, Callable[[list[Any]], bool]] = {
    "debugger.onEvent": _is_cdp_event,
    "debugger.onDetach": _is_detach,
    "controlledTabs.changed": _is_tab_list,
    "user.command": _is_word,
    "webNavigation.onCreatedNavigationTarget": _is_navigation,
    "webNavigation.onDOMContentLoaded": _is_navigation,
    "webNavigation.onErrorOccurred": _is_navigation,
}
