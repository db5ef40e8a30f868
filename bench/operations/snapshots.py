"""Navigation and snapshots: opens each real page, takes its snapshot and compares it with the page."""

from __future__ import annotations

from collections.abc import Iterator

from bench import pages

from .base import Measurement, Operation, Participant, RunContext


def read_page(participant: Participant, context: RunContext, subject: str) -> Iterator[Measurement]:
    session = participant.session
    session.navigate(context.site.url(pages.OWN, "counter.html"))
    opened = session.navigate(context.site.url(subject, pages.path_of(subject)))
    yield Measurement("navigate", ms=opened.ms, tokens=context.count(opened.text), subject=subject)
    whole = session.snapshot()
    yield Measurement("snapshot", ms=whole.ms, tokens=context.count(whole.text), subject=subject)
    controls = session.controls()
    if controls is not None:
        yield Measurement("controls", ms=controls.ms, tokens=context.count(controls.text), subject=subject)
    reference = context.references[subject]
    yield Measurement("words kept", amount=reference.words_kept(whole.text), subject=subject)
    yield Measurement("controls kept", amount=reference.controls_kept(whole.text), subject=subject)


def navigate_hanging(participant: Participant, context: RunContext, subject: str) -> Iterator[Measurement]:
    session = participant.session
    session.navigate(context.site.url(pages.OWN, "counter.html"))
    opened = session.navigate(context.site.url(pages.OWN, "hanging.html"))
    yield Measurement("navigate hanging", ms=opened.ms)


OPERATIONS = (
    Operation(
        "pages",
        {
            "navigate": ("navigate", "ms and tokens"),
            "snapshot": ("snapshot of the whole page", "ms and tokens"),
            "controls": ("snapshot of controls only", "ms and tokens"),
            "words kept": ("words of the page in its snapshot", "share"),
            "controls kept": ("names of controls in its snapshot", "share"),
        },
        read_page,
        subjects=tuple(page.key for page in pages.PAGES),
    ),
    Operation("hanging", {"navigate hanging": ("navigate, one image hangs 6 s", "ms")}, navigate_hanging, max_rounds=2),
)
