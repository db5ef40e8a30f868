"""The console and the network as MCP resources, through real clients: over stdio and HTTP, in both protocol eras."""

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

pytestmark = pytest.mark.browser
MODERN = ERAS[1]
CONSOLE, NETWORK = "browser-pilot://tabs/t1/console", "browser-pilot://tabs/t1/network"
every_way = pytest.mark.parametrize("way", ["stdio", "http"])
every_era = pytest.mark.parametrize("era", ERAS)


@dataclass
class Visitor:
    """A client, and what it was told: addresses of resources that changed, and "list"."""

    client: Client
    era: str
    told: list[str] = field(default_factory=list[str])
    stirred: asyncio.Event = field(default_factory=asyncio.Event)

    def note(self, what: str) -> None:
        self.told.append(what)
        self.stirred.set()

    async def until(self, happened: Callable[[], bool]) -> None:
        async with asyncio.timeout(30):
            while not happened():
                self.stirred.clear()
                await self.stirred.wait()

    @asynccontextmanager
    async def listening(self, *uris: str) -> AsyncGenerator[None]:
        if self.era != MODERN:
            for uri in uris:
                await self.request(types.SubscribeRequest(params=types.SubscribeRequestParams(uri=uri)))
            yield
            return

        async with self.client.listen(resources_list_changed=True, resource_subscriptions=uris) as stream:

            async def hear() -> None:
                async for event in stream:
                    self.note(event.uri if isinstance(event, ResourceUpdated) else "list")

            hearing = asyncio.create_task(hear())
            try:
                yield
            finally:
                hearing.cancel()
                await asyncio.wait({hearing})

    async def request(self, request: types.SubscribeRequest | types.UnsubscribeRequest) -> None:
        await self.client.session.send_request(request, types.EmptyResult)

    async def uris(self) -> list[str]:
        return [resource.uri for resource in (await self.client.list_resources()).resources]

    async def read(self, uri: str) -> str:
        content = (await self.client.read_resource(uri)).contents[0]
        assert isinstance(content, types.TextResourceContents) and content.mime_type == "text/plain"
        return content.text


@asynccontextmanager
async def visitor(
    hub: HubProcess, way: str, era: str, *, tools: str = "full", name: str = ""
) -> AsyncGenerator[Visitor]:
    notes: list[Visitor] = []

    async def on_message(message: object) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            notes[0].note(message.params.uri)
        elif isinstance(message, types.ResourceListChangedNotification):
            notes[0].note("list")

    connecting = (
        stdio_adapter(hub.home, "--tools", tools, era=era, on_message=on_message)
        if way == "stdio"
        else http_client(hub, era=era, query=f"?tools={tools}&client={name}", on_message=on_message)
    )
    async with connecting as client:
        notes.append(Visitor(client, era))
        yield notes[0]


async def write_line(visitor: Visitor, text: str) -> None:
    await call(visitor.client, "browser_evaluate", expression=f"console.log('{text}')")


@every_way
@every_era
async def test_a_subscriber_is_told_of_new_entries_and_can_read_them(
    hub: HubProcess, site: Site, way: str, era: str
) -> None:
    async with visitor(hub, way, era, name="reader") as me:
        await call(me.client, "browser_navigate", url=site.url())
        assert await me.uris() == [CONSOLE, NETWORK]
        async with me.listening(CONSOLE, NETWORK):
            await write_line(me, "fresh words")
            await me.until(lambda: CONSOLE in me.told)
            assert "fresh words" in await me.read(CONSOLE)
            await call(me.client, "browser_evaluate", expression="fetch('/?asked-for')")
            await me.until(lambda: NETWORK in me.told)
            assert "?asked-for" in await me.read(NETWORK)


@every_way
@every_era
async def test_a_client_is_told_when_tabs_come_and_go(hub: HubProcess, site: Site, way: str, era: str) -> None:
    async with visitor(hub, way, era, name="tabs") as me:
        assert await me.uris() == []
        async with me.listening():
            await call(me.client, "browser_navigate", url=site.url())
            await me.until(lambda: me.told.count("list") >= 1)
            assert await me.uris() == [CONSOLE, NETWORK]
            heard = me.told.count("list")
            await call(me.client, "browser_tabs", action="close", tab="t1")
            await me.until(lambda: me.told.count("list") > heard)
            assert await me.uris() == []


@every_era
async def test_one_client_neither_lists_nor_reads_nor_hears_the_tabs_of_another(
    hub: HubProcess, site: Site, era: str
) -> None:
    async with visitor(hub, "http", era, name="one") as one, visitor(hub, "http", era, name="two") as two:
        await call(one.client, "browser_navigate", url=site.url())
        assert await two.uris() == []
        with pytest.raises(MCPError, match="no resource"):
            await two.read(CONSOLE)
        if era != MODERN:
            with pytest.raises(MCPError, match="no resource"):
                await two.request(types.SubscribeRequest(params=types.SubscribeRequestParams(uri=CONSOLE)))
            return
        async with two.listening(CONSOLE), one.listening(CONSOLE):
            await write_line(one, "secret words")
            await one.until(lambda: CONSOLE in one.told)
            # What is told of its own tab comes after what could have been told of the other's.
            await call(two.client, "browser_navigate", url=site.url())
            await two.until(lambda: bool(two.told))
            assert two.told[0] == "list"


async def test_a_client_that_unsubscribed_is_not_told(hub: HubProcess, site: Site) -> None:
    async with visitor(hub, "http", "legacy") as me:
        await call(me.client, "browser_navigate", url=site.url())
        async with me.listening(CONSOLE, NETWORK):
            await me.request(types.UnsubscribeRequest(params=types.UnsubscribeRequestParams(uri=CONSOLE)))
            me.told.clear()
            await write_line(me, "unheard")
            await call(me.client, "browser_evaluate", expression="fetch('/')")
            await me.until(lambda: NETWORK in me.told)
            assert CONSOLE not in me.told


async def test_a_resource_needs_its_tool(hub: HubProcess, site: Site) -> None:
    async with visitor(hub, "http", "legacy", tools="minimal") as me:
        await call(me.client, "browser_navigate", url=site.url())
        assert await me.uris() == [CONSOLE]
        with pytest.raises(MCPError, match="no resource"):
            await me.read(NETWORK)


@pytest.mark.parametrize(
    "uri", ["browser-pilot://tabs/t9/console", "browser-pilot://tabs/../t1/console", "file:///etc"]
)
async def test_an_unknown_resource_is_refused(hub: HubProcess, site: Site, uri: str) -> None:
    async with visitor(hub, "http", "legacy") as me:
        await call(me.client, "browser_navigate", url=site.url())
        with pytest.raises(MCPError, match="no resource"):
            await me.read(uri)


async def test_templates_name_what_every_tab_has(hub: HubProcess) -> None:
    async with visitor(hub, "http", "legacy") as me:
        found = (await me.client.list_resource_templates()).resource_templates
    assert [template.uri_template for template in found] == [
        "browser-pilot://tabs/{tab}/console",
        "browser-pilot://tabs/{tab}/network",
        "browser-pilot://downloads/{id}",
    ]


async def test_a_flood_of_news_is_told_a_few_times_and_its_end_is_told() -> None:
    notifier = ChangeNotifier()
    heard: list[ServerEvent] = []
    last = asyncio.Event()

    def hear(event: ServerEvent) -> None:
        heard.append(event)
        if event == ResourceUpdated("last"):
            last.set()

    notifier.add_listener(hear)
    for _ in range(100):
        for _ in range(100):
            notifier.publish(ResourceUpdated("page"))
        await asyncio.sleep(0)
    notifier.publish(ResourcesListChanged())
    notifier.publish(ResourceUpdated("last"))
    async with asyncio.timeout(10):
        await last.wait()
    notifier.close()
    assert 1 <= heard.count(ResourceUpdated("page")) <= 3
    assert heard[-2:] == [ResourcesListChanged(), ResourceUpdated("last")]


async def test_a_client_that_does_not_take_its_news_holds_up_nobody_and_gets_it_once() -> None:
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
    heard: list[ServerEvent] = []
    notifier.add_listener(heard.append)
    for _ in range(5):
        notifier.publish(ResourceUpdated("page"))
        notifier.publish(ResourceUpdated("other"))
        await _until(lambda: len(heard) >= 2)
        heard.clear()
    stuck.free.set()
    await _until(lambda: len(stuck.sent) == 3)
    notifier.close()
    assert stuck.sent == ["page", "other", "page"]


async def _until(happened: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not happened():
            await asyncio.sleep(0.01)
