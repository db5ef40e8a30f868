"""How a managed Chromium is made to use the proxy, and nothing but the proxy."""

from __future__ import annotations

from typing import TypedDict

BYPASS_NOTHING = "<-loopback>"
# Answered by the proxy itself, for whoever has credentials. A context that opens it once, giving them when challenged,
# has them kept by Chromium and sends them with everything that follows. Playwright's own way (a username in the proxy
# settings) would do it too, but pauses every request for the driver to continue and turns the browser's cache off.
WELCOME_HOST = "browser-pilot.invalid"
WELCOME_URL = f"http://{WELCOME_HOST}/"


class ProxySettings(TypedDict):
    """The form that Playwright's ``new_context(proxy=…)`` takes."""

    server: str
    bypass: str


def browser_arguments(port: int) -> tuple[str, ...]:
    """Launch arguments that close every way around the proxy on this port.

    Each context has the proxy in its own settings; what belongs to no context is sent to it too, where it fails for
    want of credentials. WebRTC may send only through the proxy, which carries no UDP; QUIC would be UDP as well.
    """
    return (
        f"--proxy-server=http://127.0.0.1:{port}",
        f"--proxy-bypass-list={BYPASS_NOTHING}",
        "--disable-quic",
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--dns-prefetch-disable",
        "--no-pings",
        "--disable-domain-reliability",
        "--disable-background-networking",
    )


def playwright_proxy(port: int) -> ProxySettings:
    """For ``new_context(proxy=…)``; the credentials are shown at ``WELCOME_URL``."""
    return {"server": f"http://127.0.0.1:{port}", "bypass": BYPASS_NOTHING}
