"""What a WASM guest can use, in the real sandbox: the same newspaper in C and in the text format."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, Literal

import pytest

from browser_pilot.errors import GuestFailed
from browser_pilot.guests.host.host_errors import HostError
from browser_pilot.guests.installed.manifest import GuestTool

from .guest_factory import ANYTHING, FakeHost, package, running_guest
from .wasm_builder import EXAMPLES, from_c, from_wat

ARTICLE = GuestTool("get_article", "", ANYTHING)

Language = Literal["c", "wat"]


def newspaper(language: Language, folder: Path) -> bytes:
    if language == "c":
        return from_c(EXAMPLES / "newspaper-c" / "newspaper.c", folder)
    return from_wat((EXAMPLES / "newspaper-wat" / "newspaper.wat").read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", ["c", "wat"])
async def test_a_module_sends_a_host_request_and_responds(language: Language, tmp_path: Path, modules: Path) -> None:
    content = 'Line one\nsaid "hé" \\ ' + "x" * 300_000
    host = FakeHost(lambda _context, _method, _params: {"content": content, "title": "News", "url": "http://n/"})
    made = package(newspaper(language, tmp_path))
    async with running_guest(made, tmp_path / "home", modules, host=host) as guest:
        text = await guest.call(tool=ARTICLE, url="http://n/a?b=1&c=2")

    assert text.endswith(content)
    [(context, method, params)] = host.requests
    assert context is not None
    assert context.origin == "client:test-1"
    assert method == "browser.capturePage"
    assert params == {"url": "http://n/a?b=1&c=2", "format": "text"}


@pytest.mark.parametrize("language", ["c", "wat"])
async def test_a_module_gets_the_hosts_error(language: Language, tmp_path: Path, modules: Path) -> None:
    def refuse(_context: object, _method: str, _params: Any) -> Any:
        raise HostError("ERR_PERMISSION_DENIED", "the user said no")

    async with running_guest(
        package(newspaper(language, tmp_path)), tmp_path / "home", modules, host=FakeHost(refuse)
    ) as guest:
        for _ in range(2):
            with pytest.raises(GuestFailed, match="the user said no"):
                await guest.call(tool=ARTICLE, url="http://n/")


async def test_calls_queue_while_a_module_waits_for_the_host(tmp_path: Path, modules: Path) -> None:
    asked, go = asyncio.Event(), asyncio.Event()

    async def slow(_context: object, _method: str, params: Any) -> Any:
        asked.set()
        await go.wait()
        return {"content": params["url"], "title": "t", "url": "u"}

    async with running_guest(
        package(newspaper("wat", tmp_path)), tmp_path / "home", modules, host=FakeHost(slow)
    ) as guest:
        calls = [asyncio.create_task(guest.call(tool=ARTICLE, url=f"http://n/{n}")) for n in range(3)]
        await asyncio.wait_for(asked.wait(), 20)
        go.set()
        assert await asyncio.gather(*calls) == ["http://n/0", "http://n/1", "http://n/2"]


ENVIRONMENT = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv) {
  char line[70000];
  while (fgets(line, sizeof line, stdin)) {
    char *id = strstr(line, "\\"id\\":");
    if (!id || !strstr(line, "tools/call")) continue;
    FILE *file = fopen("/etc/passwd", "r");
    fprintf(stderr, "to the log\\n");
    usleep(2000);
    printf("{\\"jsonrpc\\":\\"2.0\\",\\"id\\":%ld,\\"result\\":{\\"content\\":[{\\"type\\":\\"text\\",\\"text\\":"
      "\\"%s %d %d %d %d\\"}]}}\\n", strtol(id + 5, 0, 10), getenv("WORD"), argc, getenv("PATH") != 0, file != 0,
      time(0) > 1700000000);
    fflush(stdout);
  }
}
"""


async def test_a_module_has_its_environment_and_no_files(tmp_path: Path, modules: Path) -> None:
    source = tmp_path / "guest.c"
    source.write_text(ENVIRONMENT)
    made = package(from_c(source, tmp_path), environment=[{"name": "WORD", "default": "given"}])
    async with running_guest(made, tmp_path / "home", modules) as guest:
        assert await guest.call() == "given 0 0 0 1"

    assert "info    to the log" in guest.log


@pytest.mark.parametrize(
    ("wat", "why"),
    [
        ("(module)", "no _start"),
        ('(module (import "wasi_snapshot_preview1" "nonsense" (func)) (func (export "_start")))', "ended by itself"),
        ('(module (import "other" "thing" (func)) (func (export "_start")))', "unknown import"),
        ('(module (func (export "_start")))', "ended by itself"),
        ('(module (func (export "_start") unreachable))', "unreachable"),
    ],
)
async def test_a_module_that_is_not_a_guest_fails_with_the_reason(
    wat: str, why: str, tmp_path: Path, modules: Path
) -> None:
    async with running_guest(package(from_wat(wat)), tmp_path / "home", modules) as guest:
        with pytest.raises(GuestFailed, match=why):
            await guest.call()


async def test_invalid_wasm_is_not_compiled(tmp_path: Path, modules: Path) -> None:
    async with running_guest(package(b"\0asm nonsense"), tmp_path / "home", modules) as guest:
        with pytest.raises(GuestFailed, match="cannot be compiled"):
            await guest.call()


def test_the_manifests_of_the_examples_differ_only_in_the_code() -> None:
    manifests = [
        json.loads((EXAMPLES / name / "manifest.json").read_text()) for name in ("newspaper-js", "newspaper-c")
    ]
    manifests += [
        json.loads((EXAMPLES / name / "manifest.json").read_text()) for name in ("newspaper-rust", "newspaper-wat")
    ]
    for manifest in manifests:
        for key in ("runtime", "scriptUrl", "wasm"):
            manifest.pop(key, None)

    assert all(manifest == manifests[0] for manifest in manifests)
