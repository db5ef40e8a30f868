"""Right calls of every tool: each argument that its schema lists, and each value where there are choices.

A new tool needs an entry here, and so does a new argument or choice; ``test_right_calls`` says which is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# Stand for what is only known in a test: the cursor of the answer before, a file, the page, the session.
CURSOR = "<cursor>"
FILE = "<file>"
HERE = "<here>"
THEIRS = "<session>"


@dataclass(frozen=True)
class Right:
    """A call that must succeed. ``proof`` is true in the page afterwards; ``before`` is called first."""

    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    proof: str = "true"
    before: tuple[tuple[str, Mapping[str, Any]], ...] = ()


def happened(*types: str) -> str:
    return " && ".join(f"happened.includes('{kind}')" for kind in types)


OPEN_DIALOG = (("browser_click", {"element": "#ask"}),)
SAVE = {"action": "save", "profile": "kept"}
SHORT = (("browser_snapshot", {"max_tokens": 50}),)
READ_SHORT = (("browser_read", {"max_tokens": 50, "scope": "page"}),)

RIGHT: dict[str, tuple[Right, ...]] = {
    "browser_navigate": (
        Right({"url": HERE}, "happened.length === 0"),
        Right({"url": HERE, "action": "goto", "snapshot": True}),
        *(Right({"url": HERE, "wait_until": until}) for until in ("load", "domcontentloaded", "networkidle", "commit")),
        Right({"action": "reload"}),
        Right(
            {"action": "back"}, before=(("browser_click", {"element": "text=a link"}),), proof="location.hash === ''"
        ),
        Right(
            {"action": "forward"},
            before=(("browser_click", {"element": "text=a link"}), ("browser_navigate", {"action": "back"})),
            proof="location.hash === '#there'",
        ),
    ),
    "browser_tabs": (
        Right({"action": "list"}),
        Right({"action": "open", "url": HERE}),
        Right({"action": "select", "tab": "t1"}),
        Right({"action": "close", "tab": "t2"}, before=(("browser_tabs", {"action": "open"}),)),
    ),
    "browser_snapshot": (
        *(Right({"detail": detail}) for detail in ("interactive", "standard", "full")),
        Right({"element": "#form", "boxes": True}),
        Right({"max_tokens": 50, "cursor": CURSOR}, before=SHORT),
    ),
    "browser_find": (Right({"query": "text"}), Right({"role": "button"}), Right({"regex": "S.me"})),
    "browser_click": (
        Right({"element": "#go"}, happened("click")),
        Right({"element": {"css": "#to", "at": [5, 5]}, "count": 2}, happened("dblclick")),
        Right({"element": "text=Tall", "button": "left", "modifiers": ["Shift", "Alt", "Control", "Meta"]}),
        Right({"element": "#go", "button": "middle"}, happened("mousedown")),
        Right({"element": "#go", "button": "right"}, happened("contextmenu")),
    ),
    "browser_type": (
        Right({"element": "#name", "text": "Ada", "slowly": True}, "document.querySelector('#name').value === 'Ada'"),
        Right({"element": "#name", "text": "Ada", "clear": False, "submit": True}, happened("input", "submit")),
    ),
    "browser_select": (Right({"element": "#size", "values": ["Large"]}, happened("change")),),
    "browser_hover": (Right({"element": "#go"}, "document.querySelector('#go').matches(':hover')"),),
    "browser_press": (Right({"key": "a", "element": "#name"}, happened("input")), Right({"key": "Control+End"})),
    "browser_fill_form": (
        Right(
            {"fields": [{"element": "#name", "value": "Ada"}, {"element": "#box", "value": True}], "submit": True},
            happened("input", "change", "submit"),
        ),
    ),
    "browser_scroll": (
        Right({"dx": 0, "dy": 300}, "scrollY === 300"),
        Right({"to": "bottom"}, "scrollY > 300"),
        Right({"to": "top"}, "scrollY === 0"),
        Right({"to": "element", "element": "#there"}, "scrollY > 300"),
    ),
    "browser_upload": (
        Right({"element": "#file", "paths": [FILE]}, "document.querySelector('#file').files.length === 1"),
    ),
    "browser_dialog": (
        Right({"accept": True, "text": "Grace"}, before=OPEN_DIALOG),
        Right({"accept": False}, before=OPEN_DIALOG),
    ),
    "browser_drag": (Right({"from": "#from", "to": "#to"}, happened("drop")),),
    "browser_wait_for": (
        Right({"text": "Some text"}),
        Right({"text_gone": "Nowhere"}),
        *(Right({"element": "#go", "state": state}) for state in ("visible", "attached", "enabled")),
        Right({"element": "#off", "state": "disabled"}),
        Right({"element": "#box", "state": "unchecked"}),
        Right({"element": "#on", "state": "checked"}),
        Right({"element": "#name", "state": "focused"}, before=(("browser_click", {"element": "#name"}),)),
        *(Right({"element": "#nothing", "state": state}) for state in ("hidden", "detached")),
        Right({"url": "/everything"}),
        *(Right({"load": state}) for state in ("load", "domcontentloaded", "networkidle")),
        Right({"function": "() => 1"}),
        Right({"ms": 1}),
    ),
    "browser_read": (
        *(Right({"format": kind, "element": "#text"}) for kind in ("markdown", "text", "html")),
        Right({"scope": "article"}),
        Right({"scope": "page", "max_tokens": 50, "cursor": CURSOR}, before=READ_SHORT),
    ),
    "browser_dom": (Right({"max_nodes": 5}), Right({"element": "#form"})),
    "browser_screenshot": (
        Right({"format": "png", "labels": True}),
        Right({"format": "jpeg", "quality": 50, "full_page": True}),
        Right({"format": "webp", "element": "#form", "path": "form.webp"}),
    ),
    "browser_console": (
        *(Right({"level": level}) for level in ("error", "warning", "info", "debug")),
        Right({"text": "ready", "host": "127.0.0.1", "since": 60, "limit": 1, "cursor": 100}),
    ),
    "browser_network": (
        Right({"id": 1}),
        Right({"method": "get", "status": "2xx", "type": "document", "url": "every", "limit": 1, "cursor": 100}),
        Right({"host": "127.0.0.1", "since": "2020-01-01"}),
    ),
    "browser_picked": (Right(),),
    "browser_download": (
        Right({"url": HERE, "filename": "Every page.html"}),
        Right({"element": "text=a link", "wait": True}),
        Right({"selector": "p a"}),
        Right({"index": 2}, before=(("browser_dom", {}),)),
        Right({"id": "d1", "wait": False}, before=(("browser_download", {"selector": "p a"}),)),
        Right({"id": "d1", "cancel": True}, before=(("browser_download", {"selector": "p a", "wait": False}),)),
    ),
    "browser_pdf": (Right({"path": "page.pdf"}),),
    "browser_evaluate": (
        Right({"expression": "document.title"}),
        Right({"expression": "e => e.textContent = 'Gone'", "element": "#go"}, happened("mutation")),
    ),
    "browser_cookies": (
        Right(
            {"action": "set", "name": "a", "value": "1", "path": "/", "expires": 4e9, "http_only": False},
            "document.cookie.includes('a=1')",
        ),
        Right({"action": "set", "name": "b", "value": "2", "url": HERE, "secure": False}),
        Right({"action": "get", "name": "a", "url": HERE}),
        Right({"action": "delete", "name": "a", "domain": "127.0.0.1"}, "!document.cookie.includes('a=1')"),
        Right({"action": "clear"}, "document.cookie === ''"),
    ),
    "browser_storage": (
        Right({"action": "set", "kind": "local", "key": "k", "value": "v"}, "localStorage.k === 'v'"),
        Right({"action": "get", "kind": "session"}),
        Right({"action": "delete", "key": "kept"}, "localStorage.kept === undefined"),
        Right({"action": "clear"}, "localStorage.length === 0"),
    ),
    "browser_trace": (
        Right({"action": "start"}),
        Right({"action": "stop", "path": "trace.zip"}),
    ),
    "browser_session": (
        Right({"action": "list"}),
        Right(
            {
                "action": "create",
                "viewport": [800, 600],
                "device": "iPhone 15",
                "user_agent": "Ours",
                "locale": "de-DE",
                "timezone": "Europe/Berlin",
                "allowed_domains": ["127.0.0.1"],
                "headed": False,
                "engine": "managed",
                "browser": "chromium",
                "storage_state": {"cookies": [], "origins": []},
                "proxy": "http://127.0.0.1:9",
                "wait_ms": 1,
                "tab": None,
            }
        ),
        *(Right({"action": "create", "color_scheme": scheme}) for scheme in ("light", "dark", "no-preference")),
        Right({"action": "create", "profile": "kept"}, before=(("browser_session", SAVE),)),
        Right({"action": "save", "profile": "kept", "session": THEIRS}),
        Right({"action": "use", "session": THEIRS}),
        Right({"action": "close"}, before=(("browser_session", {"action": "create"}),)),
    ),
    "browser_interact": (
        Right({"action": "click", "element": "#go", "snapshot": True}, happened("click")),
        Right({"action": "type", "element": "#name", "text": "Ada"}, happened("input")),
        Right({"action": "hover", "element": "#go"}),
        Right({"action": "select", "element": "#size", "value": "Large"}, happened("change")),
        Right({"action": "press", "key": "a", "element": "#name"}, happened("keydown")),
    ),
}
