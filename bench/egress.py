"""Compares page loads through the egress proxy with direct ones: ``python bench/egress.py [ROUNDS]``

A separate process serves the pages under several loopback names. ``--delay-ms`` is the server's response delay, as on a
real network; 0 shows the proxy's own cost best. ``--requests`` sends that many requests through the proxy instead,
including denied and aborted ones, and prints the remaining memory, descriptors and tasks.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import gc
import statistics
import subprocess
import sys
import time

import psutil
from playwright.async_api import Browser, Page, async_playwright

from browser_pilot.egress import EgressProxy, SessionAccessPolicy, browser_arguments
from browser_pilot.engines.browser_finder import find_browser
from browser_pilot.engines.proxy_auth import authenticate, proxy_settings
from browser_pilot.policy.hosts import Site
from browser_pilot.policy.patterns import parse_pattern
from browser_pilot.policy.rules import Rule, Ruleset

HOSTS = ("www.localhost", "cdn.localhost", "img.localhost", "api.localhost")
PAGES = {"plain": 0, "few": 8, "usual": 40, "many": 120}
KILOBYTES = {".js": 60, ".css": 20, ".png": 40}


def page_text(resources: int, port: int) -> bytes:
    tags: list[str] = ["<!doctype html><title>x</title>"]
    for number in range(resources):
        base = f"http://{HOSTS[number % len(HOSTS)]}:{port}/{number}"
        kinds = (
            f'<script src="{base}.js"></script>',
            f'<link rel=stylesheet href="{base}.css">',
            f'<img src="{base}.png">',
        )
        tags.append(kinds[number % 3])
    return "\n".join(tags).encode()


async def serve(delay_ms: float) -> None:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                path = head.split(b" ")[1].decode()
                await asyncio.sleep(delay_ms / 1000)
                suffix = path[path.rfind(".") :]
                size = KILOBYTES.get(suffix)
                port = writer.get_extra_info("sockname")[1]
                body = page_text(PAGES.get(path[1:], 0), port) if size is None else b"/*" + b" " * size * 1024 + b"*/"
                kind = {".js": "text/javascript", ".css": "text/css", ".png": "image/png"}.get(suffix, "text/html")
                length = f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\nCache-Control: no-store"
                writer.write(f"HTTP/1.1 200 OK\r\n{length}\r\n\r\n".encode() + body)
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def timed(page: Page, url: str) -> float:
    started = time.perf_counter()
    await page.goto(url, wait_until="load")
    return (time.perf_counter() - started) * 1000


async def measure(port: int, rounds: int) -> None:
    async def resolve(host: str) -> tuple[str, ...]:
        return ("127.0.0.1",)

    proxy = EgressProxy(resolver=resolve)
    proxy_port = await proxy.start()
    rules = Ruleset()
    gate = SessionAccessPolicy(lambda: rules)
    for host in HOSTS:
        gate.allow_navigation(Site("http", host, port))
    proxy.register("bench", "secret", gate)
    common = ["--no-sandbox", "--disable-gpu"]
    async with async_playwright() as playwright:
        executable = find_browser(None).executable
        plain: Browser = await playwright.chromium.launch(executable_path=executable, args=common)
        proxied: Browser = await playwright.chromium.launch(
            executable_path=executable, args=[*common, *browser_arguments(proxy_port)]
        )
        without = await plain.new_page()
        context = await proxied.new_context(proxy=proxy_settings(proxy_port))
        started = time.perf_counter()
        through = await context.new_page()
        await authenticate(through, "bench", "secret")
        print(f"first page of a context, with log-in: {(time.perf_counter() - started) * 1000:.0f} ms")
        ratios: list[float] = []
        for name in PAGES:
            url = f"http://{HOSTS[0]}:{port}/{name}"
            times: dict[str, list[float]] = {"without": [], "through": []}
            for number in range(rounds + 2):
                # Alternate the order, so that load on the machine affects both alike.
                order = [("without", without), ("through", through)]
                for kind, page in order if number % 2 else reversed(order):
                    elapsed = await timed(page, url)
                    if number >= 2:
                        times[kind].append(elapsed)
            middle = {kind: statistics.median(values) for kind, values in times.items()}
            ratios.append(middle["through"] / middle["without"])
            shown = ", ".join(f"{value:7.1f} ms {kind}" for kind, value in middle.items())
            print(f"{name:>6}: {shown}: {ratios[-1]:.2f}x")
        print(f"median: {statistics.median(ratios):.2f}x")
        await plain.close()
        await proxied.close()
    await proxy.close()


async def soak(port: int, requests: int) -> None:
    """Prints memory, descriptors and tasks of this process after the first tenth and at the end."""
    proxy = EgressProxy()
    proxy_port = await proxy.start()
    rules = Ruleset([Rule(pattern=parse_pattern("img.localhost"), read="deny")])
    gate = SessionAccessPolicy(lambda: rules)
    gate.allow_navigation(Site("http", HOSTS[0], port))
    proxy.register("bench", "secret", gate)
    login = base64.b64encode(b"bench:secret").decode()

    async def one(number: int) -> None:
        host = HOSTS[2] if number % 4 == 0 else HOSTS[0]
        method, target = (
            ("CONNECT", f"{host}:{port}") if number % 4 == 1 else ("GET", f"http://{host}:{port}/{number}.png")
        )
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy_port)
        writer.write(f"{method} {target} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic {login}\r\n\r\n".encode())
        await reader.read(1 if number % 4 == 2 else 64 * 1024)
        writer.close()
        await writer.wait_closed()

    process = psutil.Process()
    done = 0
    for end in (requests // 10, requests):
        while done < end:
            await asyncio.gather(*(one(done + number) for number in range(20)))
            done += 20
        await proxy.wait_no_connections()
        gc.collect()
        megabytes = process.memory_info().rss / 1024 / 1024
        tasks = len(asyncio.all_tasks())
        print(f"after {done:6} requests: {megabytes:.1f} MB, {process.num_fds()} descriptors, {tasks} tasks")
    await proxy.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rounds", nargs="?", type=int, default=20)
    parser.add_argument("--delay-ms", type=float, default=10.0)
    parser.add_argument("--requests", type=int, help="send this many requests and print what they leave behind")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve(options.delay_ms))
        return
    command = [sys.executable, __file__, "--serve", "--delay-ms", str(options.delay_ms)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        if server.stdout is None:
            raise TypeError("the server's output is a pipe")
        try:
            port = int(server.stdout.readline())
            asyncio.run(soak(port, options.requests) if options.requests else measure(port, options.rounds))
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
