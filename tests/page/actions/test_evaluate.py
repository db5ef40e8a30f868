"""Scripts, cookies and storage of a page, and the tabs and downloads that actions open."""

from __future__ import annotations

import asyncio
import itertools
import json

import pytest
from playwright.async_api import BrowserContext
from playwright.async_api import Error as PlaywrightError

from browser_pilot.errors import BrowserCrashed, InvalidArgument, Timeout
from browser_pilot.page.cdp import send
from browser_pilot.page.observe.cookies import clear_cookies, delete_cookies, get_cookies, set_cookie
from browser_pilot.page.observe.storage import use_storage
from browser_pilot.page.tab import Tab
from browser_pilot.page.tab_set import TabSet
from tests.page.conftest import Show

from .acting import click, evaluate, open_address
from .site import Site

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 1", 2),
        ("() => 'text'", "text"),
        ("async () => { await 0; return [1] }", [1]),
        ("function () { return this === window }", True),
        ("x => x === undefined", True),
        ("(async () => { await 0; return [1] })()", [1]),
        ("(() => (1))() + 1", 2),
        ("(a, b = (1 + (2))) => b", 3),
        ("function f() { return 4 } f()", 4),
        ("{ a: 1, b: [null, true] }", {"a": 1, "b": [None, True]}),
        ("const n = 20; n + 1", 21),
        ("Promise.resolve(7)", 7),
        ("undefined", None),
        ("NaN", "NaN"),
        ("10n ** 20n", "100000000000000000000n"),
        ("document.body", "<body>"),
        ("const a = {}; a.self = a; a", {"self": "[circular]"}),
        ("const s = [1]; [s, s]", [[1], [1]]),
        ("new Map([['k', new Set([1])]])", {"k": [1]}),
        ("pageVariable", "seen"),
    ],
)
async def test_the_value_of_a_script_is_returned_as_json(show: Show, expression: str, value: object) -> None:
    tab = await show("<script>pageVariable = 'seen'</script>")
    assert json.loads((await evaluate(tab, expression)).json) == value


async def test_a_script_gets_an_element_of_any_frame(tab: Tab, site: Site) -> None:
    site.add("leaf", "<button id=b data-x=1>Go</button><script>mine = 'leaf'</script>")
    await tab.page.goto(site.add("outer", "<iframe src='http://b.test:{port}/leaf'></iframe>"))
    assert json.loads((await evaluate(tab, "e => e.dataset.x + mine", "#b")).json) == "1leaf"
    assert json.loads((await evaluate(tab, "element.tagName", "#b")).json) == "BUTTON"


async def test_a_long_result_is_truncated_and_its_full_length_returned(show: Show) -> None:
    tab = await show("")
    evaluated = await evaluate(tab, "Array.from({length: 1000}, (_, i) => i)", max_characters=100)
    assert len(evaluated.json) == 100
    assert evaluated.full_length > 3000


@pytest.mark.parametrize(("expression", "message"), [("1 +", "SyntaxError"), ("nope.x", "ReferenceError.*nope")])
async def test_an_exception_of_a_script_is_reported(show: Show, expression: str, message: str) -> None:
    tab = await show("")
    with pytest.raises(InvalidArgument, match=message):
        await evaluate(tab, expression)


@pytest.mark.parametrize("expression", ["while (true) {}", "new Promise(() => {})"])
async def test_a_script_that_does_not_end_times_out(show: Show, expression: str) -> None:
    tab = await show("<p>Text</p>")
    with pytest.raises((Timeout, InvalidArgument)):
        await evaluate(tab, expression, timeout_ms=300)
    assert json.loads((await evaluate(tab, "1")).json) == 1


async def test_a_navigation_by_a_script_is_awaited(show: Show, site: Site) -> None:
    site.late("next", 0.2, "<p>Next</p>")
    tab = await show("")
    evaluated = await evaluate(tab, "location.href = '/next'")
    assert evaluated.outcome.navigated == site.url("next")


@pytest.mark.managed
async def test_cookies_are_set_read_and_deleted_httponly_ones_too(show: Show) -> None:
    tab = await show("")
    await set_cookie(tab, "one", "1", http_only=True)
    await set_cookie(tab, "two", "2")
    assert {cookie.name: cookie.value for cookie in await get_cookies(tab)} == {"one": "1", "two": "2"}
    assert [cookie.http_only for cookie in await get_cookies(tab, name="one")] == [True]
    assert await delete_cookies(tab, "one") == 1
    assert await clear_cookies(tab) == 1
    assert await get_cookies(tab) == []


async def test_a_cookie_that_the_browser_refuses_is_an_error(show: Show) -> None:
    tab = await show("")
    with pytest.raises(InvalidArgument, match="refuses"):
        await set_cookie(tab, "__Host-bad", "1", domain="b.test")


async def test_storage_is_set_read_and_deleted(show: Show) -> None:
    tab = await show("")
    await use_storage(tab, "set", key="a", value="1")
    await use_storage(tab, "set", key="b", value="2")
    assert await tab.page.evaluate("localStorage.a") == "1"
    assert await use_storage(tab, "get") == {"a": "1", "b": "2"}
    assert await use_storage(tab, "get", kind="session") == {}
    assert await use_storage(tab, "delete", key="a") == {}
    assert await use_storage(tab, "get", key="b") == {"b": "2"}
    assert await use_storage(tab, "clear") == {}
    with pytest.raises(InvalidArgument):
        await use_storage(tab, "set", key="a")


@pytest.mark.managed
async def test_a_page_without_storage_is_an_error(tab: Tab) -> None:
    await tab.page.goto("data:text/html,plain")
    with pytest.raises(InvalidArgument, match="no such storage"):
        await use_storage(tab, "get")


@pytest.mark.parametrize(
    "opener",
    [
        "<a id=b href=/next target=_blank>Go</a>",
        "<a id=b href=/next target=_blank rel=noopener>Go</a>",
        "<button id=b onclick='window.open(`/next`)'>Go</button>",
        "<button id=b onclick='fetch(`/data`).then(() => window.open(`/next`))'>Go</button>",
    ],
)
async def test_a_tab_that_a_click_opens_is_reported_with_its_id(
    context: BrowserContext, site: Site, opener: str
) -> None:
    site.late("data", 0.1)
    site.late("next", 0.2, "<p>Next</p>")
    tabs = TabSet(context, itertools.count(1), on_event=lambda _tab, _news: None)
    tab = await tabs.open()
    await open_address(tab, site.add("page", opener))
    outcome = await click(tab, "#b")
    assert [(new.tab, new.url) for new in outcome.new_tabs] == [("t2", site.url("next"))]
    assert tabs.get("t2") is not None


async def test_a_tab_that_a_control_click_opens_is_reported(context: BrowserContext, site: Site) -> None:
    site.add("next", "<p>Next</p>")
    tabs = TabSet(context, itertools.count(1), on_event=lambda _tab, _news: None)
    tab = await tabs.open()
    await open_address(tab, site.add("page", "<a id=b href=/next>Go</a>"))
    outcome = await click(tab, "#b", modifiers=["ControlOrMeta"])
    assert [new.tab for new in outcome.new_tabs] == ["t2"]
    assert outcome.navigated is None


@pytest.mark.parametrize(
    "link",
    [
        "<a id=b href=/file>Get</a>",
        "<a id=b href='data:text/csv,a' download=report.csv>Get</a>",
        "<button id=b onclick='const a = document.createElement(`a`);"
        "a.href = window.URL.createObjectURL(new Blob([`x`])); a.download = `report.csv`; a.click()'>Get</button>",
    ],
)
async def test_a_download_that_a_click_starts_is_reported(show: Show, site: Site, link: str) -> None:
    extra = "Content-Disposition: attachment; filename=report.csv\r\n"
    site.handle("file", lambda request: request.respond("a,b", kind="text/csv", extra=extra))
    tab = await show(link)
    outcome = await click(tab, "#b")
    assert [item.filename for item in outcome.downloads] == ["report.csv"]
    assert outcome.navigated is None


async def test_a_click_that_closes_its_tab_returns(context: BrowserContext, site: Site) -> None:
    tabs = TabSet(context, itertools.count(1), on_event=lambda _tab, _news: None)
    tab = await tabs.open()
    await open_address(tab, site.add("page", "<button id=b onclick='window.open(`/popup`)'>Go</button>"))
    site.add("popup", "<button id=c onclick='window.close()'>Close</button>")
    await click(tab, "#b")
    popup = tabs.get("t2")
    assert popup is not None
    outcome = await click(popup, "#c")
    assert outcome.notices == ("The tab was closed.",)


async def test_a_crash_of_the_page_during_an_action_is_reported(show: Show) -> None:
    tab = await show("<button id=b disabled>Go</button>")
    crasher = await tab.page.context.new_cdp_session(tab.page)
    waiting = asyncio.create_task(click(tab, "#b"))
    await asyncio.wait({waiting}, timeout=0.5)
    crash = asyncio.ensure_future(send(crasher, "Page.crash"))
    with pytest.raises(BrowserCrashed):
        await waiting
    await tab.page.close()
    with pytest.raises(PlaywrightError):
        await crash


async def test_an_action_on_a_page_that_crashes_before_it_was_ever_used_is_reported(context: BrowserContext) -> None:
    page, crashed = await context.new_page(), asyncio.Event()
    page.once("crash", lambda _: crashed.set())
    tab = Tab("t1", page)
    crasher = await context.new_cdp_session(page)
    crash = asyncio.ensure_future(send(crasher, "Page.crash"))
    await crashed.wait()
    async with asyncio.timeout(20):
        with pytest.raises(BrowserCrashed):
            await open_address(tab, "about:blank")
    await page.close()
    with pytest.raises(PlaywrightError):
        await crash
