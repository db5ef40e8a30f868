"""What an action did, as one value: where the page went, what opened, what is still under way, what to know. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

DialogKind = Literal["alert", "confirm", "prompt", "beforeunload"]


@dataclass(frozen=True, slots=True)
class DialogFacts:
    """A dialog that waits for an answer."""

    kind: DialogKind
    message: str
    default: str = ""


@dataclass(frozen=True, slots=True)
class NewTab:
    tab: str
    url: str


@dataclass(frozen=True, slots=True)
class StartedDownload:
    """A download that an action set off; ``id`` is its handle among the session's."""

    id: str
    filename: str
    url: str


@dataclass(frozen=True, slots=True)
class FieldReport:
    """What became of one field of a form: what it holds now, or why it does not hold what was asked."""

    element: str
    holds: str = ""
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an action set off, as far as it could be seen when the page was quiet again."""

    # The address that the tab went to, by a new document or within the same one; None when it stayed.
    navigated: str | None = None
    new_document: bool = False
    # The page's title, where it was told on the way.
    title: str | None = None
    status: int | None = None
    dialog: DialogFacts | None = None
    new_tabs: tuple[NewTab, ...] = ()
    downloads: tuple[StartedDownload, ...] = ()
    still_loading: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    fields: tuple[FieldReport, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether everything that was asked was done: no field was left out."""
        return all(field.problem is None for field in self.fields)

    def reporting(self, fields: tuple[FieldReport, ...]) -> Outcome:
        return replace(self, fields=fields)

    def noting(self, *notices: str) -> Outcome:
        return replace(self, notices=(*self.notices, *notices))

    def facts(self) -> dict[str, object]:
        """The parts that say something, in the order in which to read them; for a tool's answer."""
        facts: dict[str, object] = {}
        if self.dialog is not None:
            default = {"default": self.dialog.default} if self.dialog.default else {}
            facts["dialog"] = {"type": self.dialog.kind, "message": self.dialog.message, **default}
        if self.status is not None and self.status >= 400:
            facts["status"] = self.status
        if self.new_tabs:
            facts["new_tabs"] = [{"tab": tab.tab, "url": tab.url} for tab in self.new_tabs]
        if self.downloads:
            facts["downloads"] = [
                {"id": item.id, "filename": item.filename, "url": item.url} for item in self.downloads
            ]
        if self.still_loading:
            facts["still_loading"] = list(self.still_loading)
        if self.notices:
            facts["notices"] = list(self.notices)
        failed = [field for field in self.fields if field.problem is not None]
        if failed:
            facts["not_filled"] = [{"element": field.element, "problem": field.problem} for field in failed]
        return facts
