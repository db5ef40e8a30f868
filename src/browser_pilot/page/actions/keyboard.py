"""The keyboard: pressing keys, and typing text into fields."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from browser_pilot.errors import ElementNotActionable
from browser_pilot.pages.action import PATIENCE_MS, Hand, perform
from browser_pilot.pages.cdp import send
from browser_pilot.pages.keys import TYPED, Chord, key_events, parse_chord
from browser_pilot.pages.outcome import Outcome
from browser_pilot.pages.settle import Reply
from browser_pilot.pages.tab import Tab
from browser_pilot.pages.targets import FOCUS, ElementArgument, Target, find
from browser_pilot.pages.troubles import trouble_error

_ENTER = parse_chord("Enter")
_SELECT_ALL = parse_chord("ControlOrMeta+a")


async def press(
    tab: Tab, key: str, element: ElementArgument | None = None, *, timeout_ms: int = PATIENCE_MS
) -> Outcome:
    """Press a key or a chord, in an element or wherever the focus is."""
    chord = parse_chord(key)
    target = await find(tab, element) if element is not None else None
    aimed = target or tab.decided.get(FOCUS)

    async def act(hand: Hand) -> Reply | None:
        if target is not None:
            await hand.ask(target, "focus", target.aimed, tab.agreed, timeout_ms, patience_ms=timeout_ms)
        elif aimed is not None:
            # The focus has to be where it was when it was decided about the key.
            await hand.ask(aimed, "stillFocused", aimed.aimed, tab.agreed, patience_ms=0)
        else:
            await tab.world.call(hand.frame, "watch", repeatable=True)
        hand.acts()
        await send_keys(hand, [chord])
        reply = await hand.aftermath("settled", frame=aimed.frame if aimed else None)
        if aimed is not None and reply is not None and reply["stopped"]:
            raise trouble_error(aimed.words, {"trouble": "changed"})
        return reply

    return await perform(tab, target, act)


async def type_text(
    tab: Tab,
    element: ElementArgument,
    text: str,
    *,
    clear: bool = True,
    submit: bool = False,
    slowly: bool = False,
    timeout_ms: int = PATIENCE_MS,
) -> Outcome:
    """Write text into a field and make sure that it is there.

    Plain fields are written to in one step, as by an input method, and told of one key for pages that listen to keys.
    Rich text comes by real input, and with ``slowly`` every character by a real key. ``submit`` presses Enter after.
    """
    target = await find(tab, element)

    async def act(hand: Hand) -> Reply | None:
        typed = tab.fill(text, target.origin)
        hand.acts()
        wish = {"clear": clear, "byKeys": slowly, "quick": submit, "patienceMs": timeout_ms}
        written = await hand.ask_and_act(target, "write", target.aimed, typed, wish, patience_ms=timeout_ms)
        if written is not None and "selectByKeys" in written:
            if written["selectByKeys"]:
                await send_keys(hand, [_SELECT_ALL])
            await (_type_slowly(hand, typed) if slowly else _insert(hand, typed))
            written = await hand.aftermath("wrote", submit)
        _check(hand, target.words, written)
        return written if not submit or written is None else await press_enter(hand, target)

    return await perform(tab, target, act)


async def press_enter(hand: Hand, target: Target) -> Reply | None:
    """Press Enter where the focus is, and wait for the page to be quiet."""
    ready = await hand.aftermath("still", target.aimed, hand.tab.agreed, frame=target.frame)
    if ready is not None and "trouble" in ready:
        raise not_sent(target.words)
    hand.acts()
    await send_keys(hand, [_ENTER])
    return sent(await hand.aftermath("settled"), target.words)


def sent(reply: Reply | None, words: str) -> Reply | None:
    """What the page says of a form that was to be sent; raises when it was held back."""
    if reply is not None and reply["stopped"]:
        raise not_sent(words)
    return reply


def not_sent(words: str) -> ElementNotActionable:
    """The error for a form that turned into another one while it was filled."""
    return ElementNotActionable(
        f"{words} was filled, but what it would send changed meanwhile, so that it was not sent.",
        suggestions=["Take a browser_snapshot, check the form, and send it with its button."],
    )


async def send_keys(hand: Hand, chords: Iterable[Chord]) -> None:
    """Press keys, all sent at once and in order, so that no modifier can stay down."""
    events = [event for chord in chords for event in key_events(chord)]
    await asyncio.gather(*(send(hand.session, "Input.dispatchKeyEvent", **event) for event in events))


async def _insert(hand: Hand, text: str) -> None:
    """Put text in at once, but for its last character, which comes from a key."""
    key = TYPED.get(text[-1:]) if not text.endswith(("\n", "\r")) else None
    body = text[:-1] if key else text
    if body or not key:
        await send(hand.session, "Input.insertText", text=body)
    if key:
        await send_keys(hand, [Chord((), key)])


async def _type_slowly(hand: Hand, text: str) -> None:
    for character in text:
        key = TYPED.get(character)
        if key is not None:
            await send_keys(hand, [Chord((), key)])
        else:
            await send(hand.session, "Input.insertText", text=character)


def _check(hand: Hand, words: str, written: Reply | None) -> None:
    """Done means done: what the field holds is held against what was typed."""
    if written is None or written["matches"] is not False:
        return
    holds = str(written["holds"])
    if written["unchanged"]:
        raise ElementNotActionable(
            f"{words} did not take the text; it still holds {holds!r}.",
            suggestions=["Click it first, or type with slowly: true.", "Take a browser_snapshot to see what it wants."],
        )
    hand.notices.append(f"{words} now holds {holds!r}: the page did not keep the text as it was typed.")
