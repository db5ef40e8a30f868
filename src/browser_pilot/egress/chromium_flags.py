"""How a managed Chromium is made to use the proxy, and nothing but the proxy."""

from __future__ import annotations

BYPASS_NOTHING = "<-loopback>"
# Answered by the proxy itself, for whoever has credentials. A context that opens it once, giving them when challenged,
# has them kept by Chromium and sends them with everything that follows. Playwright's own way (a username in the proxy
# settings) would do it too, but pauses every request for the driver to continue and turns the browser's cache off.
WELCOME_HOST = "browser-pilot.invalid"
WELCOME_URL = f"http://{WELCOME_HOST}/"


def proxy_server(port: int) -> str:
    return f"http://127.0.0.1:{port}"


def browser_arguments(port: int) -> tuple[str, ...]:
    """Launch arguments that close every way around the proxy on this port.

    Each context has the proxy in its own settings; what belongs to no context is sent to it too, where it fails for
    want of credentials. WebRTC may send only through the proxy, which carries no UDP; QUIC would be UDP as well.
    """
    return (
        f"--proxy-server={proxy_server(port)}",
        f"--proxy-bypass-list={BYPASS_NOTHING}",
        "--disable-quic",
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--dns-prefetch-disable",
        "--no-pings",
        "--disable-domain-reliability",
        "--disable-background-networking",
    )
