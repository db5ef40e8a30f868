"""One hub socket together with its open requests, in both directions.

It has no lock of its own: the proxy's lock guards everything here but the socket.
"""

from __future__ import annotations

from typing import cast

from .fallback_errors import OpenRequest
from .hub_socket import HubSocket
from .jsonrpc import Request, RequestId, Response


class HubConnection:
    def __init__(self, hub: HubSocket) -> None:
        self.hub = hub
        self.is_lost = False
        self.is_sending = False
        self.hub_requests: set[RequestId] = set()
        """The hub's own requests that the client has not responded to."""
        self._open: dict[RequestId, list[OpenRequest]] = {}
        self._initialize: Request | None = None

    def add(self, request: Request) -> None:
        """The client waits for a response. The same id may be open more than once."""
        self._open.setdefault(request.id, []).append(OpenRequest(request.id, request.method))
        if request.method == "initialize":
            self._initialize = request

    def undo_add(self, request: Request) -> None:
        """The hub did not receive the request."""
        self._remove(request.id, -1)

    def match_response(self, response: Response) -> dict[str, object] | None:
        """Close the request that this responds to. Returns the client's ``initialize`` with the negotiated version, if
        this completes it."""
        if response.id is not None:
            self._remove(response.id, 0)
        initialize, result = self._initialize, response.body.get("result")
        if initialize is None or response.id != initialize.id:
            return None
        self._initialize = None
        if not isinstance(result, dict):
            return None
        return negotiated_initialize(initialize, cast("dict[str, object]", result))

    def requests(self) -> list[OpenRequest]:
        return [request for waiting in self._open.values() for request in waiting]

    def _remove(self, request_id: RequestId, position: int) -> None:
        waiting = self._open.get(request_id)
        if waiting is not None:
            waiting.pop(position)
            if not waiting:
                del self._open[request_id]


def negotiated_initialize(request: Request, result: dict[str, object]) -> dict[str, object]:
    """The client's ``initialize`` with the protocol version of the response, to be replayed to another hub."""
    params = cast("dict[str, object]", request.body.get("params") or {})
    return {**request.body, "params": {**params, "protocolVersion": result.get("protocolVersion")}}
