"""Hostile guests that exhaust resources: time, memory, output. See ``hostile``."""

# ruff: noqa: E501  one guest a line

from __future__ import annotations

from .guest_factory import LOOP
from .hostile import FLOOD, MEMORY, TIME, at_start, modules, when_called

LOOPS = when_called(
    "loop",
    TIME,
    [
        "for (;;) {}",
        "while (true) ;",
        "do {} while (1)",
        "for (let i = 0; ; i++) {}",
        "let a = 1; while (a) a = !(!a)",
        "for (;;) Math.random()",
        "for (;;) Date.now()",
        "for (;;) { try { throw 1 } catch {} }",
        "const f = () => { for (;;) {} }; f()",
        "while (true) await null",
        "for (;;) await Promise.resolve()",
        "(function* () { for (;;) yield 1 })().forEach?.(() => 0); for (const _ of (function* () { for (;;) yield 1 })()) ;",
        "const spin = () => Promise.resolve().then(spin); await spin()",
        "await new Promise((go) => { const again = () => queueMicrotask(again); again() })",
        "for (;;) { try { for (;;) {} } finally { continue } }",
        "label: for (;;) { continue label }",
        "for (;;) crypto.getRandomValues(new Uint8Array(65536))",
        "for (;;) new URL('https://example.com/a/b?c=d')",
        "setInterval(() => { for (;;) {} }, 1); await new Promise(() => {})",
        "let n = 0n; for (;;) n += 1n",
    ],
) + at_start("loop", TIME, ["for (;;) {}", "while (true) await 0", f"{LOOP}; for (;;) {{}}"])

REGEXES = when_called(
    "regex",
    TIME,
    [
        f"return /{pattern}/.test('{text}'.repeat({count}) + '!')"
        for pattern, text, count in [
            ("^(a+)+$", "a", 60),
            ("^(a|aa)+$", "a", 80),
            ("^(a|a?)+$", "a", 60),
            ("^(.*a){20}$", "a", 40),
            ("(x+x+)+y", "x", 60),
            ("^([a-z]+)*$", "z", 60),
            ("^(\\w+)*$", "word", 30),
            ("^((a+)b?)*$", "a", 50),
            ("^(a*)*b$", "a", 60),
            ("(.+)+@", "b", 60),
            ("^(([a-z])+.)+[A-Z]$", "a", 60),
            ("^(?:a+){5,}b", "a", 200),
        ]
    ],
) + when_called(
    "regex-more",
    TIME,
    [
        "for (;;) 'a'.repeat(1e5).replace(/a*?a*?a*?b/g, '')",
        "const r = /(a+)+$/u; r[Symbol.replace]('a'.repeat(50) + '!', '')",
    ],
)

MEMORIES = when_called(
    "memory",
    MEMORY,
    [
        "const all = []; for (;;) all.push(new Uint8Array(1e6))",
        "return new ArrayBuffer(2 ** 31 - 1).byteLength",
        "let s = 'x'; for (;;) s += s",
        "return 'x'.repeat(5e8).length",
        "const a = []; for (;;) a.push({})",
        "const m = new Map(); for (let i = 0; ; i++) m.set(i, i)",
        "return new Array(4e9 | 0).fill(1).length",
        "return Array.from({ length: 1e9 }, () => 1).length",
        "const o = {}; for (let i = 0; ; i++) o['k' + i] = i",
        "return JSON.stringify(Array(3e7).fill(0)).length",
        "let p = null; for (;;) p = { p }",
        "return new Uint8Array(64 << 20).fill(1).length",
        "const b = new ArrayBuffer(1, { maxByteLength: 1e9 }); b.resize(9e8); return b.byteLength",
        "return [...'x'.repeat(3e7)].length",
        "const s = []; for (;;) s.push(Symbol('x'.repeat(1000)))",
        "return (2n ** 100000000n).toString().length",
        "for (const all = []; ;) all.push(new Promise(() => {}))",
    ],
) + modules(
    "memory",
    MEMORY | {"exit"},
    [
        '(func (export "_start") (call $read) (loop $l (drop (memory.grow (i32.const 1000))) (br $l)))',
        '(func (export "_start") (call $read) (drop (memory.grow (i32.const 65000))) (i32.store (i32.const 200000) (i32.const 1)))',
        '(table 10 funcref) (func (export "_start") (call $read) (loop $l (drop (table.grow 0 (ref.null func) (i32.const 100000))) (br $l)))',
    ],
)

NATIVES = when_called(
    "native",
    TIME | {"memory", "error", "answer"},
    [
        "const s = 'a'.repeat(2e6); for (;;) s.indexOf('b')",
        "const a = Array(3e5).fill(0).map(Math.random); for (;;) a.slice().sort()",
        "for (;;) JSON.parse('[' + '1,'.repeat(1e5) + '1]')",
        "const a = Array(1e5).fill('x'); for (;;) a.join()",
        "for (;;) 'a'.repeat(1e6).split('')",
        "const b = new Uint8Array(8e6); for (;;) b.fill(1)",
        "const b = new Uint8Array(4e6); for (;;) b.sort()",
        "for (;;) encodeURIComponent('é'.repeat(1e5))",
        "for (;;) 'abc'.repeat(1e5).normalize('NFD')",
        "for (;;) btoa('x'.repeat(1e6))",
        "for (let n = 3n; ;) n = n * n % (2n ** 4000n)",
        "const a = Array(1e6).fill(0); for (;;) a.reverse()",
        "for (;;) structuredClone(Array(1e4).fill({ a: 1 }))",
        "const o = Object.fromEntries(Array.from({ length: 1e4 }, (_, i) => [i, i])); for (;;) Object.keys(o)",
    ],
) + modules(
    "native",
    TIME,
    [
        '(func (export "_start") (call $read) (loop $l (br $l)))',
        '(func (export "_start") (loop $l (br $l)))',
        '(func $f (loop $l (br $l))) (start $f) (func (export "_start"))',
        '(func (export "_start") (call $read) (loop $l (memory.fill (i32.const 0) (i32.const 1) (i32.const 131072)) (br $l)))',
        '(func (export "_start") (call $read) (loop $l (drop (call $random_get (i32.const 0) (i32.const 65536))) (br $l)))',
        '(func $a (call $b)) (func $b (loop $l (nop) (br $l))) (func (export "_start") (call $read) (call $a))',
    ],
)

FLOODS = (
    when_called(
        "flood",
        FLOOD | {"answer"},
        [
            "for (;;) MCP.writeLine('x'.repeat(1000))",
            "MCP.writeLine('x'.repeat(5e6))",
            "for (;;) MCP.writeLine('{}')",
            "for (;;) MCP.writeLine('\\n'.repeat(1e5) + '{}')",
            "for (let i = 0; ; i++) MCP.writeLine(JSON.stringify({ jsonrpc: '2.0', id: i, result: {} }))",
            "return 'y'.repeat(3e6)",
            "for (;;) { MCP.writeLine(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: {} })); }",
            "await Promise.all(Array.from({ length: 1e4 }, async () => { for (;;) { MCP.writeLine('{}'); await null } }))",
        ],
    )
    + when_called(
        "log",
        FLOOD | {"answer"},
        [
            "for (;;) console.log('x'.repeat(1e5))",
            "console.error('x'.repeat(5e6)); return 1",
            "for (let i = 0; i < 5000; i++) console.log(i); return 1",
        ],
    )
    + modules(
        "flood",
        FLOOD | {"protocol"},
        [
            '(func (export "_start") (i32.store (i32.const 0) (i32.const 1024)) (i32.store (i32.const 4) (i32.const 60000)) (loop $l (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))) (br $l)))',
            '(func (export "_start") (i32.store8 (i32.const 1024) (i32.const 120)) (i32.store8 (i32.const 1025) (i32.const 10)) (i32.store (i32.const 0) (i32.const 1024)) (i32.store (i32.const 4) (i32.const 2)) (loop $l (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))) (br $l)))',
            '(func (export "_start") (i32.store (i32.const 0) (i32.const 1024)) (i32.store (i32.const 4) (i32.const 60000)) (loop $l (drop (call $fd_write (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 8))) (br $l)))',
        ],
    )
)
