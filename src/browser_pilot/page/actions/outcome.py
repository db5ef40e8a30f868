"""The outcome of an action: navigation, dialog, new tabs, downloads, what is still loading, notices. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from .resolve import Target

DialogKind = Literal["alert", "confirm", "prompt", "beforeunload"]


@dataclass(frozen=True, slots=True)
class DialogFacts:
    """An open dialog."""

    kind: DialogKind
    message: str
    default: str = ""


@dataclass(frozen=True, slots=True)
class NewTab:
    tab: str
    url: str


@dataclass(frozen=True, slots=True)
class StartedDownload:
    """A download that an action started; ``id`` identifies it within the client's downloads."""

    id: str
    filename: str
    url: str


@dataclass(frozen=True, slots=True)
class FieldReport:
    """The result for one field of a form: what it holds now, or why it does not hold the given value.

    ``is_list``: it is a list that the page draws itself, and nothing was done to it.
    """

    element: str
    holds: str = ""
    problem: str | None = None
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The effects of an action, as observed until the page was idle."""

    # The URL that the tab navigated to, also within the same document; None when it did not navigate.
    navigated: str | None = None
    new_document: bool = False
    # The page's title, if it was part of a reply.
    title: str | None = None
    status: int | None = None
    dialog: DialogFacts | None = None
    new_tabs: tuple[NewTab, ...] = ()
    downloads: tuple[StartedDownload, ...] = ()
    still_loading: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    fields: tuple[FieldReport, ...] = ()
    # Which of the given fields are lists that the page draws itself, in which nothing was chosen yet.
    custom_lists: tuple[int, ...] = ()
    # What was at the points that the caller named.
    hits: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether all given fields were filled."""
        return all(field.problem is None for field in self.fields)

    def with_fields(self, fields: tuple[FieldReport, ...]) -> Outcome:
        return replace(self, fields=fields)

    def with_notices(self, *notices: str) -> Outcome:
        return replace(self, notices=(*self.notices, *notices))

    def with_hits(self, *targets: Target) -> Outcome:
        return replace(self, hits=tuple(target.description for target in targets if target.point is not None))

    def facts(self) -> dict[str, object]:
        """The parts that are not empty, in reading order, for a tool result."""
        facts: dict[str, object] = {}
        if self.hits:
            facts["hit"] = self.hits[0] if len(self.hits) == 1 else list(self.hits)
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
