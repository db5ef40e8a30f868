"""Actions on a tab as tests write them: by ``element`` argument, without a call that authorizes them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from browser_pilot.page.actions import evaluate as evaluating
from browser_pilot.page.actions import forms, keyboard, mouse, navigate, runner
from browser_pilot.page.actions import scroll as scrolling
from browser_pilot.page.actions import upload as uploading
from browser_pilot.page.actions.context import ActionContext
from browser_pilot.page.actions.evaluate import EvaluationResult
from browser_pilot.page.actions.forms import FieldValue
from browser_pilot.page.actions.navigate import Step
from browser_pilot.page.actions.outcome import Outcome
from browser_pilot.page.actions.pointer import drag as dragging
from browser_pilot.page.actions.resolve import ElementArgument, resolve
from browser_pilot.page.tab import Tab


async def click(tab: Tab, element: ElementArgument, **options: Any) -> Outcome:
    return await mouse.click(ActionContext(tab), await resolve(tab, element, pointing=True), **options)


async def hover(tab: Tab, element: ElementArgument, **options: Any) -> Outcome:
    return await mouse.hover(ActionContext(tab), await resolve(tab, element, pointing=True), **options)


async def press(tab: Tab, keys: str | Sequence[str], element: ElementArgument | None = None, **options: Any) -> Outcome:
    target = await resolve(tab, element) if element is not None else None
    return await keyboard.press(ActionContext(tab), [keys] if isinstance(keys, str) else keys, target, **options)


async def type_text(tab: Tab, element: ElementArgument, text: str, **options: Any) -> Outcome:
    return await keyboard.type_text(ActionContext(tab), await resolve(tab, element), text, **options)


async def select(tab: Tab, element: ElementArgument, values: Sequence[str], **options: Any) -> Outcome:
    return await forms.select(ActionContext(tab), await resolve(tab, element), values, **options)


async def fill_form(tab: Tab, fields: Sequence[tuple[ElementArgument, FieldValue]], **options: Any) -> Outcome:
    resolved = [(await resolve(tab, element), value) for element, value in fields]
    return await forms.fill_form(ActionContext(tab), resolved, **options)


async def drag(tab: Tab, *places: ElementArgument, **options: Any) -> Outcome:
    targets = [await resolve(tab, place, pointing=True) for place in places]
    return await dragging.drag(ActionContext(tab), *targets, **options)


async def scroll(tab: Tab, element: ElementArgument | None = None, **options: Any) -> Outcome:
    return await scrolling.scroll(ActionContext(tab), element, **options)


async def upload(tab: Tab, element: ElementArgument, paths: Sequence[Path], **options: Any) -> Outcome:
    return await uploading.upload(ActionContext(tab), await resolve(tab, element), paths, **options)


async def evaluate(
    tab: Tab, expression: str, element: ElementArgument | None = None, **options: Any
) -> EvaluationResult:
    target = await resolve(tab, element) if element is not None else None
    return await evaluating.evaluate(ActionContext(tab), expression, target, **options)


async def open_address(tab: Tab, href: str, **options: Any) -> Outcome:
    return await navigate.open_address(ActionContext(tab), href, **options)


async def step(tab: Tab, direction: Step, **options: Any) -> Outcome:
    return await navigate.step(ActionContext(tab), direction, **options)


async def respond_to_dialog(tab: Tab, *, accept: bool, text: str | None = None) -> Outcome:
    return await runner.respond_to_dialog(ActionContext(tab), accept=accept, text=text)
