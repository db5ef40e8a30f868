"""Errors for an action that is not possible: from the failure that the page reports to an error with advice. Pure."""

from __future__ import annotations

from typing import Any

from browser_pilot.errors import ElementChanged, ElementNotActionable, InvalidArgument, PilotError, StaleRef

_TAKE_SNAPSHOT = "Take a browser_snapshot to see the page as it is."

_NOT_ACTIONABLE = {
    "hidden": ("is hidden", "Something may have to be opened first (a menu, a tab, a dialog)."),
    "disabled": ("is disabled", "Something else may have to be filled in or chosen first."),
    "moving": ("keeps moving", "Try again when the animation is over."),
    "outside": ("cannot be brought into view", _TAKE_SNAPSHOT),
    "covered": ("is covered by {by}", _TAKE_SNAPSHOT),
    "read-only": ("is read-only", "It may open a picker when it is clicked."),
    "file": ("takes files", "Use browser_upload."),
    "disabled option": ("has the option {by}, which is disabled", _TAKE_SNAPSHOT),
    "changed": ("changed since it was authorized, so nothing was done", _TAKE_SNAPSHOT),
    "form changed": (
        "was clicked, but the page then changed what it sends or where it leads, so nothing was sent",
        _TAKE_SNAPSHOT,
    ),
    "elsewhere": ("is no longer what is at that point, so nothing was done", _TAKE_SNAPSHOT),
    "frame": ("is in a frame that cannot be reached: {by}", _TAKE_SNAPSHOT),
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
    "format": ("does not accept this value; it expects {by}", "Give the value in that form."),
    "no option": ("has no option {by}", "Use one of these labels."),
    "one option": ("takes exactly one option", "Give one value."),
    "not filled": ("was not filled, because other fields failed", "Correct those and fill all of them again."),
    "inner": ("has another element at that point, {by}", "Use the ref of that one."),
    "outside element": ("is only {by} pixels large", "Give a point inside it: [x, y] from its upper left corner."),
    "frame there": (
        "has a frame at that point",
        "Use the ref of the element in that frame, or a point {x, y} of the viewport.",
    ),
    "radio": ("is a radio button, which cannot be cleared", "Choose another one of its group instead."),
}


def describe_problem(failure: dict[str, Any]) -> tuple[str, str]:
    """What is wrong with the element, as the rest of a sentence, and what to do about it."""
    kind, by = str(failure["error"]), str(failure.get("by") or "something")
    if kind == "gone":
        was = f" (it was {failure['by']})" if failure.get("by") else ""
        return f"is no longer on the page{was}", "Take a new browser_snapshot."
    problem, advice = _NOT_ACTIONABLE.get(kind) or _WRONG_USE[kind]
    return problem.format(by=by), _uncover(failure) if kind == "covered" else advice


def _uncover(failure: dict[str, Any]) -> str:
    """What to do about a cover, which has a ref and perhaps a button that closes it."""
    if failure.get("closing"):
        return f"Click {failure['closing']} first, which may close it, then try again."
    if failure.get("ref"):
        return f"Close or finish {failure['ref']} first, or click that one if it is what you meant."
    return "Close or scroll away what covers it."


def actionability_error(description: str, failure: dict[str, Any]) -> PilotError:
    """The error for an action on the element with this description."""
    kind = str(failure["error"])
    problem, advice = describe_problem(failure)
    if kind in ("changed", "form changed", "elsewhere"):
        return ElementChanged(f"{description} {problem}.", suggestions=[advice])
    if kind == "gone":
        return StaleRef(f"{description} {problem}.", suggestions=[advice])
    if kind in _NOT_ACTIONABLE:
        return ElementNotActionable(f"{description} {problem}.", suggestions=[advice])
    return InvalidArgument(f"{description} {problem}.", suggestions=[advice])
