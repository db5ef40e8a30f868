"""Turns what stood in an action's way, as the page tells it, into an error that says what to do. Pure."""

from __future__ import annotations

from typing import Any

from browser_pilot.errors import ElementChanged, ElementNotActionable, InvalidArgument, PilotError, StaleRef

_LOOK = "Take a browser_snapshot to see the page as it is."

_NOT_ACTIONABLE = {
    "hidden": ("is hidden", "Something may have to be opened first (a menu, a tab, a dialog)."),
    "disabled": ("is disabled", "Something else may have to be filled in or chosen first."),
    "moving": ("keeps moving", "Try again when the animation is over."),
    "outside": ("cannot be brought into view", _LOOK),
    "covered": ("is covered by {by}", "Close or scroll away what covers it."),
    "read-only": ("is read-only", "It may open a picker when it is clicked."),
    "file": ("takes files", "Use browser_upload."),
    "disabled option": ("does not let {by} be chosen now", _LOOK),
    "changed": ("changed while it was decided about, so that nothing was done", _LOOK),
    "frame": ("lies in a frame that cannot be reached: {by}", _LOOK),
}
_WRONG_USE = {
    "no field": ("is not a field", "Click it, or use the ref of the field itself."),
    "no select": (
        "is not a drop-down list of the browser's own",
        "Click it, then click the option in the list that opens.",
    ),
    "toggle": ("is a check box or radio button", "Click it, or use browser_fill_form with true or false."),
    "select": ("is a drop-down list", "Use browser_select."),
    "option": ("is an option of a drop-down list", "Use browser_select on the list."),
    "format": ("does not take this value; it wants {by}", "Give the value in that form."),
    "no option": ("has no option {by}", "Use one of these labels."),
    "one option": ("takes exactly one option", "Give one value."),
    "left": ("was left as it was, because other fields do not fit", "Correct those and fill all of them again."),
    "inner": ("has another thing at that point, {by}", "Use the ref of that one."),
    "beyond": ("is only {by} pixels large", "Give a point inside it: [x, y] from its upper left corner."),
    "radio": ("is a radio button, which cannot be taken back", "Choose another one of its group instead."),
}


def describe_problem(trouble: dict[str, Any]) -> tuple[str, str]:
    """What is wrong with the element, as the rest of a sentence, and what to do about it."""
    kind, by = str(trouble["trouble"]), str(trouble.get("by") or "something")
    if kind == "gone":
        was = f" (it was {trouble['by']})" if trouble.get("by") else ""
        return f"is no longer on the page{was}", "Take a new browser_snapshot."
    words, advice = _NOT_ACTIONABLE.get(kind) or _WRONG_USE[kind]
    return words.format(by=by), advice


def actionability_error(words: str, trouble: dict[str, Any]) -> PilotError:
    """The error for an action that could not be done to the element called ``words``."""
    kind = str(trouble["trouble"])
    said, advice = describe_problem(trouble)
    if kind == "changed":
        return ElementChanged(f"{words} {said}.", suggestions=[advice])
    if kind == "gone":
        return StaleRef(f"{words} {said}.", suggestions=[advice])
    if kind in _NOT_ACTIONABLE:
        return ElementNotActionable(f"{words} {said}.", suggestions=[advice])
    return InvalidArgument(f"{words} {said}.", suggestions=[advice])
