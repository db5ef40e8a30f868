"""The console and the network as MCP resources, through real clients: stdio and HTTP, both protocol revisions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import mcp_types as types
import pytest
from mcp.client import Client
from mcp.server.subscriptions import ResourcesListChanged, ResourceUpdated, ServerEvent
from mcp.shared.exceptions import MCPError

from browser_pilot.mcp_server.resources.change_notifications import ChangeNotifier
from tests.clients import ERAS, call, http_client, stdio_adapter
from tests.hub_process import HubProcess
from tests.sites import Site
from tests.waiting import eventually

pytestmark = pytest.mark.browser
MODERN = ERAS[1]
CONSOLE, NETWORK = "browser-pilot://tabs/t1/console", "browser-pilot://tabs/t1/network"
each_transport = pytest.mark.parametrize("transport", ["stdio", "http"])
each_era = pytest.mark.parametrize("era", ERAS)


@dataclass
class Subscriber:
    """A client and its notifications: the URI of each updated resource, and "list" for each change of the list."""

    client: Client
    era: str
    notifications: list[str] = field(default_factory=list[str])
    received: asyncio.Event = field(default_factory=asyncio.Event)

    def record(self, notification: str) -> None:
        self.notifications.append(notification)
        self.received.set()

    async def wait_until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(60):
            while not condition():
                self.received.clear()
                await self.received.wait()

    @asynccontextmanager
    async def listening(self, *uris: str) -> AsyncGenerator[None]:
        if self.era != MODERN:
            for uri in uris:
                await self.request(types.SubscribeRequest(params=types.SubscribeRequestParams(uri=uri)))
            yield
            return

        async with self.client.listen(resources_list_changed=True, resource_subscriptions=uris) as stream:

            async def receive() -> None:
                async for event in stream:
                    self.record(event.uri if isinstance(event, ResourceUpdated) else "list")

            receiving = asyncio.create_task(receive())
            try:
                yield
            finally:
                receiving.cancel()
                await asyncio.wait({receiving})

    async def request(self, request: types.SubscribeRequest | types.UnsubscribeRequest) -> None:
        await self.client.session.send_request(request, types.EmptyResult)

    async def uris(self) -> list[str]:
        return [resource.uri for resource in (await self.client.list_resources()).resources]

    async def read(self, uri: str) -> str:
        content = (await self.client.read_resource(uri)).contents[0]
        assert isinstance(content, types.TextResourceContents) and content.mime_type == "text/plain"
        return content.text


@asynccontextmanager
async def subscriber(
    hub: HubProcess, transport: str, era: str, *, tools: str = "full", name: str = ""
) -> AsyncGenerator[Subscriber]:
    subscribers: list[Subscriber] = []

    async def on_message(message: object) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            subscribers[0].record(message.params.uri)
        elif isinstance(message, types.ResourceListChangedNotification):
            subscribers[0].record("list")

    connecting = (
        stdio_adapter(hub.home, "--tools", tools, era=era, on_message=on_message)
        if transport == "stdio"
        else http_client(hub, era=era, query=f"?tools={tools}&client={name}", on_message=on_message)
    )
    async with connecting as client:
        subscribers.append(Subscriber(client, era))
        yield subscribers[0]


async def log_to_console(reader: Subscriber, text: str) -> None:
    await call(reader.client, "browser_evaluate", expression=f"console.log('{text}')")


@each_transport
@each_era
async def test_a_subscriber_is_notified_of_new_entries_and_can_read_them(
    hub: HubProcess, site: Site, transport: str, era: str
) -> None:
    async with subscriber(hub, transport, era, name="reader") as reader:
        await call(reader.client, "browser_navigate", url=site.url())
        assert await reader.uris() == [CONSOLE, NETWORK]
        async with reader.listening(CONSOLE, NETWORK):
            await log_to_console(reader, "a new line")
            await reader.wait_until(lambda: CONSOLE in reader.notifications)
            assert "a new line" in await reader.read(CONSOLE)
            await call(reader.client, "browser_evaluate", expression="fetch('/?requested')")
            await reader.wait_until(lambda: NETWORK in reader.notifications)
            assert "?requested" in await reader.read(NETWORK)


@each_transport
@each_era
async def test_a_client_is_notified_when_tabs_open_and_close(
    hub: HubProcess, site: Site, transport: str, era: str
) -> None:
    async with subscriber(hub, transport, era, name="tabs") as reader:
        assert await reader.uris() == []
        async with reader.listening():
            await call(reader.client, "browser_navigate", url=site.url())
            await reader.wait_until(lambda: reader.notifications.count("list") >= 1)
            assert await reader.uris() == [CONSOLE, NETWORK]
            before = reader.notifications.count("list")
            await call(reader.client, "browser_tabs", action="close", tab="t1")
            await reader.wait_until(lambda: reader.notifications.count("list") > before)
            assert await reader.uris() == []


@each_era
async def test_a_client_has_no_access_to_the_resources_of_another(hub: HubProcess, site: Site, era: str) -> None:
    async with subscriber(hub, "http", era, name="one") as one, subscriber(hub, "http", era, name="two") as two:
        await call(one.client, "browser_navigate", url=site.url())
        assert await two.uris() == []
        with pytest.raises(MCPError, match="no resource"):
            await two.read(CONSOLE)
        if era != MODERN:
            with pytest.raises(MCPError, match="no resource"):
                await two.request(types.SubscribeRequest(params=types.SubscribeRequestParams(uri=CONSOLE)))
            return
        async with two.listening(CONSOLE), one.listening(CONSOLE):
            await log_to_console(one, "a private line")
            await one.wait_until(lambda: CONSOLE in one.notifications)
            # A notification about the tab of the other client would come before those about its own tab.
            await call(two.client, "browser_navigate", url=site.url())
            await two.wait_until(lambda: bool(two.notifications))
            assert two.notifications[0] == "list"


async def test_an_unsubscribed_client_is_not_notified(hub: HubProcess, site: Site) -> None:
    async with subscriber(hub, "http", "legacy") as reader:
        await call(reader.client, "browser_navigate", url=site.url())
        async with reader.listening(CONSOLE, NETWORK):
            await reader.request(types.UnsubscribeRequest(params=types.UnsubscribeRequestParams(uri=CONSOLE)))
            reader.notifications.clear()
            await log_to_console(reader, "a line")
            await call(reader.client, "browser_evaluate", expression="fetch('/')")
            await reader.wait_until(lambda: NETWORK in reader.notifications)
            assert CONSOLE not in reader.notifications


async def test_a_resource_needs_its_tool(hub: HubProcess, site: Site) -> None:
    async with subscriber(hub, "http", "legacy", tools="minimal") as reader:
        await call(reader.client, "browser_navigate", url=site.url())
        assert await reader.uris() == [CONSOLE]
        with pytest.raises(MCPError, match="no resource"):
            await reader.read(NETWORK)


@pytest.mark.parametrize(
    "uri", ["browser-pilot://tabs/t9/console", "browser-pilot://tabs/../t1/console", "file:///etc"]
)
async def test_an_unknown_resource_is_refused(hub: HubProcess, site: Site, uri: str) -> None:
    async with subscriber(hub, "http", "legacy") as reader:
        await call(reader.client, "browser_navigate", url=site.url())
        with pytest.raises(MCPError, match="no resource"):
            await reader.read(uri)


async def test_the_resource_templates_are_listed(hub: HubProcess) -> None:
    async with subscriber(hub, "http", "legacy") as reader:
        found = (await reader.client.list_resource_templates()).resource_templates
    assert [template.uri_template for template in found] == [
        "browser-pilot://tabs/{tab}/console",
        "browser-pilot://tabs/{tab}/network",
        "browser-pilot://downloads/{id}",
        "browser-pilot://guests/{guest}/{uri}",
    ]


async def test_many_updates_become_a_few_notifications_and_the_last_one_is_sent() -> None:
    notifier = ChangeNotifier()
    received: list[ServerEvent] = []
    last = asyncio.Event()

    def receive(event: ServerEvent) -> None:
        received.append(event)
        if event == ResourceUpdated("last"):
            last.set()

    notifier.add_listener(receive)
    for _ in range(100):
        for _ in range(100):
            notifier.publish(ResourceUpdated("page"))
        await asyncio.sleep(0)
    notifier.publish(ResourcesListChanged())
    notifier.publish(ResourceUpdated("last"))
    async with asyncio.timeout(60):
        await last.wait()
    notifier.close()
    assert 1 <= received.count(ResourceUpdated("page")) <= 3
    assert received[-2:] == [ResourcesListChanged(), ResourceUpdated("last")]


async def test_a_client_that_does_not_read_delays_no_other_and_gets_each_notification_once() -> None:
    class Stuck:
        def __init__(self) -> None:
            self.sent: list[str] = []
            self.free = asyncio.Event()

        async def send_resource_updated(self, uri: str) -> None:
            await self.free.wait()
            self.sent.append(uri)

        async def send_resource_list_changed(self) -> None:
            await self.send_resource_updated("list")

        async def send_tool_list_changed(self) -> None:
            await self.send_resource_updated("tools")

    stuck, notifier = Stuck(), ChangeNotifier()
    notifier.subscribe(stuck, "page")
    notifier.subscribe(stuck, "other")
    received: list[ServerEvent] = []
    notifier.add_listener(received.append)
    for _ in range(5):
        notifier.publish(ResourceUpdated("page"))
        notifier.publish(ResourceUpdated("other"))
        await eventually(lambda: len(received) >= 2)
        received.clear()
    stuck.free.set()
    await eventually(lambda: len(stuck.sent) == 3)
    notifier.close()
    assert stuck.sent == ["page", "other", "page"]
