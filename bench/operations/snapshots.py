"""Operations on the real pages: open each one, read all of it, and compare what was read with what is there."""

from __future__ import annotations

from collections.abc import Iterator

from .. import pages
from .contest import Contestant, Ground, Measure, Operation


def read_page(contestant: Contestant, ground: Ground, subject: str) -> Iterator[Measure]:
    session = contestant.session
    session.navigate(ground.site.url(pages.OWN, "counter.html"))
    opened = session.navigate(ground.site.url(subject, pages.path_of(subject)))
    yield Measure("navigate", ms=opened.ms, tokens=ground.count(opened.text), subject=subject)
    whole = session.snapshot()
    yield Measure("snapshot", ms=whole.ms, tokens=ground.count(whole.text), subject=subject)
    controls = session.controls()
    if controls is not None:
        yield Measure("controls", ms=controls.ms, tokens=ground.count(controls.text), subject=subject)
    reference = ground.references[subject]
    yield Measure("words kept", amount=reference.words_kept(whole.text), subject=subject)
    yield Measure("controls kept", amount=reference.controls_kept(whole.text), subject=subject)


def navigate_hanging(contestant: Contestant, ground: Ground, subject: str) -> Iterator[Measure]:
    session = contestant.session
    session.navigate(ground.site.url(pages.OWN, "counter.html"))
    opened = session.navigate(ground.site.url(pages.OWN, "hanging.html"))
    yield Measure("navigate hanging", ms=opened.ms)


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
    Operation(
        "hanging", {"navigate hanging": ("navigate, one image hangs 6 s", "ms")}, navigate_hanging, most_rounds=2
    ),
)
