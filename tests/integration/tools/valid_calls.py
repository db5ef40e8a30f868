"""Valid calls of every tool: each argument in its schema, and each value of an enum.

A new tool, argument or enum value needs an entry here; ``test_valid_calls`` names the missing one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# Placeholders for values that only a test knows: cursor and first match of the previous result, file, page, session.
CURSOR = "<cursor>"
REF = "<ref>"
FILE = "<file>"
HERE = "<here>"
SESSION = "<session>"


@dataclass(frozen=True)
class ValidCall:
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

VALID_CALLS: dict[str, tuple[ValidCall, ...]] = {
    "browser_navigate": (
        ValidCall({"url": HERE}, "happened.length === 0"),
        ValidCall({"url": HERE, "action": "goto", "snapshot": True}),
        *(
            ValidCall({"url": HERE, "wait_until": until})
            for until in ("load", "domcontentloaded", "networkidle", "commit")
        ),
        ValidCall({"action": "reload"}),
        ValidCall(
            {"action": "back"}, before=(("browser_click", {"element": "text=a link"}),), proof="location.hash === ''"
        ),
        ValidCall(
            {"action": "forward"},
            before=(("browser_click", {"element": "text=a link"}), ("browser_navigate", {"action": "back"})),
            proof="location.hash === '#there'",
        ),
    ),
    "browser_tabs": (
        ValidCall({"action": "list"}),
        ValidCall({"action": "open", "url": HERE}),
        ValidCall({"action": "select", "tab": "t1"}),
        ValidCall({"action": "close", "tab": "t2"}, before=(("browser_tabs", {"action": "open"}),)),
    ),
    "browser_snapshot": (
        *(ValidCall({"detail": detail}) for detail in ("interactive", "standard", "full")),
        ValidCall({"element": "#form", "boxes": True}),
        ValidCall({"max_tokens": 50, "cursor": CURSOR}, before=SHORT),
    ),
    "browser_find": (ValidCall({"query": "text"}), ValidCall({"role": "button"}), ValidCall({"regex": "S.me"})),
    "browser_click": (
        ValidCall({"element": "#go"}, happened("click")),
        ValidCall({"element": {"css": "#to", "at": [5, 5]}, "count": 2}, happened("dblclick")),
        ValidCall({"element": "text=Tall", "button": "left", "modifiers": ["Shift", "Alt", "Control", "Meta"]}),
        ValidCall({"element": "#go", "button": "middle"}, happened("mousedown")),
        ValidCall({"element": "#go", "button": "right"}, happened("contextmenu")),
    ),
    "browser_type": (
        ValidCall(
            {"element": "#name", "text": "Ada", "slowly": True}, "document.querySelector('#name').value === 'Ada'"
        ),
        ValidCall({"element": "#name", "text": "Ada", "clear": False, "submit": True}, happened("input", "submit")),
    ),
    "browser_select": (ValidCall({"element": "#size", "values": ["Large"]}, happened("change")),),
    "browser_hover": (ValidCall({"element": "#go"}, "document.querySelector('#go').matches(':hover')"),),
    "browser_press": (
        ValidCall({"key": "a", "element": "#name"}, happened("input")),
        ValidCall({"key": "Control+End"}),
    ),
    "browser_fill_form": (
        ValidCall(
            {"fields": [{"element": "#name", "value": "Ada"}, {"element": "#box", "value": True}], "submit": True},
            happened("input", "change", "submit"),
        ),
    ),
    "browser_scroll": (
        ValidCall({"dx": 0, "dy": 300}, "scrollY === 300"),
        ValidCall({"to": "bottom"}, "scrollY > 300"),
        ValidCall({"to": "top"}, "scrollY === 0"),
        ValidCall({"to": "element", "element": "#there"}, "scrollY > 300"),
    ),
    "browser_upload": (
        ValidCall({"element": "#file", "paths": [FILE]}, "document.querySelector('#file').files.length === 1"),
    ),
    "browser_dialog": (
        ValidCall({"accept": True, "text": "Grace"}, before=OPEN_DIALOG),
        ValidCall({"accept": False}, before=OPEN_DIALOG),
    ),
    "browser_drag": (
        ValidCall({"from": "#from", "to": "#to"}, happened("drop")),
        ValidCall({"from": "#from", "to": "#to", "via": [{"x": 300, "y": 20}]}, happened("drop")),
    ),
    "browser_wait_for": (
        ValidCall({"text": "Some text"}),
        ValidCall({"text_gone": "Nowhere"}),
        *(ValidCall({"element": "#go", "state": state}) for state in ("visible", "attached", "enabled")),
        ValidCall({"element": "#off", "state": "disabled"}),
        ValidCall({"element": "#box", "state": "unchecked"}),
        ValidCall({"element": "#on", "state": "checked"}),
        ValidCall({"element": "#name", "state": "focused"}, before=(("browser_click", {"element": "#name"}),)),
        *(ValidCall({"element": "#nothing", "state": state}) for state in ("hidden", "detached")),
        ValidCall({"url": "/everything"}),
        *(ValidCall({"load": state}) for state in ("load", "domcontentloaded", "networkidle")),
        ValidCall({"function": "() => 1"}),
        ValidCall({"ms": 1}),
    ),
    "browser_run": (
        ValidCall(
            {"steps": [{"click": "#go"}, {"type": {"element": "#name", "text": "Ada"}}]}, happened("click", "input")
        ),
    ),
    "browser_extract": (
        ValidCall({"element": "#form", "rows": "label", "max_rows": 2, "max_pages": 1, "scrolls": 1}),
        ValidCall({"rows": "label", "schema": {"name": "input@id"}, "types": {"name": "text"}, "file": "fields.csv"}),
        ValidCall({"rows": "label", "schema": {"id": {"css": "input@id"}}, "next": "#off"}),
        ValidCall({"example": {"size": "Small"}}),
    ),
    "browser_read": (
        *(ValidCall({"format": kind, "element": "#text"}) for kind in ("markdown", "text", "html")),
        ValidCall({"scope": "article", "concealed": True}),
        ValidCall({"scope": "page", "max_tokens": 50, "cursor": CURSOR}, before=READ_SHORT),
    ),
    "browser_dom": (
        ValidCall({"max_nodes": 5}),
        ValidCall({"element": "#form"}),
        ValidCall({"max_tokens": 300, "cursor": CURSOR}, before=(("browser_dom", {"max_tokens": 300}),)),
    ),
    "browser_screenshot": (
        ValidCall({"format": "png", "labels": True}),
        ValidCall({"format": "jpeg", "quality": 50, "full_page": True}),
        ValidCall({"format": "webp", "element": "#form", "path": "form.webp"}),
    ),
    "browser_console": (
        *(ValidCall({"level": level}) for level in ("error", "warning", "info", "debug")),
        ValidCall({"text": "ready", "host": "127.0.0.1", "since": 60, "limit": 1, "cursor": 100}),
    ),
    "browser_network": (
        ValidCall({"id": 1}),
        ValidCall({"method": "get", "status": "2xx", "type": "document", "url": "every", "limit": 1, "cursor": 100}),
        ValidCall({"host": "127.0.0.1", "since": "2020-01-01"}),
    ),
    "browser_picked": (ValidCall(),),
    "browser_download": (
        ValidCall({"url": HERE, "filename": "Every page.html"}),
        ValidCall({"element": "text=a link", "wait": True}),
        ValidCall({"selector": "p a"}),
        ValidCall({"ref": REF}, before=(("browser_find", {"query": "a link", "role": "link"}),)),
        ValidCall({"index": 2}, before=(("browser_dom", {}),)),
        ValidCall({"id": "d1", "wait": False}, before=(("browser_download", {"selector": "p a"}),)),
        ValidCall({"id": "d1", "cancel": True}, before=(("browser_download", {"selector": "p a", "wait": False}),)),
    ),
    "browser_pdf": (ValidCall({"path": "page.pdf"}),),
    "browser_evaluate": (
        ValidCall({"expression": "document.title"}),
        ValidCall({"expression": "e => e.textContent = 'Gone'", "element": "#go"}, happened("mutation")),
    ),
    "browser_cookies": (
        ValidCall(
            {"action": "set", "name": "a", "value": "1", "path": "/", "expires": 4e9, "http_only": False},
            "document.cookie.includes('a=1')",
        ),
        ValidCall({"action": "set", "name": "b", "value": "2", "url": HERE, "secure": False}),
        ValidCall({"action": "get", "name": "a", "url": HERE}),
        ValidCall({"action": "delete", "name": "a", "domain": "127.0.0.1"}, "!document.cookie.includes('a=1')"),
        ValidCall({"action": "clear"}, "document.cookie === ''"),
    ),
    "browser_storage": (
        ValidCall({"action": "set", "kind": "local", "key": "k", "value": "v"}, "localStorage.k === 'v'"),
        ValidCall({"action": "get", "kind": "session"}),
        ValidCall({"action": "delete", "key": "kept"}, "localStorage.kept === undefined"),
        ValidCall({"action": "clear"}, "localStorage.length === 0"),
    ),
    "browser_trace": (
        ValidCall({"action": "start"}),
        ValidCall({"action": "stop", "path": "trace.zip"}),
    ),
    "browser_session": (
        ValidCall({"action": "list"}),
        ValidCall(
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
        *(ValidCall({"action": "create", "color_scheme": scheme}) for scheme in ("light", "dark", "no-preference")),
        ValidCall({"action": "create", "profile": "kept"}, before=(("browser_session", SAVE),)),
        ValidCall({"action": "save", "profile": "kept", "session": SESSION}),
        ValidCall({"action": "use", "session": SESSION}),
        ValidCall({"action": "close"}, before=(("browser_session", {"action": "create"}),)),
    ),
    "browser_interact": (
        ValidCall({"action": "click", "element": "#go", "snapshot": True}, happened("click")),
        ValidCall({"action": "type", "element": "#name", "text": "Ada"}, happened("input")),
        ValidCall({"action": "hover", "element": "#go"}),
        ValidCall({"action": "select", "element": "#size", "value": "Large"}, happened("change")),
        ValidCall({"action": "press", "key": "a", "element": "#name"}, happened("keydown")),
    ),
}
