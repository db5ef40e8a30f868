"""A file on its way: what is known of it when it begins, and its bytes, piece by piece."""

from __future__ import annotations

from dataclasses import dataclass
from email.message import Message
from typing import Any, Protocol

from browser_pilot.pages.resource import Resource

PIECE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Head:
    """``named`` is what the server calls the file, or the page; ``length`` is None where nobody says."""

    url: str
    mime: str
    named: str = ""
    length: int | None = None


class Stream(Protocol):
    @property
    def head(self) -> Head: ...

    @property
    def comes_whole(self) -> bool:
        """Whether the first piece is there only when the last one is."""
        ...

    async def read(self) -> bytes:
        """The next piece; nothing at the end."""
        ...

    async def close(self) -> None: ...


def head_of(resource: Resource, *, url: str, mime: str, disposition: str, length: Any) -> Head:
    return Head(
        url=url or resource.url,
        mime=mime,
        named=named_in(disposition) or resource.name,
        length=int(length) if length is not None and str(length).isdigit() else None,
    )


def named_in(disposition: str) -> str:
    """The file name in a Content-Disposition header; empty when it has none."""
    message = Message()
    message["Content-Disposition"] = " ".join(disposition.split())
    return message.get_filename() or ""
