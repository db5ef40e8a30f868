"""MCP resources: listed, read and subscribed to, each client its own, in both protocol eras.

What there is comes from providers, one for each family of resources. This module knows the protocol and no family.
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

from .change_notifications import Feed

Context = ServerRequestContext[Any, Any]
MOST_SUBSCRIPTIONS = 1_000


class NoResource(Exception):
    """There is no such resource, or not for this client."""


@dataclass(frozen=True)
class Content:
    """What a resource holds: text, or bytes."""

    data: str | bytes
    mime: str


class Provider(Protocol):
    """A family of resources. It tells of changes by ``Resources.updated`` and ``Resources.list_changed``."""

    @property
    def templates(self) -> Sequence[types.ResourceTemplate]: ...

    def list(self, client: Client) -> Sequence[types.Resource]: ...

    async def read(self, client: Client, uri: str) -> Content:
        """Raises NoResource for what is not of this family, or not this client's."""
        ...


class Resources:
    """All families together, and who wants to hear of changes. Its life is the hub's."""

    def __init__(self) -> None:
        self._providers: list[Provider] = []
        self._feeds: dict[str, Feed] = {}

    def add(self, provider: Provider) -> None:
        self._providers.append(provider)

    def updated(self, client: Client, uri: str) -> None:
        if (feed := self._feeds.get(client.id)) is not None:
            feed.tell(ResourceUpdated(uri))

    def list_changed(self, client: Client) -> None:
        if (feed := self._feeds.get(client.id)) is not None:
            feed.tell(ResourcesListChanged())

    def tools_changed(self) -> None:
        """The list of tools is another now, for every client."""
        for feed in self._feeds.values():
            feed.tell(ToolsListChanged())

    def drop(self, client: Client) -> None:
        """The client has left."""
        if (feed := self._feeds.pop(client.id, None)) is not None:
            feed.close()

    def feed(self, client: Client) -> Feed:
        if client.id not in self._feeds:
            self._feeds[client.id] = Feed()
        return self._feeds[client.id]

    def templates(self) -> list[types.ResourceTemplate]:
        return [template for provider in self._providers for template in provider.templates]

    def list(self, client: Client) -> list[types.Resource]:
        return [resource for provider in self._providers for resource in provider.list(client)]

    async def read(self, client: Client, uri: str) -> Content:
        for provider in self._providers:
            try:
                return await provider.read(client, uri)
            except NoResource:
                continue
        raise _unknown(uri)


def serve_resources(server: Server[Any], resources: Resources, client_of: Callable[[Context], Client]) -> None:
    """Answer the protocol's requests about resources."""

    async def list_resources(context: Context, _: types.PaginatedRequestParams) -> types.ListResourcesResult:
        client = client_of(context)
        resources.feed(client).use(context.session)
        return types.ListResourcesResult(resources=resources.list(client))

    async def list_templates(_: Context, __: types.PaginatedRequestParams) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=resources.templates())

    async def read(context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        content = await resources.read(client_of(context), params.uri)
        return types.ReadResourceResult(contents=[_contents(params.uri, content)])

    async def subscribe(context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        client = client_of(context)
        if params.uri not in {resource.uri for resource in resources.list(client)}:
            raise _unknown(params.uri)
        resources.feed(client).subscribe(context.session, params.uri)
        return types.EmptyResult()

    async def unsubscribe(context: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        resources.feed(client_of(context)).unsubscribe(params.uri)
        return types.EmptyResult()

    async def listen(
        context: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        if len(params.notifications.resource_subscriptions or ()) > MOST_SUBSCRIPTIONS:
            raise MCPError(types.INVALID_PARAMS, f"At most {MOST_SUBSCRIPTIONS} resources in one stream.")
        return await resources.feed(client_of(context)).listen(context, params)

    server.add_request_handler("resources/list", types.PaginatedRequestParams, list_resources)
    server.add_request_handler("resources/templates/list", types.PaginatedRequestParams, list_templates)
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, read)
    server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, subscribe)
    server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, unsubscribe)
    server.add_request_handler("subscriptions/listen", types.SubscriptionsListenRequestParams, listen)


def _unknown(uri: str) -> MCPError:
    return MCPError(types.INVALID_PARAMS, f"There is no resource {uri[:200]!r}; resources/list has those there are.")


def _contents(uri: str, content: Content) -> types.TextResourceContents | types.BlobResourceContents:
    if isinstance(content.data, str):
        return types.TextResourceContents(uri=uri, mime_type=content.mime, text=content.data)
    blob = base64.b64encode(content.data).decode("ascii")
    return types.BlobResourceContents(uri=uri, mime_type=content.mime, blob=blob)
