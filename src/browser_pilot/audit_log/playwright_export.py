"""Exports a session's recorded actions as a test for pytest-playwright. Pure.

Locators use role and name or the field's name, not refs, which are valid only for one page. Failed actions are left
out. Redacted values and the user's secrets are read from the environment. A popup is expected around the step that
opened it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from .reader import AuditedAction

if TYPE_CHECKING:
    from browser_pilot.json_types import Json

_SECRET = re.compile(r"\{\{\s*secret:\s*([^\s{}]+)\s*\}\}|\[redacted:([a-z]+)\]")
_REF = re.compile(r"(f\d+)?e\d+")
_HEADER = '''"""What session {session} did, as a test: run it with pytest-playwright."""

import os
import re

from playwright.sync_api import BrowserContext, Page, expect


def test_session(page: Page, context: BrowserContext) -> None:
'''


def to_playwright_test(actions: Sequence[AuditedAction], session: str) -> str:
    """The source of a module with one test."""
    steps = _Steps()
    for action in actions:
        if action.intent.get("kind") == "intent" and (action.outcome or {}).get("status") == "ok":
            steps.add(action)
    body = "".join(f"    {line}\n" for line in steps.finished())
    unused = [name for name in ("context", "re", "os") if not re.search(rf"\b{name}\.", body)]
    head = _HEADER.format(session=session)
    for name in unused:
        head = head.replace(f"import {name}\n", "")
    if "context" in unused:
        head = head.replace("BrowserContext, ", "").replace(", context: BrowserContext", "")
    return re.sub(r'"""\n\n+from', '"""\n\nfrom', head) + (body or "    pass\n")


class _Steps:
    """The lines so far; the last step stays open, because a popup that it opened wraps it."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._last: list[str] = []
        self._last_tab = ""
        self._pages: dict[str, str] = {}
        self._urls: dict[str, str] = {}

    def add(self, action: AuditedAction) -> None:
        intent = action.intent
        tab = str(intent.get("tab") or (action.outcome or {}).get("tab") or self._last_tab or "t1")
        tool, arguments = str(intent.get("tool")), cast("Mapping[str, Json]", intent.get("arguments") or {})
        if tool == "browser_tabs" and arguments.get("action") == "open":
            self._open(arguments)
            return
        if tool == "browser_dialog":
            self._handle_dialog(arguments)
            return
        lines = _lines(tool, arguments, cast("Sequence[Mapping[str, str]]", intent.get("aims") or ()))
        if lines is None:
            return
        page = self._page(tab)
        self._step(tab, [line.replace("PAGE", page) for line in lines])
        url = (action.outcome or {}).get("url")
        if isinstance(url, str) and "[redacted" not in url:
            self._urls[page] = url

    def finished(self) -> list[str]:
        self._flush()
        ends = [f"expect({page}).to_have_url({_text(url)})" for page, url in self._urls.items()]
        return [*self._lines, *ends]

    def _page(self, tab: str) -> str:
        if not self._pages:
            self._pages[tab] = "page"
        elif tab not in self._pages:
            self._pages[tab] = tab
            opener = self._pages.get(self._last_tab, "page")
            self._last = [f"with {opener}.expect_popup() as opened:", *(f"    {line}" for line in self._last)]
            self._last.append(f"{tab} = opened.value")
        return self._pages[tab]

    def _open(self, arguments: Mapping[str, Json]) -> None:
        tab = f"t{len(self._pages) + 1}"
        self._flush()
        if self._pages:
            self._pages[tab] = tab
            self._lines.append(f"{tab} = context.new_page()")
        else:
            self._pages[tab] = "page"
        url = arguments.get("url")
        if isinstance(url, str):
            self._step(tab, [f"{self._pages[tab]}.goto({_text(url)})"])

    def _handle_dialog(self, arguments: Mapping[str, Json]) -> None:
        """The handler must be registered before the dialog opens."""
        page = self._pages.get(self._last_tab, "page")
        text = arguments.get("text")
        how = "dismiss()" if arguments.get("accept") is False else f"accept({_text(text) if text else ''})"
        self._last.insert(0, f'{page}.once("dialog", lambda dialog: dialog.{how})')

    def _step(self, tab: str, lines: list[str]) -> None:
        self._flush()
        self._last, self._last_tab = lines, tab

    def _flush(self) -> None:
        self._lines += self._last
        self._last = []


def _lines(tool: str, arguments: Mapping[str, Json], targets: Sequence[Mapping[str, str]]) -> list[str] | None:
    return _lines_of(tool, arguments, [_locator(target) for target in targets])


def _locator(target: Mapping[str, str]) -> str:
    """The most robust locator that the recorded facts allow."""
    within = f"PAGE.frame_locator({_text(target['frame'])})" if target.get("frame") else "PAGE"
    role, name, field = target.get("role", ""), target.get("name", ""), target.get("field", "")
    if role and name:
        return f"{within}.get_by_role({_text(role)}, name={_text(name)}, exact=True)"
    if field:
        return f"{within}.locator({_text(f'[name={json.dumps(field)}]')})"
    given = target.get("given", "")
    if given and not _REF.fullmatch(given):
        return f"{within}.locator({_text(given)}).first"
    return f"{within}.get_by_role({_text(role)}).first" if role else f"{within}.locator(':focus')"


def _navigate(arguments: Mapping[str, Json], _: list[str]) -> list[str]:
    match arguments.get("action", "goto"):
        case "back":
            return ["PAGE.go_back()"]
        case "forward":
            return ["PAGE.go_forward()"]
        case "reload":
            return ["PAGE.reload()"]
        case _:
            return [f"PAGE.goto({_text(arguments.get('url'))})"]


def _click(arguments: Mapping[str, Json], found: list[str]) -> list[str]:
    options = [
        *([f"button={_text(arguments['button'])}"] if arguments.get("button") not in (None, "left") else []),
        *([f"click_count={arguments['count']}"] if arguments.get("count") not in (None, 1) else []),
        *([f"modifiers={json.dumps(arguments['modifiers'])}"] if arguments.get("modifiers") else []),
    ]
    return [f"{found[0]}.click({', '.join(options)})"] if found else []


def _type(arguments: Mapping[str, Json], found: list[str]) -> list[str]:
    if not found:
        return []
    typing = "fill" if arguments.get("clear", True) is not False else "press_sequentially"
    lines = [f"{found[0]}.{typing}({_text(arguments.get('text'))})"]
    return [*lines, f'{found[0]}.press("Enter")'] if arguments.get("submit") else lines


def _select(arguments: Mapping[str, Json], found: list[str]) -> list[str]:
    values = arguments.get("values", arguments.get("value"))
    chosen = values if isinstance(values, list) else [values]
    return [f"{found[0]}.select_option([{', '.join(map(_text, chosen))}])"] if found else []


def _press(arguments: Mapping[str, Json], found: list[str]) -> list[str]:
    given = arguments.get("key")
    keys = map(_text, given if isinstance(given, list) else [given])
    receiver = found[0] if found and arguments.get("element") else "PAGE.keyboard"
    return [f"{receiver}.press({key})" for key in keys]


def _fill_form(arguments: Mapping[str, Json], found: list[str]) -> list[str]:
    fields = cast("Sequence[Mapping[str, Json]]", arguments.get("fields") or ())
    lines: list[str] = []
    for field, locator in zip(fields, found, strict=False):
        value = field.get("value")
        how = f"set_checked({value})" if isinstance(value, bool) else f"fill({_text(value)})"
        lines.append(f"{locator}.{how}")
    return [*lines, f'{found[len(fields) - 1]}.press("Enter")'] if arguments.get("submit") and lines else lines


def _drag(_: Mapping[str, Json], found: list[str]) -> list[str]:
    return [f"{found[0]}.drag_to({found[-1]})"] if len(found) > 1 else []


def _upload(arguments: Mapping[str, Json], found: list[str]) -> list[str]:
    paths = cast("list[Json]", arguments.get("paths") or [])
    return [f"{found[0]}.set_input_files([{', '.join(map(_text, paths))}])"] if found else []


def _scroll(arguments: Mapping[str, Json], _: list[str]) -> list[str]:
    return [f"PAGE.mouse.wheel({arguments.get('dx') or 0}, {arguments.get('dy') or 0})"]


def _wait(arguments: Mapping[str, Json], _: list[str]) -> list[str]:
    if isinstance(text := arguments.get("text"), str):
        return [f"expect(PAGE.get_by_text({_text(text)}).first).to_be_visible()"]
    if isinstance(text := arguments.get("text_gone"), str):
        return [f"expect(PAGE.get_by_text({_text(text)})).to_have_count(0)"]
    if isinstance(url := arguments.get("url"), str):
        return [f"expect(PAGE).to_have_url(re.compile(re.escape({_text(url)})))"]
    return []


def _evaluate(arguments: Mapping[str, Json], _: list[str]) -> list[str] | None:
    return None if arguments.get("element") else [f"PAGE.evaluate({_text(arguments.get('expression'))})"]


def _interact(arguments: Mapping[str, Json], found: list[str]) -> list[str] | None:
    return _lines_of(f"browser_{arguments.get('action')}", arguments, found)


def _lines_of(tool: str, arguments: Mapping[str, Json], found: list[str]) -> list[str] | None:
    make = _BY_TOOL.get(tool)
    return None if make is None else make(arguments, found)


_BY_TOOL: dict[str, Callable[[Mapping[str, Json], list[str]], list[str] | None]] = {
    "browser_navigate": _navigate,
    "browser_click": _click,
    "browser_type": _type,
    "browser_select": _select,
    "browser_hover": lambda _, found: [f"{found[0]}.hover()"] if found else [],
    "browser_press": _press,
    "browser_fill_form": _fill_form,
    "browser_drag": _drag,
    "browser_upload": _upload,
    "browser_scroll": _scroll,
    "browser_wait_for": _wait,
    "browser_evaluate": _evaluate,
    "browser_interact": _interact,
}


def _text(value: object) -> str:
    """A Python expression for the text that reads secrets from the environment."""
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value)
    parts: list[str] = []
    start = 0
    for found in _SECRET.finditer(text):
        name = re.sub(r"\W", "_", found[1] or found[2]).upper()
        parts += [repr(text[start : found.start()])] if found.start() > start else []
        parts.append(f'os.environ["{name}"]')
        start = found.end()
    if start < len(text) or not parts:
        parts.append(json.dumps(text[start:], ensure_ascii=False) if not parts else repr(text[start:]))
    return " + ".join(parts)
