"""One hub's link together with what is open on it, in both directions.

It has no lock of its own: the pump guards everything here but the link.
"""

from __future__ import annotations

from typing import cast

from .answers import OpenRequest
from .link import HubLink
from .messages import Request, RequestId, Response


class Connection:
    def __init__(self, link: HubLink) -> None:
        self.link = link
        self.is_lost = False
        self.is_sending = False
        self.asked: set[RequestId] = set()
        """The hub's own requests that the client has not answered."""
        self._open: dict[RequestId, list[OpenRequest]] = {}
        self._offered: Request | None = None

    def add(self, request: Request) -> None:
        """The client waits for an answer. The same id may be open more than once."""
        self._open.setdefault(request.id, []).append(OpenRequest(request.id, request.method))
        if request.method == "initialize":
            self._offered = request

    def withdraw(self, request: Request) -> None:
        """Undo ``add``: the hub has not got the request."""
        self._remove(request.id, -1)

    def settle(self, response: Response) -> dict[str, object] | None:
        """The hub has answered. Returns the client's handshake, with the agreed version, if that is now complete."""
        if response.id is not None:
            self._remove(response.id, 0)
        offered, result = self._offered, response.body.get("result")
        if offered is None or response.id != offered.id:
            return None
        self._offered = None
        if not isinstance(result, dict):
            return None
        agreed = cast("dict[str, object]", result).get("protocolVersion")
        params = cast("dict[str, object]", offered.body.get("params") or {})
        return {**offered.body, "params": {**params, "protocolVersion": agreed}}

    def requests(self) -> list[OpenRequest]:
        return [request for waiting in self._open.values() for request in waiting]

    def _remove(self, request_id: RequestId, position: int) -> None:
        waiting = self._open.get(request_id)
        if waiting is not None:
            waiting.pop(position)
            if not waiting:
                del self._open[request_id]
