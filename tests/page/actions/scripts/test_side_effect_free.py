"""A script that was authorized without side effects returns its value, or ends before anything happens."""

from __future__ import annotations

import asyncio
import json

import pytest

from browser_pilot.errors import ElementChanged, InvalidArgument, Timeout
from browser_pilot.page.actions import evaluate as evaluating
from browser_pilot.page.actions import wait_function
from browser_pilot.page.actions.context import ActionContext
from browser_pilot.page.actions.resolve import resolve
from browser_pilot.page.actions.scripts.side_effect_free import PossibleSideEffect
from browser_pilot.page.actions.wait_for import wait_for
from browser_pilot.page.tab import Tab
from browser_pilot.policy.hosts import page_site, url_origin
from tests.page.actions.site import Site
from tests.page.conftest import Show

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PAGE = """<title>Shop</title><p id=p>Hello</p><button id=pay onclick="paid++">Pay now</button>
<form id=f action=/paid onsubmit="paid++; return false"><input name=a></form>
<script>
  paid = 0
  pay = () => { document.querySelector('#pay').click() }
  customElements.define('x-pay', class XPay extends HTMLElement { constructor() { super(); paid++ } })
  class Trap extends Error { get stack() { pay() } get message() { pay() } get name() { pay() } toString() { pay() } }
  trap = new Trap()
</script>"""


def context_of(tab: Tab) -> ActionContext:
    return ActionContext(tab, site=page_site(tab.page.url), side_effect_free=True)


async def run(tab: Tab, expression: str, element: str | None = None, *, timeout_ms: int = 10_000) -> object:
    target = await resolve(tab, element) if element else None
    evaluated = await evaluating.evaluate(context_of(tab), expression, target, timeout_ms=timeout_ms)
    assert evaluated.outcome.facts() == {}
    return json.loads(evaluated.json)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 1", 2),
        ("document.title", "Shop"),
        ("document.title;", "Shop"),
        ("() => document.querySelector('#p').innerText", "Hello"),
        ("function () { return this === window }", True),
        ("[...document.querySelectorAll('input')].map(e => e.name)", ["a"]),
        ("{ a: 1, b: [null, true] }", {"a": 1, "b": [None, True]}),
        (
            "() => { const ids = []; for (const e of document.querySelectorAll('p')) ids.push(e.id); return ids }",
            ["p"],
        ),
        ("document.querySelector('#p')", '<p id="p">'),
        ("undefined", None),
        ("NaN", "NaN"),
        ("10n ** 20n", "100000000000000000000n"),
        ("'a // b'", "a // b"),
        ("1 // one", 1),
        ("paid", 0),
    ],
)
async def test_a_script_that_only_reads_returns_its_value(show: Show, expression: str, value: object) -> None:
    assert await run(await show(PAGE), expression) == value


async def test_a_script_that_only_reads_gets_its_element(show: Show) -> None:
    tab = await show(PAGE)
    assert await run(tab, "element.textContent", "#p") == "Hello"
    assert await run(tab, "e => e.tagName", "#p") == "P"


@pytest.mark.parametrize(
    "expression",
    [
        "pay()",
        "document.querySelector('#pay').click()",
        "document.querySelector('#f').submit()",
        "document.querySelector('#f').requestSubmit()",
        "document.querySelector('#pay').onclick()",
        "document.querySelector('#pay').dispatchEvent(new Event('click'))",
        "HTMLElement.prototype.click.call(document.querySelector('#pay'))",
        "paid = 1",
        "paid++",
        "window.paid += 1",
        "Object.assign(window, { paid: 1 })",
        "const n = 1; pay()",
        "try { pay() } catch { pay() } finally { pay() }",
        "(() => { try { pay() } catch { pay() } finally { pay() } })()",
        # The result, when it is read
        "({ toJSON() { pay(); return 1 } })",
        "({ get a() { pay(); return 1 } })",
        "({ toString() { pay(); return 1 } }) + ''",
        "[{ get a() { pay(); return 1 } }]",
        "new Proxy({}, { get() { pay() }, ownKeys() { pay(); return [] }, getPrototypeOf() { pay(); return null } })",
        "Object.setPrototypeOf({}, new Proxy({}, { get() { pay() } }))",
        "trap",
        "(() => { throw trap })()",
        "(() => { throw { toString() { pay(); return '' } } })()",
        # Text that leaves the expression
        "1), pay(), (2",
        "1)); pay(); ((2",
        "1]; pay(); [2",
        "1), null, 1); const t = trap; (t",
        "1*/ x]);pay();(/.y /*",
        "1 }, pay(), () => { 2",
        "trap) //",
        # CDP evaluates a function declaration unchecked: this one would be followed by another expression.
        "1))(this), null, limit) }, pay(), function (limit) { return String(() => ((element) => (1",
        # Later
        "setTimeout(pay)",
        "queueMicrotask(pay)",
        "Promise.resolve().then(pay)",
        "async () => { await 0; pay() }",
        "async () => 1",
        "requestAnimationFrame(pay)",
        "new MutationObserver(pay).observe(document, { childList: true })",
        "new FinalizationRegistry(pay).register({}, 1)",
        "addEventListener('focus', pay)",
        # By way of others
        "[1].map(pay)",
        "[2, 1].sort(pay)",
        "'a'.replace(/a/, pay)",
        "JSON.parse('[1]', pay)",
        "Reflect.apply(pay, null, [])",
        "pay.bind(null)()",
        "eval('pay()')",
        "new Function('pay()')()",
        "[...{ [Symbol.iterator]() { pay(); return [][Symbol.iterator]() } }]",
        "new Promise(pay)",
        "document.createElement('x-pay')",
        "document.createTreeWalker(document, 1, { acceptNode() { pay(); return 1 } }).nextNode()",
        # Elsewhere
        "location = '/paid'",
        "location.assign('/paid')",
        "open('/paid')",
        "history.pushState(1, '', '/paid')",
        "fetch('/paid')",
        "new Image().src = '/paid'",
        "navigator.sendBeacon('/paid')",
        "document.cookie = 'a=1'",
        "localStorage.setItem('a', '1')",
        "document.title = 'x'",
        "document.body.innerHTML = ''",
        "alert(1)",
    ],
)
@pytest.mark.parametrize("element", [None, "#p"])
async def test_a_script_ends_before_its_first_side_effect(
    show: Show, site: Site, expression: str, element: str | None
) -> None:
    tab = await show(PAGE)
    url, html = tab.page.url, await tab.page.evaluate("document.documentElement.outerHTML")
    with pytest.raises((PossibleSideEffect, InvalidArgument)):
        await run(tab, expression, element)
    await tab.page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    assert await tab.page.evaluate("paid") == 0
    assert await tab.page.evaluate("document.documentElement.outerHTML") == html
    assert tab.page.url == url
    assert await tab.page.evaluate("document.cookie + localStorage.length") == "0"


@pytest.mark.parametrize("expression", ["1 +", "nope nope"])
async def test_a_syntax_error_is_no_side_effect(show: Show, expression: str) -> None:
    with pytest.raises(InvalidArgument, match="SyntaxError") as caught:
        await run(await show(PAGE), expression)
    assert not isinstance(caught.value, PossibleSideEffect)


async def test_an_exception_of_a_script_without_side_effects_is_reported(show: Show) -> None:
    with pytest.raises(InvalidArgument, match="threw TypeError") as caught:
        await run(await show(PAGE), "null.x")
    assert not isinstance(caught.value, PossibleSideEffect)


async def test_a_script_without_side_effects_that_does_not_end_times_out(show: Show) -> None:
    tab = await show(PAGE)
    with pytest.raises((Timeout, InvalidArgument)) as caught:
        await run(tab, "(() => { while (true) {} })()", timeout_ms=300)
    assert not isinstance(caught.value, PossibleSideEffect)
    assert await run(tab, "1") == 1


async def test_a_content_security_policy_does_not_matter(show: Show) -> None:
    policy = "script-src 'unsafe-inline'; require-trusted-types-for 'script'"
    tab = await show(f'<meta http-equiv=Content-Security-Policy content="{policy}">{PAGE}')
    assert await run(tab, "document.title") == "Shop"
    assert await run(tab, "element.id", "#p") == "p"


async def test_a_script_runs_only_on_the_authorized_site(show: Show, site: Site) -> None:
    tab = await show(PAGE)
    for side_effect_free in (True, False):
        elsewhere = ActionContext(tab, site=page_site("http://other.test/"), side_effect_free=side_effect_free)
        with pytest.raises(ElementChanged):
            await evaluating.evaluate(elsewhere, "1")
        with pytest.raises(ElementChanged):
            await wait_for(tab, function="1", context=elsewhere)


class TestWaitingForAFunction:
    async def test_a_function_without_side_effects_is_polled(self, show: Show) -> None:
        tab = await show(PAGE + "<script>setTimeout(() => { document.title = 'Ready' }, 300)</script>")
        await wait_for(tab, function="() => document.title === 'Ready'", context=context_of(tab))
        with pytest.raises(Timeout):
            await wait_for(tab, function="document.title === 'x'", context=context_of(tab), timeout_ms=300)

    @pytest.mark.parametrize("value", ["0", "''", "null", "NaN", "0n", "false", "undefined"])
    async def test_what_is_false_in_javascript_is_waited_for(self, show: Show, value: str) -> None:
        tab = await show(PAGE)
        for context in (context_of(tab), None):
            with pytest.raises(Timeout):
                await wait_for(tab, function=value, context=context, timeout_ms=200)

    @pytest.mark.parametrize("value", ["'NaN'", "'0'", "[]", "({})", "1", "document.body", "-1n"])
    async def test_what_is_true_in_javascript_ends_the_wait(self, show: Show, value: str) -> None:
        tab = await show(PAGE)
        for context in (context_of(tab), None):
            await wait_for(tab, function=value, context=context, timeout_ms=5_000)

    async def test_a_side_effect_of_a_later_poll_does_not_happen(self, show: Show) -> None:
        tab = await show(PAGE + "<script>setTimeout(() => { document.title = 'Ready' }, 300)</script>")
        with pytest.raises(PossibleSideEffect):
            await wait_for(tab, function="document.title === 'Ready' && pay()", context=context_of(tab))
        assert await tab.page.evaluate("paid") == 0

    async def test_a_navigation_to_another_site_ends_the_wait(self, show: Show, site: Site) -> None:
        site.add("other", "<title>Other</title>")
        tab = await show(PAGE)
        there = site.url("other").replace("a.test", "b.test")
        for context in (context_of(tab), ActionContext(tab, site=page_site(tab.page.url))):
            waiting = asyncio.create_task(wait_for(tab, function="document.title === 'Other'", context=context))
            back = tab.page.url
            await tab.page.goto(there)
            with pytest.raises(ElementChanged):
                await waiting
            await tab.page.goto(back)

    @pytest.mark.parametrize(
        "script", ["paid++; 1", "() => ++paid", "++paid", "function fetch() {}; ++paid", "1 } paid++; {"]
    )
    async def test_a_document_that_came_before_its_address_is_known_runs_nothing(
        self, show: Show, site: Site, monkeypatch: pytest.MonkeyPatch, script: str
    ) -> None:
        tab = await show(PAGE)
        site.add("other", PAGE)
        context = ActionContext(tab, site=page_site(tab.page.url))
        origin = url_origin(tab.page.url)
        await tab.page.goto(site.url("other").replace("a.test", "b.test"))

        def known(_context: ActionContext) -> str:
            return origin

        for module in (evaluating, wait_function):
            monkeypatch.setattr(module, "require_authorized_site", known)
        with pytest.raises(ElementChanged):
            await evaluating.evaluate(context, script)
        with pytest.raises(ElementChanged):
            await wait_for(tab, function=script, context=context)
        assert await tab.page.evaluate("[paid, String(fetch).includes('native')]") == [0, True]
