"""What the relay knows about the DevTools protocol: tables and shapes. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import cast

from ada_url import URL

from .wire import Json

BROWSER_SESSION = "browser"
VERSION = "1.3"
BLANK = ("", "about:blank")

# Our own event, for the further sessions of a tab: the debugger was off, and is on again.
ATTACHED_AGAIN = "Pilot.attachedAgain"

# Told to Playwright in front of a message; ``pages.playwright_errors`` knows them again.
UNKNOWN = "Browser Pilot does not know the outcome: "
AWAY = "Browser Pilot has lost the browser: "
HALTED = "Browser Pilot was halted: "
BARRED = "Browser Pilot is kept out of this page: "
FORBIDDEN = "Browser Pilot does not do this in your own browser: "

# These set up a session rather than do something; a tab that was let go is set up again by repeating them.
_STICKY = re.compile(
    r"\.enable$|^Emulation\.set|^Page\.(setLifecycleEventsEnabled|addScriptToEvaluateOnNewDocument|setBypassCSP"
    r"|setInterceptFileChooserDialog)$|^Target\.setAutoAttach$|^Runtime\.(addBinding|runIfWaitingForDebugger)$"
    r"|^Network\.(setCacheDisabled|setExtraHTTPHeaders|setBypassServiceWorker)$"
)
# They would bring a tab to the front, which is the user's place.
_SWALLOWED = frozenset({"Page.bringToFront", "Target.activateTarget", "Page.setWebLifecycleState"})
_FORBIDDEN = {
    "Storage.clearCookies": "it would sign you out everywhere. Delete single cookies by name instead.",
    "Network.clearBrowserCookies": "it would sign you out everywhere. Delete single cookies by name instead.",
    "Network.clearBrowserCache": "the cache is yours.",
    "Network.getAllCookies": "it would read the cookies of all sites.",
    "Target.createBrowserContext": "Chrome has no separate contexts here. Use a managed browser for that.",
    "Browser.grantPermissions": "Chrome asks you for permissions itself. Use a managed browser for that.",
    "Browser.setPermission": "Chrome asks you for permissions itself. Use a managed browser for that.",
}
_WHILE_HALTED = re.compile(
    r"\.(enable|disable)$|^Runtime\.(runIfWaitingForDebugger|releaseObject)|^Page\.getFrameTree$"
)

# Makes a tab in the background draw, so that clicks and pictures work there; its frames are never acknowledged.
DUMMY_SCREENCAST: Json = {"format": "jpeg", "quality": 1, "maxWidth": 16, "maxHeight": 16, "everyNthFrame": 1000}


def is_sticky(method: str) -> bool:
    return _STICKY.search(method) is not None


def is_swallowed(method: str) -> bool:
    return method in _SWALLOWED


def is_harmless(method: str) -> bool:
    """Whether a command may pass while the user has halted everything."""
    return _WHILE_HALTED.search(method) is not None


def why_forbidden(method: str) -> str | None:
    return _FORBIDDEN.get(method)


def error_of(text: str) -> Json:
    """An error for Playwright: Chrome's own where the text is one, else the text."""
    try:
        given: object = json.loads(text)
    except ValueError:
        given = None
    if isinstance(given, dict) and "message" in given:
        return cast(Json, given)
    return {"code": -32000, "message": text}


def version_answer(agent: str, version: str) -> Json:
    product = f"Chrome/{version}"
    return {"protocolVersion": VERSION, "product": product, "revision": "", "userAgent": agent, "jsVersion": ""}


def browser_target() -> Json:
    return {
        "targetId": "browser",
        "type": "browser",
        "title": "",
        "url": "",
        "attached": True,
        "canAccessOpener": False,
    }


def is_of_an_extension(target: Json) -> bool:
    """Whether a frame belongs to an extension, such as Chrome's PDF viewer: it may do what no page may."""
    return str(target.get("url", "")).startswith("chrome-extension:")


def cookies_of(cookies: Iterable[Json], urls: Iterable[str]) -> list[Json]:
    """Those that pages at these addresses have; other sites' cookies are nobody's business."""
    hosts = [host for url in urls if (host := host_of(url))]
    return [cookie for cookie in cookies if any(_belongs(str(cookie.get("domain", "")), host) for host in hosts)]


def host_of(url: str) -> str:
    try:
        return URL(url).hostname
    except ValueError:
        return ""


def _belongs(domain: str, host: str) -> bool:
    bare = domain.removeprefix(".").lower()
    return bare == host or (domain.startswith(".") and host.endswith(f".{bare}")) or bare.endswith(f".{host}")


def restored_page_events(frame: Json) -> list[tuple[str, Json]]:
    """What Playwright waits for and Chrome does not tell of a page that comes out of the back/forward cache."""
    names = ("DOMContentLoaded", "load", "networkAlmostIdle", "networkIdle")
    common = {"frameId": frame["id"], "loaderId": frame["loaderId"], "timestamp": 0}
    return [("Page.lifecycleEvent", {**common, "name": name}) for name in names]


def lost_child_events(session: str, info: Json) -> list[tuple[str, Json]]:
    """That a frame or worker lost its session, though it is still there.

    Of a frame that comes to live in its parent's process Playwright keeps what it knows; of others it forgets them.
    """
    target = info.get("targetId")
    gone: tuple[str, Json] = ("Target.detachedFromTarget", {"sessionId": session, "targetId": target})
    if info.get("type") != "iframe":
        return [gone]
    return [("Page.frameAttached", {"frameId": target, "parentFrameId": info.get("parentFrameId", "")}), gone]
