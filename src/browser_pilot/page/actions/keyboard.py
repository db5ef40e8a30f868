"""The keyboard: pressing keys, and typing text into fields."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from browser_pilot.errors import ElementNotActionable
from browser_pilot.page.cdp import send

from .actionability_errors import actionability_error
from .context import ActionContext
from .frame_shield import input_blocked_elsewhere
from .keys import TYPED, Chord, key_events, needs_authorization, parse_chord
from .outcome import Outcome
from .resolve import Target
from .runner import TIMEOUT_MS, RunningAction, run_action
from .wait_idle import PageReport

_ENTER = parse_chord("Enter")
_SELECT_ALL = parse_chord("ControlOrMeta+a")


async def press(
    context: ActionContext,
    keys: Sequence[str],
    target: Target | None = None,
    *,
    focused: Target | None = None,
    timeout_ms: int = TIMEOUT_MS,
) -> Outcome:
    """Press keys or chords one after the other, in ``target``, which is focused first, or where the focus is.

    ``focused`` is the element that had the focus when the keys were authorized: it must still have it. A key that can
    activate something is pressed only while that element has the focus.
    """
    groups = _groups(keys)
    receiver = target or focused

    async def execute(action: RunningAction) -> PageReport | None:
        reply: PageReport | None = None
        for number, group in enumerate(groups):
            async with input_blocked_elsewhere(action, receiver.frame if receiver else action.frame):
                if number == 0:
                    await _guard_first(action, target, focused, timeout_ms)
                elif not needs_authorization(group[0]):
                    await action.result_of("startWatch", frame=receiver.frame if receiver else None)
                elif not await _receives_next(action, receiver):
                    notice = f"Stopped before {group[0]}: the focus is elsewhere, or the form has changed."
                    action.notices.append(notice)
                    return reply
                action.mark_sent()
                await send_keys(action, map(parse_chord, group))
            reply = await action.result_of("keysResult", frame=receiver.frame if receiver else None)
            if receiver is not None and reply is not None and reply["stopped"]:
                raise actionability_error(receiver.description, {"error": "changed"})
            _report_discarded(action, reply)
            if reply is None:
                break
        return reply

    return await run_action(context, target or focused, execute)


def _groups(keys: Sequence[str]) -> list[list[str]]:
    """The keys; each that can activate something is a group of its own."""
    groups: list[list[str]] = []
    alone = True
    for key in keys:
        parse_chord(key)
        if alone or needs_authorization(key):
            groups.append([])
        groups[-1].append(key)
        alone = needs_authorization(key)
    return groups


async def _guard_first(action: RunningAction, target: Target | None, focused: Target | None, timeout_ms: int) -> None:
    """Have the page check and guard what gets the first key, or begin a watch where nothing is known of it."""
    approved = action.context.approved
    if target is not None:
        await action.call_target(target, "focusTarget", target.wire_ref, approved, timeout_ms, timeout_ms=timeout_ms)
    elif focused is not None:
        await action.call_target(focused, "guardFocused", focused.wire_ref, approved, timeout_ms=0)
    else:
        await action.tab.world.call(action.frame, "startWatch", repeatable=True)


async def _receives_next(action: RunningAction, receiver: Target | None) -> bool:
    if receiver is None:
        return False
    approved = action.context.approved
    ready = await action.result_of("guardNextKey", receiver.wire_ref, approved, frame=receiver.frame)
    return ready is not None and "error" not in ready


def _report_discarded(action: RunningAction, reply: PageReport | None) -> None:
    discarded = None if reply is None else reply.get("discarded")
    if discarded:
        field, holds = discarded["field"], discarded["holds"]
        action.notices.append(f"The page discarded the text of {field}: it holds {holds!r} now.")


async def type_text(
    context: ActionContext,
    target: Target,
    text: str,
    *,
    clear: bool = True,
    submit: bool = False,
    slowly: bool = False,
    focused: bool = False,
    timeout_ms: int = TIMEOUT_MS,
) -> Outcome:
    """Type text into a field and verify that the field holds it.

    ``focused``: the target had the focus. If it is no field (a game, a terminal), it gets the keys.

    Plain fields are set in one step, as by an input method, with one key event for pages that listen to keys. Rich
    text fields get real input, and with ``slowly`` every character comes from a real key. ``submit`` presses Enter.
    """

    async def execute(action: RunningAction) -> PageReport | None:
        filled = action.fill_secrets(target, text)
        typed = filled.text
        action.mark_sent()
        options = {
            "clear": clear,
            "byKeys": slowly,
            "quick": submit,
            "timeoutMs": timeout_ms,
            "secrets": list(filled.secrets),
        }
        if focused and not await action.result_of("takesText", target.ref, frame=target.frame):
            async with input_blocked_elsewhere(action, target.frame):
                await action.call_target(target, "guardFocused", target.wire_ref, context.approved, timeout_ms=0)
                await _type_slowly(action, typed)
            result = await action.result_of("keysResult", frame=target.frame)
            return await submit_with_enter(action, target) if submit else result
        written = await action.call_and_act(target, "writeText", target.wire_ref, typed, options, timeout_ms=timeout_ms)
        if written is not None and "selectByKeys" in written:
            if written["selectByKeys"]:
                await send_keys(action, [_SELECT_ALL])
            await (_type_slowly(action, typed) if slowly else _insert(action, typed))
            written = await action.result_of("writeResult", submit)
        _check_value(action, target.description, written)
        return written if not submit or written is None else await submit_with_enter(action, target)

    return await run_action(context, target, execute)


async def submit_with_enter(action: RunningAction, target: Target) -> PageReport | None:
    """Press Enter where the focus is, and wait until the page is idle."""
    async with input_blocked_elsewhere(action, target.frame):
        ready = await action.result_of("guardTarget", target.wire_ref, action.context.approved, frame=target.frame)
        if ready is None or "error" in ready:
            raise not_submitted_error(target.description)
        action.mark_sent()
        await send_keys(action, [_ENTER])
    return require_submitted(await action.result_of("waitIdle"), target.description)


def require_submitted(reply: PageReport | None, field: str) -> PageReport | None:
    """The page's report after submitting a form; raises when the guard stopped it."""
    if reply is not None and reply["stopped"]:
        raise not_submitted_error(field)
    return reply


def not_submitted_error(field: str) -> ElementNotActionable:
    """The error for a form that changed while it was filled."""
    return ElementNotActionable(
        f"{field} was filled, but its form changed meanwhile, so it was not submitted.",
        suggestions=["Take a browser_snapshot, check the form, and submit it with its button."],
    )


async def send_keys(action: RunningAction, chords: Iterable[Chord]) -> None:
    """Press keys; all events are sent at once and in order, so that no modifier can stay pressed."""
    events = [event for chord in chords for event in key_events(chord)]
    await asyncio.gather(*(send(action.session, "Input.dispatchKeyEvent", **event) for event in events))


async def _insert(action: RunningAction, text: str) -> None:
    """Insert text at once, except its last character, which comes from a key."""
    key = TYPED.get(text[-1:]) if not text.endswith(("\n", "\r")) else None
    body = text[:-1] if key else text
    if body or not key:
        await send(action.session, "Input.insertText", text=body)
    if key:
        await send_keys(action, [Chord((), key)])


async def _type_slowly(action: RunningAction, text: str) -> None:
    for character in text:
        key = TYPED.get(character)
        if key is not None:
            await send_keys(action, [Chord((), key)])
        else:
            await send(action.session, "Input.insertText", text=character)


def _check_value(action: RunningAction, field: str, written: PageReport | None) -> None:
    """Compare the field's value with what was typed."""
    _report_discarded(action, written)
    if written is None or written["matches"] is not False:
        return
    holds = str(written["holds"])
    if written["unchanged"]:
        raise ElementNotActionable(
            f"{field} did not accept the text; it still holds {holds!r}.",
            suggestions=[
                "Click it first, or type with slowly: true.",
                "Take a browser_snapshot to see what it expects.",
            ],
        )
    action.notices.append(f"{field} now holds {holds!r}: the page did not keep the text as it was typed.")
