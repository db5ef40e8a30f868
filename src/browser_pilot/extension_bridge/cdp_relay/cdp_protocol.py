"""Tables and message shapes of CDP that the relay needs. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import cast

from ada_url import URL

from browser_pilot.json_types import JsonObject

BROWSER_SESSION = "browser"
PROTOCOL_VERSION = "1.3"
BLANK_URLS = ("", "about:blank")

# These set up a session and act on nothing; a reattach repeats them.
_STICKY = re.compile(
    r"\.enable$|^Emulation\.set|^Page\.(setLifecycleEventsEnabled|addScriptToEvaluateOnNewDocument|setBypassCSP"
    r"|setInterceptFileChooserDialog)$|^Target\.setAutoAttach$|^Runtime\.(addBinding|runIfWaitingForDebugger)$"
    r"|^Network\.(setCacheDisabled|setExtraHTTPHeaders|setBypassServiceWorker)$"
)
# They would bring a tab to the front; only the user does that.
_IGNORED = frozenset({"Page.bringToFront", "Target.activateTarget", "Page.setWebLifecycleState"})
_FORBIDDEN = {
    "Storage.clearCookies": "it would sign you out everywhere. Delete single cookies by name instead.",
    "Network.clearBrowserCookies": "it would sign you out everywhere. Delete single cookies by name instead.",
    "Network.clearBrowserCache": "the cache is yours.",
    "Network.getAllCookies": "it would read the cookies of all sites.",
    "Target.createBrowserContext": "Chrome has no separate contexts here. Use a managed browser for that.",
    "Browser.grantPermissions": "Chrome asks you for permissions itself. Use a managed browser for that.",
    "Browser.setPermission": "Chrome asks you for permissions itself. Use a managed browser for that.",
}
_ALLOWED_WHILE_HALTED = re.compile(
    r"\.(enable|disable)$|^Runtime\.(runIfWaitingForDebugger|releaseObject|releaseObjectGroup)$|^Page\.getFrameTree$"
    r"|^Fetch\.(continueRequest|failRequest)$"
)

# Makes a background tab render, so that clicks and screenshots work there; its frames are never acknowledged.
DUMMY_SCREENCAST: JsonObject = {"format": "jpeg", "quality": 1, "maxWidth": 16, "maxHeight": 16, "everyNthFrame": 1000}


def is_setup_command(method: str) -> bool:
    return _STICKY.search(method) is not None


def is_ignored(method: str) -> bool:
    return method in _IGNORED


def is_allowed_while_halted(method: str) -> bool:
    """Whether a command may pass while the user has halted all agents: it only listens, or the user's page would wait.

    The extension has the same list in ``cdp_methods.js``.
    """
    return _ALLOWED_WHILE_HALTED.search(method) is not None


def forbidden_reason(method: str) -> str | None:
    return _FORBIDDEN.get(method)


def error_response(text: str) -> JsonObject:
    """A CDP error for Playwright: Chrome's own where the text is its JSON, else one with this text."""
    try:
        parsed: object = json.loads(text)
    except ValueError:
        parsed = None
    if isinstance(parsed, dict) and "message" in parsed:
        return cast(JsonObject, parsed)
    return {"code": -32000, "message": text}


def version_response(agent: str, version: str) -> JsonObject:
    product = f"Chrome/{version}"
    return {
        "protocolVersion": PROTOCOL_VERSION,
        "product": product,
        "revision": "",
        "userAgent": agent,
        "jsVersion": "",
    }


def browser_target() -> JsonObject:
    return {
        "targetId": "browser",
        "type": "browser",
        "title": "",
        "url": "",
        "attached": True,
        "canAccessOpener": False,
    }


def is_extension_target(target: JsonObject) -> bool:
    """Whether a frame belongs to an extension, such as Chrome's PDF viewer: it has more rights than any page."""
    return str(target.get("url", "")).startswith("chrome-extension:")


def is_loading(tree: JsonObject, frame_id: str) -> bool:
    """Whether a frame is in the tree and shows neither a page of its own process nor an error page."""
    frame: JsonObject = tree["frame"]
    if frame["id"] == frame_id:
        return "unreachableUrl" not in frame
    return any(is_loading(child, frame_id) for child in tree.get("childFrames", []))


def cookies_for(cookies: Iterable[JsonObject], urls: Iterable[str]) -> list[JsonObject]:
    """Those that pages at these URLs have; cookies of other sites are left out."""
    hosts = [host for url in urls if (host := host_of(url))]
    return [cookie for cookie in cookies if any(_is_sent_to(str(cookie.get("domain", "")), host) for host in hosts)]


def host_of(url: str) -> str:
    try:
        return URL(url).hostname
    except ValueError:
        return ""


def _is_sent_to(domain: str, host: str) -> bool:
    bare = domain.removeprefix(".").lower()
    return bare == host or (domain.startswith(".") and host.endswith(f".{bare}")) or bare.endswith(f".{host}")


def restored_page_events(frame: JsonObject) -> list[tuple[str, JsonObject]]:
    """The lifecycle events that Playwright expects and Chrome does not send when the back/forward cache restores a
    page.
    """
    names = ("DOMContentLoaded", "load", "networkAlmostIdle", "networkIdle")
    common = {"frameId": frame["id"], "loaderId": frame["loaderId"], "timestamp": 0}
    return [("Page.lifecycleEvent", {**common, "name": name}) for name in names]


def lost_child_events(session: str, info: JsonObject) -> list[tuple[str, JsonObject]]:
    """The events of a frame or worker that lost its session but still exists.

    Playwright keeps a frame that moves to its parent's process; it forgets others.
    """
    target = info.get("targetId")
    gone: tuple[str, JsonObject] = ("Target.detachedFromTarget", {"sessionId": session, "targetId": target})
    if info.get("type") != "iframe":
        return [gone]
    return [("Page.frameAttached", {"frameId": target, "parentFrameId": info.get("parentFrameId", "")}), gone]
