"""Compares our URL parser with the browser's on hostile URLs: ``python -m tests.fuzz_urls 1000000`` (``make fuzz``).

Hand-written URLs are mutated at random, from a seed. If our parser accepts a URL, the browser must parse the same site
from it: from the URL as given, and from the canonical form that we pass to the browser.
"""

from __future__ import annotations

import asyncio
import logging
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from playwright.async_api import Page, async_playwright

from browser_pilot.engines.browser_finder import find_browser
from browser_pilot.errors import PilotError
from browser_pilot.policy.hosts import Address, parse_address
from browser_pilot.policy.patterns import any_covers, parse_pattern

logger = logging.getLogger(__name__)

BATCH = 20_000
ALLOWED = tuple(
    parse_pattern(text) for text in ("allowed.com", "*.allowed.org", "127.0.0.1:3000", "xn--bcher-kva.example")
)

SEEDS = (
    "https://allowed.com/",
    "https://a.allowed.org:8443/x?y#z",
    "https://evil.com\\@allowed.com/",
    "https://evil.com/@allowed.com/",
    "https://allowed.com@evil.com/",
    "https://allowed.com:443@evil.com:80/",
    "https://allowed.com%2f@evil.com/",
    "https://allowed.com%00.evil.com/",
    "https://allowed.com#@evil.com/",
    "https://allowed.com?@evil.com/",
    "https://evil.com#allowed.com",
    "https:allowed.com",
    "https:/evil.com/allowed.com",
    "https:///evil.com//allowed.com",
    "https:\\\\evil.com\\allowed.com",
    "http:evil.com@allowed.com",
    "//allowed.com",
    "allowed.com",
    "allowed.com:80@evil.com",
    "localhost:3000/x",
    "http://0x7f.1/",
    "http://0177.0.0.1:3000",
    "http://2130706433:3000/",
    "http://127.1:3000/",
    "http://①②⑦.0.0.1/",
    "http://127。0。0。1:3000/",
    "http://127.0.0.1.:3000/",
    "http://0x7f000001.evil.com/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]:3000/",
    "http://[0:0::7f00:1]/",
    "http://[fe80::1%25eth0]/",
    "http://[allowed.com]/",
    "http://bücher.example/",
    "http://BÜCHER.example/",
    "http://xn--bcher-kva.example/",
    "http://xn--/",
    "http://xn--a.allowed.org/",
    "http://faß.de/",
    "http://ａｌｌｏｗｅｄ.com/",
    "http://allowed｡com/",
    "http://al\u00adlowed.com/",
    "http://al\u200blowed.com/",
    "http://allo\u200dwed.com/",
    "http://аllowed.com/",
    "http://allowed.com\u202e/",
    "http://allowed.com./",
    "http://allowed.com../",
    "http://.allowed.com/",
    "http://a..allowed.org/",
    "http://*.allowed.org/",
    "http://allowed.com:0080/",
    "http://allowed.com:65536/",
    "http://allowed.com:+80/",
    "http://allowed.com: 80/",
    "http://al%6cowed.com/",
    "http://al%256cowed.com/",
    "http://%61llowed.com/",
    "http://allowed%2ecom/",
    "http://evil.com%23.allowed.org/",
    "http://evil.com%5c.allowed.org/",
    "http://evil.com/.allowed.org/",
    "http://evil.com\t.allowed.org/",
    " \nht\ttp://al\nlowed.com/",
    "\x00http://allowed.com/",
    "javascript://allowed.com/%0aalert(1)",
    "data:text/html,https://allowed.com/",
    "blob:https://allowed.com/1",
    "view-source:https://allowed.com/",
    "filesystem:https://allowed.com/temporary/x",
    "about:blank",
    "about:blank@allowed.com",
    "file://allowed.com/etc/passwd",
    "ftp://allowed.com/",
    "ws://allowed.com/",
    "wss://a.allowed.org/",
    "HTTPS://ALLOWED.COM/",
    "https://user:pass@allowed.com/",
    "https://user:pa@ss@evil.com/",
    "https://allowed.com;evil.com/",
    "https://allowed.com,evil.com/",
    "https://allowed.com&evil.com/",
    "https://allowed.com|evil.com/",
    "https://allowed.com^evil.com/",
    "https://allowed.com`evil.com/",
    "https://{allowed}.com/",
    "https://a_b.allowed.org/",
    "https://-a-.allowed.org/",
    "https://" + "a" * 64 + ".allowed.org/",
    "https://" + "a." * 130 + "allowed.org/",
)
PIECES = (
    *"/\\@:#?%.-_[]*&;,|^`{}<>\"'+ ~!$()=",
    *"\t\n\r\0\x0b\x0c\x1f\x7f",
    *"。．｡∕／＼＠：％①②⒈ⅷßẞſİıΣς€ａＡа‐­​‌‍⁠﻿\u202e\u2028é\u0301日💩",
    *("%00", "%2e", "%2f", "%5c", "%40", "%23", "%3a", "%09", "%EF%BC%8E", "%E3%80%82", "%c0%ae", "%zz", "%", "%25"),
    *("..", "//", "\\\\", "://", ":80", ":443", ":3000", "@evil.com", "evil.com", "allowed.com", ".allowed.org"),
    *("xn--", "xn--a", "0x7f", "127.0.0.1", "0", "255", "256", "4294967296", "[::1]", "localhost", "http:", "https://"),
)


def hostile_urls(seed: int) -> Iterator[str]:
    """Yields the hand-written URLs, then mutations of them without end."""
    yield from SEEDS
    rng = random.Random(seed)
    while True:
        text = rng.choice(SEEDS)
        for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5))):
            text = _mutated(rng, text)
        yield text


def _mutated(rng: random.Random, text: str) -> str:
    at = rng.randrange(len(text) + 1)
    match rng.randrange(8):
        case 0 | 1 | 2:
            return text[:at] + rng.choice(PIECES) + text[at:]
        case 3:
            return text[:at] + text[at + 1 :]
        case 4:
            return text[:at] + rng.choice(PIECES) + text[at + 1 :]
        case 5:
            return text[:at] + "".join(f"%{byte:02x}" for byte in text[at : at + 1].encode()) + text[at + 1 :]
        case 6:
            return text[:at] + text[at:].swapcase()
        case _:
            other = rng.choice(SEEDS)
            return text[:at] + other[rng.randrange(len(other)) :]


@dataclass
class Findings:
    compared: int = 0
    accepted: int = 0
    covered: int = 0
    wrong: list[str] = field(default_factory=list[str])


async def compare(page: Page, urls: list[str], findings: Findings) -> None:
    ours = [_ours(url) for url in urls]
    texts = [*urls, *(address.href if address else "" for address in ours)]
    theirs: list[list[str] | None] = await page.evaluate(
        """texts => texts.map(text => {
            try { const url = new URL(text); return [url.protocol, url.hostname, url.port]; } catch { return null; }
        })""",
        texts,
    )
    findings.compared += len(urls)
    for url, address, as_text, as_href in zip(urls, ours, theirs, theirs[len(urls) :], strict=False):
        if address is None:
            continue
        findings.accepted += 1
        findings.covered += any_covers(ALLOWED, address.site)
        site = address.site
        ports = {"http": 80, "https": 443}
        expected = [f"{site.scheme}:", site.host, "" if site.port == ports.get(site.scheme, 0) else str(site.port)]
        is_web = as_text is not None and as_text[0] in ("http:", "https:")
        if _plain(as_href) != expected or (is_web and _plain(as_text) != expected):
            findings.wrong.append(f"{url!r}: ours {expected}, the browser's {as_text}, for {address.href!r} {as_href}")


def _ours(url: str) -> Address | None:
    try:
        address = parse_address(url)
    except PilotError:
        return None
    return address if address.site.host else None


def _plain(parts: list[str] | None) -> list[str] | None:
    return None if parts is None else [parts[0], parts[1].removesuffix("."), parts[2]]


async def fuzz(count: int, seed: int) -> Findings:
    findings = Findings()
    urls = hostile_urls(seed)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_browser(None).executable, args=["--no-sandbox"])
        page = await browser.new_page()
        while findings.compared < count:
            batch = [next(urls) for _ in range(min(BATCH, count - findings.compared))]
            await compare(page, batch, findings)
            logger.info("%d compared, %d accepted, %d wrong", findings.compared, findings.accepted, len(findings.wrong))
        await browser.close()
    return findings


def main() -> int:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
    logger.info("seed %d", seed)
    findings = asyncio.run(fuzz(count, seed))
    for line in findings.wrong[:50]:
        logger.error(line)
    return 1 if findings.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
