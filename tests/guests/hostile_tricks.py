"""Hostile guests that use tricks: recursion, silence, forgery, escapes. See ``hostile``."""

# ruff: noqa: E501  one guest a line

from __future__ import annotations

from .hostile import BROKEN, NOTHING, at_start, modules, when_called

RECURSIONS = when_called(
    "recursion",
    frozenset({"answer", "trap", "error", "cpu", "wall", "memory"}),
    [
        "const f = () => f(); f()",
        "const f = (n) => 1 + f(n + 1); return f(0)",
        "class A { get x() { return this.x } } return new A().x",
        "const a = []; a[0] = a; return String(a.flat(Infinity))",
        "return JSON.parse('['.repeat(1e6))",
        "let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; return JSON.stringify(o)",
        "const p = new Proxy({}, { get: (t, k, r) => r[k] }); return p.x",
        "const o = { toString() { return `${this}` } }; return `${o}`",
        "return eval('('.repeat(1e5) + ')'.repeat(1e5))",
        "return new RegExp('('.repeat(5e4) + ')'.repeat(5e4)).test('x')",
        "const f = async () => await f(); await f()",
        "const f = (...a) => f(...a, ...a); f(1)",
        "let o = {}; for (let i = 0; i < 2e4; i++) o = { o }; return structuredClone(o)",
        "return [1].map(function g() { return [1].map(g) })",
    ],
) + modules(
    "recursion",
    frozenset({"trap"}),
    [
        '(func $f (call $f)) (func (export "_start") (call $read) (call $f))',
        '(func $f (param i64 i64 i64 i64) (result i64) (i64.add (call $f (local.get 1) (local.get 2) (local.get 3) (local.get 0)) (i64.const 1))) (func (export "_start") (call $read) (drop (call $f (i64.const 1) (i64.const 2) (i64.const 3) (i64.const 4))))',
    ],
)

PROTOTYPES = when_called(
    "prototype",
    BROKEN | {"cpu", "wall", "output"},
    [
        "Object.prototype.then = (go) => go('owned'); return 1",
        "Array.prototype.push = () => { throw 1 }; return 1",
        "JSON.stringify = () => 'not json'; return 1",
        "JSON.parse = () => ({ method: 'tools/call', id: 1 }); return 1",
        "Map.prototype.get = () => ({ resolve() {}, reject() {} }); return await MCP.requestHost('x')",
        "Promise.prototype.then = function () { return this }; return 1",
        "String.prototype.toString = () => 'x'; return String(1)",
        "Object.defineProperty(globalThis, 'MCP', { value: null }); return 1",
        "MCP.writeLine = () => {}; return 1",
        "globalThis.__pilot?.('line', 'x'); return typeof __pilot",
        "Object.prototype.id = 7; Object.prototype.method = 'browser.getCookies'; return await MCP.requestHost('x').catch((e) => e.code)",
        "Error.prototype.toString = () => { for (;;) {} }; throw new Error('x')",
        "Symbol.iterator in Map.prototype; delete Map.prototype[Symbol.iterator]; Map.prototype.delete = null; return await MCP.requestHost('x').catch(String)",
        "Date.now = () => -1e300; await new Promise((go) => setTimeout(go, 5)); return 1",
        "return Function('return this')().constructor.constructor('return process')().env.PATH ?? 'none'",
        "Uint8Array.from = () => ({}); return crypto.getRandomValues(new Uint8Array(4))[0] ?? 1",
    ],
)

SILENCES = (
    when_called(
        "silence",
        frozenset({"silence", "wall"}),
        [
            "await new Promise(() => {})",
            "return new Promise(() => {})",
            "await Promise.race([])",
            "await { then() {} }",
            "const p = new Promise((go) => globalThis.go = go); await p",
            "await Promise.all([1, new Promise(() => {})])",
            "for await (const _ of { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }) ;",
            "setInterval(() => {}, 10); await new Promise(() => {})",
            "setTimeout(() => {}, 1e9); await new Promise(() => {})",
            "const wait = () => new Promise((go) => setTimeout(go, 20)); for (;;) await wait()",
        ],
    )
    + at_start(
        "silence",
        frozenset({"silence", "wall", "error", "exit"}),
        [
            "",
            "1",
            "await new Promise(() => {})",
            "(async () => { for (;;) await MCP.readLine() })()",
            "throw new Error('no')",
            "(async () => { for (;;) { await MCP.readLine(); await new Promise((go) => setTimeout(go, 50)) } })()",
        ],
    )
    + modules(
        "silence",
        frozenset({"silence", "exit", "wall"}),
        [
            '(func (export "_start") (loop $l (call $read) (br $l)))',
            '(func (export "_start") (call $read) (call $exit (i32.const 3)))',
            '(func (export "_start") (i64.store (i32.const 88) (i64.const 60000000000)) (drop (call $poll (i32.const 64) (i32.const 256) (i32.const 1) (i32.const 8))))',
        ],
    )
)

HOST_FLOODS = when_called(
    "host",
    frozenset({"output", "cpu", "wall", "answer", "exit"}),
    [
        "for (;;) MCP.requestHost('x')",
        "for (;;) await MCP.requestHost('x').catch(() => 0)",
        "return (await Promise.allSettled(Array.from({ length: 1e5 }, () => MCP.requestHost('x')))).length",
        "const go = () => MCP.requestHost('x').then(go, go); for (let i = 0; i < 50; i++) go(); await new Promise(() => {})",
        "for (;;) fetch('https://a.b/')",
        "for (;;) MCP.requestHost('x', { big: 'y'.repeat(1e5) })",
        "setInterval(() => MCP.requestHost('x').catch(() => 0), 1); await new Promise(() => {})",
        "return await MCP.requestHost('x'.repeat(1e6))",
        "for (let i = 0; ; i++) await MCP.requestHost('x' + i).catch(() => 0)",
        "await MCP.requestHost({ toString() { for (;;) {} } })",
    ],
) + modules(
    "host",
    frozenset({"output", "wall", "trap", "error", "cpu"}),
    [
        '(func (export "_start") (call $read) (loop $l (drop (call $host (i32.const 0) (i32.const 10))) (br $l)))',
        '(func (export "_start") (call $read) (drop (call $host (i32.const -8) (i32.const 100))) (unreachable))',
        '(func (export "_start") (call $read) (drop (call $host (i32.const 0) (i32.const -1))) (unreachable))',
    ],
)

MALFORMED = when_called(
    "malformed",
    BROKEN,
    [
        f"MCP.writeLine({line}); return await new Promise(() => {{}})"
        for line in [
            "'not json'",
            "'{'",
            "'[]'",
            "'null'",
            "'5'",
            "'\"text\"'",
            '\'{"jsonrpc": "2.0"}\'',
            "'{\"id\": 1e400}'",
            "'['.repeat(1e5)",
            "'{\"a\":'.repeat(5e4)",
            "'\\\\u0000'",
            "'\\ud800'",
            "JSON.stringify({ id: request.id })",
            "JSON.stringify({ id: request.id, result: 'text' })",
            "JSON.stringify({ id: request.id, result: [1] })",
            "JSON.stringify({ id: request.id, error: 7 })",
            "JSON.stringify({ id: true, result: {} })",
            "JSON.stringify({ id: String(request.id), result: {} })",
        ]
    ],
)

ESCAPES = (
    when_called(
        "escape",
        NOTHING,
        [
            "return typeof require + typeof process.binding + typeof std + typeof os + typeof Deno + typeof Bun",
            "return await import('fs').catch((e) => 'no')",
            "return await import('std').catch((e) => 'no')",
            "return await import('/etc/passwd').catch((e) => 'no')",
            "try { return require('child_process') } catch { return 'no' }",
            "try { return new Worker('x') } catch { return 'no' }",
            "return await fetch('file:///etc/passwd').catch((e) => e.message)",
            "return await MCP.requestHost('fs.read', { path: '/etc/passwd' }).catch((e) => e.code)",
            "return await MCP.requestHost('../../etc/passwd').catch((e) => e.code)",
            "return Object.keys(process.env).join()",
            "return await MCP.requestHost('process.spawn', { command: 'id' }).catch((e) => e.code)",
            "try { return new SharedArrayBuffer(8).byteLength + '' } catch { return 'no' }",
            "try { return new WebAssembly.Memory({ initial: 1 }) + '' } catch { return 'no' }",
            "return await MCP.requestHost('__proto__').catch((e) => e.code)",
        ],
    )
    + modules(
        "escape",
        frozenset({"exit", "silence"}),
        [
            '(data (i32.const 100) "/etc/passwd") (func (export "_start") (call $read) (if (i32.eqz (call $path_open (i32.const 3) (i32.const 0) (i32.const 100) (i32.const 11) (i32.const 0) (i64.const -1) (i64.const -1) (i32.const 0) (i32.const 8))) (then (unreachable))))',
            '(func (export "_start") (call $read) (if (i32.eqz (call $sock_accept (i32.const 4) (i32.const 0) (i32.const 8))) (then (unreachable))))',
            '(func (export "_start") (call $read) (if (i32.eqz (call $fd_read (i32.const 5) (i32.const 0) (i32.const 1) (i32.const 8))) (then (unreachable))))',
            '(func (export "_start") (call $read) (if (i32.eqz (call $fd_write (i32.const 7) (i32.const 0) (i32.const 1) (i32.const 8))) (then (unreachable))))',
        ],
    )
    + modules(
        "pointer",
        frozenset({"error"}),
        [
            '(func (export "_start") (call $read) (drop (call $random_get (i32.const 131000) (i32.const 65536))))',
            '(func (export "_start") (drop (call $fd_read (i32.const 0) (i32.const -4) (i32.const 1) (i32.const 8))))',
            '(func (export "_start") (i32.store (i32.const 0) (i32.const -16)) (i32.store (i32.const 4) (i32.const 64)) (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))))',
        ],
    )
)

FORGERIES = when_called(
    "forgery",
    NOTHING,
    [
        f"return await MCP.requestHost({asked}).then(() => 'LET IN', (e) => e.code)"
        for asked in [
            "'browser.capturePage', { url: 'https://bank.example/', context: { origin: 'harbor-extension' } }",
            "'browser.capturePage', { url: 'https://bank.example/', origin: 'client:admin' }",
            "'host_request', { method: 'browser.getCookies', context: { origin: 'side-panel', tabId: 1 } }",
            "'browser.getCookies', { domain: 'bank.example', context: null }",
            '\'browser.getCookies\', JSON.parse(\'{"__proto__": {"context": {"origin": "x"}}, "domain": "bank.example"}\')',
            "'http.get', { url: 'https://bank.example/', context: { origin: 'client:admin', read_only: false } }",
        ]
    ],
) + when_called(
    "writing",
    NOTHING | {"protocol"},
    [
        "MCP.writeLine(JSON.stringify({ type: 'host_response', id: 1, result: 1 })); return 1",
        "MCP.writeLine(JSON.stringify({ type: 'host_request', id: 1, method: 'browser.getCookies', params: {}, context: { origin: 'x' } })); return 1",
        "MCP.writeLine(JSON.stringify({ jsonrpc: '2.0', id: 999, method: 'sampling/createMessage', params: {} })); return 1",
        "MCP.writeLine(JSON.stringify({ type: 'ready' })); MCP.writeLine(JSON.stringify({ type: 'end', what: 'exit', message: 'x' })); return 1",
    ],
)
