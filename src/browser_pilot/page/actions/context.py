"""The context of an action: its tab, the authorized targets, and whether input has been sent.

The call pipeline makes one context per attempt, after authorization. Code that acts without a tool call (session
recovery, guests, tests) makes its own: its targets carry no fingerprint and nothing was approved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from browser_pilot.page.tab import Tab
from browser_pilot.policy.hosts import Site

from .outcome import DialogFacts
from .resolve import Target


@dataclass(frozen=True, slots=True)
class FilledText:
    """A text to type, with secrets in place of their names; ``secrets`` are their values."""

    text: str
    secrets: tuple[str, ...] = ()


# For a text and the origin of the frame that gets it.
FillSecrets = Callable[[str, str], FilledText]


def _unchanged(text: str, _origin: str) -> FilledText:
    return FilledText(text)


@dataclass(slots=True, eq=False)
class ActionContext:
    """``targets`` are in the order in which the tool declared them, ``dialog`` is the one that was authorized.

    ``approved``: a person approved this action, so no other element may receive its input. ``site`` is the authorized
    site of the page; with ``side_effect_free`` a script was authorized only as long as it has no side effects.
    """

    tab: Tab
    targets: tuple[Target, ...] = ()
    dialog: DialogFacts | None = None
    approved: bool = False
    site: Site | None = None
    side_effect_free: bool = False
    fill_secrets: FillSecrets = _unchanged
    # Input may have reached the page: the action must not be retried without a check.
    sent: bool = False
