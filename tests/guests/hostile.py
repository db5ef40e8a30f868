"""Hostile guests: how a case is defined, and how it may end.

A case is a script, or a module in the text format. ``ends`` are the allowed causes of its end; "answer" is a response to
the call, where the attempt has no effect.
"""

# ruff: noqa: E501  one guest a line

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .guest_factory import script

TIME = frozenset({"cpu", "wall"})
MEMORY = frozenset({"memory", "error", "trap", "answer", "cpu", "wall", "exit"})
FLOOD = frozenset({"output", "cpu", "wall", "protocol"})
BROKEN = frozenset({"protocol", "silence", "answer", "error"})
NOTHING = frozenset({"answer"})


@dataclass(frozen=True)
class Case:
    name: str
    code: str
    ends: frozenset[str]
    is_module: bool = False


def when_called(family: str, ends: frozenset[str], bodies: Iterable[str], *, kind: str = "called") -> list[Case]:
    """Scripts that run their attack when called."""
    return [Case(f"{family}-{kind}-{number}", script(body), ends) for number, body in enumerate(bodies)]


def at_start(family: str, ends: frozenset[str], codes: Iterable[str]) -> list[Case]:
    """Scripts that run their attack before they are called."""
    return [Case(f"{family}-early-{number}", code, ends) for number, code in enumerate(codes)]


def modules(family: str, ends: frozenset[str], bodies: Iterable[str]) -> list[Case]:
    return [Case(f"{family}-wasm-{number}", _module(body), ends, True) for number, body in enumerate(bodies)]


def _module(body: str) -> str:
    """A module around the body of a case; `$read` waits for the next line."""
    return f"""(module
      (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
      (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
      (import "wasi_snapshot_preview1" "path_open" (func $path_open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
      (import "wasi_snapshot_preview1" "sock_accept" (func $sock_accept (param i32 i32 i32) (result i32)))
      (import "wasi_snapshot_preview1" "random_get" (func $random_get (param i32 i32) (result i32)))
      (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
      (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
      (import "browser_pilot" "host_request" (func $host (param i32 i32) (result i64)))
      (memory (export "memory") 2)
      (func (export "malloc") (param i32) (result i32) (i32.const 1024))
      (func $read
        (i32.store (i32.const 0) (i32.const 256)) (i32.store (i32.const 4) (i32.const 60000))
        (drop (call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8))))
      {body})"""
