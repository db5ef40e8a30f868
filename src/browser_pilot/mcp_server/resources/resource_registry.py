"""Serves ``resources/*`` and ``subscriptions/listen``, for the handshake and the stateless protocol revision.

The resources come from providers, one per kind of resource; this module implements the protocol only. Each client has
resources of its own.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import mcp_types as types
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import ResourcesListChanged, ResourceUpdated, ToolsListChanged
from mcp.shared.exceptions import MCPError

from browser_pilot.sessions.client import Client

from .change_notifications import ChangeNotifier

RequestContext = ServerRequestContext[Any, Any]
MAX_SUBSCRIPTIONS = 1_000


class ResourceNotFound(Exception):
    """No such resource, or it belongs to another client."""


@dataclass(frozen=True)
class ResourceContent:
    """Text or bytes."""

    data: str | bytes
    mime: str


class ResourceProvider(Protocol):
    """One kind of resources. Reports changes with ``notify_updated`` and ``notify_list_changed`` of the registry."""

    @property
    def templates(self) -> Sequence[types.ResourceTemplate]: ...

    def list(self, client: Client) -> Sequence[types.Resource]: ...

    async def read(self, client: Client, uri: str) -> ResourceContent:
        """Raises ``ResourceNotFound`` for other URIs and for resources of other clients."""
        ...


class ResourceRegistry:
    """All providers, and a notifier per client. Lifecycle: one registry per hub."""

    def __init__(self) -> None:
        self._providers: list[ResourceProvider] = []
        self._notifiers: dict[str, ChangeNotifier] = {}

    def add(self, provider: ResourceProvider) -> None:
        self._providers.append(provider)

    def notify_updated(self, client: Client, uri: str) -> None:
        if (notifier := self._notifiers.get(client.id)) is not None:
            notifier.publish(ResourceUpdated(uri))

    def notify_list_changed(self, client: Client) -> None:
        if (notifier := self._notifiers.get(client.id)) is not None:
            notifier.publish(ResourcesListChanged())

    def notify_tools_changed(self) -> None:
        """Notify every client that its list of tools changed."""
        for notifier in self._notifiers.values():
            notifier.publish(ToolsListChanged())

    def remove_client(self, client: Client) -> None:
        if (notifier := self._notifiers.pop(client.id, None)) is not None:
            notifier.close()

    def notifier_for(self, client: Client) -> ChangeNotifier:
        if client.id not in self._notifiers:
            self._notifiers[client.id] = ChangeNotifier()
        return self._notifiers[client.id]

    def templates(self) -> list[types.ResourceTemplate]:
        return [template for provider in self._providers for template in provider.templates]

    def list(self, client: Client) -> list[types.Resource]:
        return [resource for provider in self._providers for resource in provider.list(client)]

    async def read(self, client: Client, uri: str) -> ResourceContent:
        for provider in self._providers:
            try:
                return await provider.read(client, uri)
            except ResourceNotFound:
                continue
        raise _not_found(uri)


def serve_resources(
    server: Server[Any], resources: ResourceRegistry, client_of: Callable[[RequestContext], Client]
) -> None:
    """Register the handlers of the requests about resources."""

    async def list_resources(context: RequestContext, _: types.PaginatedRequestParams) -> types.ListResourcesResult:
        client = client_of(context)
        resources.notifier_for(client).set_connection(context.session)
        return types.ListResourcesResult(resources=resources.list(client))

    async def list_templates(_: RequestContext, __: types.PaginatedRequestParams) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=resources.templates())

    async def read(context: RequestContext, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        content = await resources.read(client_of(context), params.uri)
        return types.ReadResourceResult(contents=[_contents(params.uri, content)])

    async def subscribe(context: RequestContext, params: types.SubscribeRequestParams) -> types.EmptyResult:
        client = client_of(context)
        if params.uri not in {resource.uri for resource in resources.list(client)}:
            raise _not_found(params.uri)
        resources.notifier_for(client).subscribe(context.session, params.uri)
        return types.EmptyResult()

    async def unsubscribe(context: RequestContext, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        resources.notifier_for(client_of(context)).unsubscribe(params.uri)
        return types.EmptyResult()

    async def listen(
        context: RequestContext, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        if len(params.notifications.resource_subscriptions or ()) > MAX_SUBSCRIPTIONS:
            raise MCPError(types.INVALID_PARAMS, f"At most {MAX_SUBSCRIPTIONS} resources in one stream.")
        return await resources.notifier_for(client_of(context)).listen(context, params)

    server.add_request_handler("resources/list", types.PaginatedRequestParams, list_resources)
    server.add_request_handler("resources/templates/list", types.PaginatedRequestParams, list_templates)
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, read)
    server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, subscribe)
    server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, unsubscribe)
    server.add_request_handler("subscriptions/listen", types.SubscriptionsListenRequestParams, listen)


def _not_found(uri: str) -> MCPError:
    return MCPError(
        types.INVALID_PARAMS, f"There is no resource {uri[:200]!r}; resources/list returns the existing ones."
    )


def _contents(uri: str, content: ResourceContent) -> types.TextResourceContents | types.BlobResourceContents:
    if isinstance(content.data, str):
        return types.TextResourceContents(uri=uri, mime_type=content.mime, text=content.data)
    blob = base64.b64encode(content.data).decode("ascii")
    return types.BlobResourceContents(uri=uri, mime_type=content.mime, blob=blob)
