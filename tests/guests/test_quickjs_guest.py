"""What a JavaScript guest can use, in the real sandbox."""

# ruff: noqa: E501  a table of one-line scripts reads best in one line each

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from browser_pilot.errors import GuestFailed
from browser_pilot.guests.host.host_errors import HostError
from tests.waiting import eventually

from .guest_factory import FakeHost, TestGuest, context, package, running_guest, script

EVALUATE = script("return await (0, eval)(`(async () => { ${args.code} })()`);")


def respond(_context: object, method: str, params: Any) -> Any:
    if method == "fails":
        raise HostError("ERR_TIMEOUT", "too late")
    return {"method": method, "params": params}


@pytest_asyncio.fixture
async def guest(tmp_path: Path, modules: Path) -> AsyncGenerator[TestGuest]:
    environment = [{"name": "GREETING", "default": "hello"}]
    secrets = [{"name": "TOKEN", "description": "a token"}]
    made = package(EVALUATE, environment=environment, secrets=secrets)
    async with running_guest(made, tmp_path, modules, host=FakeHost(respond), secrets={"TOKEN": "s3cret"}) as running:
        yield running


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("return process.env.GREETING + process.env.TOKEN", "hellos3cret"),
        ("return Object.keys(process.env).length", 2),
        ("return await MCP.requestHost('x.y', { a: 1 })", {"method": "x.y", "params": {"a": 1}}),
        ("try { await MCP.requestHost('fails') } catch (e) { return [e.code, e.message] }", ["ERR_TIMEOUT", "too late"]),
        ("return await new Promise((done) => setTimeout(done, 20, 'later'))", "later"),
        ("let n = 0; return await new Promise((done) => { const t = setInterval(() => { if (++n == 3) { clearInterval(t); done(n) } }, 1) })", 3),
        ("const t = setTimeout(() => {}, 5); clearTimeout(t); return typeof t", "number"),
        ("return new TextDecoder().decode(new TextEncoder().encode('h\\u00e9llo \\u{1f600}'))", "h\u00e9llo \U0001f600"),
        ("return [...new TextEncoder().encode('\\u20ac')]", [226, 130, 172]),
        ("try { new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255])) } catch (e) { return e.name }", "TypeError"),
        ("return new URL('../b?c=1#d', 'https://EX\u00c4MPLE.com:443/a/x').href", "https://xn--exmple-cua.com/b?c=1#d"),
        ("const u = new URL('http://a.b/'); u.searchParams.append('q', 'x y&z'); u.port = '81'; return u.href", "http://a.b:81/?q=x+y%26z"),
        ("const u = new URL('http://a.b/?q=1'); u.search = '?q=2'; return u.searchParams.get('q')", "2"),
        ("try { new URL('nonsense') } catch (e) { return e.name }", "TypeError"),
        ("return new URLSearchParams('a=1&b=%C3%A9&a=3').getAll('a').concat(new URLSearchParams('b=%C3%A9').get('b'))", ["1", "3", "\u00e9"]),
        ("return new URLSearchParams({ a: 'b c', d: '\u00e9' }).toString()", "a=b+c&d=%C3%A9"),
        ("const a = { m: new Map([[1, new Set([2])]]), d: new Date(5) }; a.self = a; const b = structuredClone(a); return [b !== a, b.self === b, b.m.get(1).has(2), b.d.getTime()]", [True, True, True, 5]),
        ("try { structuredClone(() => 1) } catch (e) { return e.name }", "DataCloneError"),
        ("return btoa('abc') + atob('YWJj')", "YWJjabc"),
        ("return crypto.getRandomValues(new Uint8Array(16)).some((byte) => byte > 0)", True),
        ("return /^[0-9a-f]{8}-[0-9a-f]{4}-4/.test(crypto.randomUUID())", True),
        ("return [...new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode('abc')))].slice(0, 3)", [186, 120, 22]),
        ("try { await crypto.subtle.digest('MD5', new Uint8Array()) } catch (e) { return e.name }", "NotSupportedError"),
        ("const c = new AbortController(); let seen = 0; c.signal.addEventListener('abort', () => seen++); c.abort(); c.abort(); return [seen, c.signal.aborted, c.signal.reason.name]", [1, True, "AbortError"]),
        ("try { await fetch('https://a.b/', { signal: AbortSignal.abort() }) } catch (e) { return e.name }", "AbortError"),
        ("const h = new Headers({ 'X-A': '1' }); h.append('x-a', '2'); return [...h]", [["x-a", "1, 2"]]),
        ("const f = () => f(); try { f() } catch (e) { return [e.name, e instanceof RangeError] }", ["RangeError", True]),
        ("try { JSON.parse('['.repeat(2e5)) } catch (e) { return e.name }", "RangeError"),
        ("try { new Function('return ' + '('.repeat(1e5)) } catch (e) { return e.name }", "RangeError"),
        ("let n = 0; const f = () => ++n && f(); try { f() } catch {} return n > 1500", True),
        ("return [typeof XMLHttpRequest, typeof WebSocket, typeof require, typeof importScripts, typeof std, typeof os]", ["undefined"] * 6),
    ],
)  # fmt: skip
async def test_a_script_has_what_it_was_promised(guest: TestGuest, code: str, expected: object) -> None:
    text = await guest.call(code=code)

    assert (text if isinstance(expected, str) else json.loads(text)) == expected


async def test_what_a_script_prints_is_in_its_log(guest: TestGuest) -> None:
    await guest.call(code="console.log('one', { two: 3 }); console.error(new Error('broken')); return 1")

    assert 'info    one {"two":3}' in guest.log
    assert "error   Error: broken" in guest.log


async def test_fetch_sends_a_host_request_and_returns_its_response(tmp_path: Path, modules: Path) -> None:
    body = {"status": 201, "statusText": "Made", "headers": [["x", "y"]], "url": "https://a.b/c", "redirected": True}
    host = FakeHost(lambda _context, _method, _params: {**body, "body": '{"n": 5}'})
    act = """
      const r = await fetch('https://a.b/', { method: 'POST', headers: { 'X-Y': 'z' }, body: 'sent' });
      return [r.status, r.ok, r.headers.get('X'), r.url, r.redirected, (await r.json()).n];
    """
    async with running_guest(package(script(act)), tmp_path, modules, host=host) as guest:
        assert json.loads(await guest.call()) == [201, True, "y", "https://a.b/c", True, 5]

    [(_, method, params)] = host.requests
    assert method == "net.fetch"
    assert params == {
        "url": "https://a.b/",
        "method": "POST",
        "headers": [["x-y", "z"]],
        "redirect": "follow",
        "body": "sent",
    }


async def test_concurrent_calls_wait_for_the_host_independently(tmp_path: Path, modules: Path) -> None:
    """The host responds in reverse order."""
    gates = [asyncio.Event() for _ in range(8)]
    all_asked = asyncio.Event()

    async def one(_context: object, _method: str, params: Any) -> Any:
        if len(host.requests) == len(gates):
            all_asked.set()
        await gates[int(params["n"])].wait()
        return params["n"]

    host = FakeHost(one)
    act = "return await MCP.requestHost('wait', { n: args.n })"
    async with running_guest(package(script(act)), tmp_path, modules, host=host) as guest:
        calls = [asyncio.create_task(guest.call(n=n)) for n in range(len(gates))]
        await asyncio.wait_for(all_asked.wait(), 20)
        for n in reversed(range(len(gates))):
            gates[n].set()
            assert await asyncio.wait_for(calls[n], 20) == str(n)


async def test_host_requests_carry_the_context_of_the_call(tmp_path: Path, modules: Path) -> None:
    host = FakeHost(lambda _context, _method, _params: 1)
    act = "return await MCP.requestHost('m', { context: { origin: 'forged' } })"
    async with running_guest(package(script(act)), tmp_path, modules, host=host) as guest:
        await guest.call(context=context(origin="client:one"))
        await guest.call(context=context(origin="client:two"))

    assert [given.origin for given, _, _ in host.requests if given] == ["client:one", "client:two"]


async def test_a_host_request_outside_any_call_has_no_context(tmp_path: Path, modules: Path) -> None:
    host = FakeHost(lambda _context, _method, _params: 1)
    act = "setTimeout(() => MCP.requestHost('late'), 1); return 1"
    async with running_guest(package(script(act)), tmp_path, modules, host=host) as guest:
        await guest.call()
        await eventually(lambda: host.requests, "the host request")

    assert host.requests[0][0] is None


async def test_an_error_of_the_guest_is_the_error_of_the_call(guest: TestGuest) -> None:
    with pytest.raises(GuestFailed, match="returned an error: no such thing"):
        await guest.call(code="throw new Error('no such thing')")


async def test_a_syntax_error_is_reported(tmp_path: Path, modules: Path) -> None:
    async with running_guest(package("function ("), tmp_path, modules) as guest:
        with pytest.raises(GuestFailed, match="SyntaxError"):
            await guest.call()
