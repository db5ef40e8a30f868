"""Launch arguments that make a managed Chromium use the proxy and nothing else."""

from __future__ import annotations

PROXY_BYPASS_LIST = "<-loopback>"
# Served by the proxy itself, to clients with credentials. A context opens it once and gives its credentials when
# challenged; Chromium keeps them and sends them with every later request. Playwright's own way (a username in the proxy
# settings) works too, but pauses every request until the driver continues it, and disables the browser's cache.
PROXY_LOGIN_HOST = "browser-pilot.invalid"
PROXY_LOGIN_URL = f"http://{PROXY_LOGIN_HOST}/"


def proxy_server(port: int) -> str:
    return f"http://127.0.0.1:{port}"


def browser_arguments(port: int) -> tuple[str, ...]:
    """Launch arguments that close every way around the proxy on this port.

    Each context has the proxy in its own settings. Requests that belong to no context go to it too and fail there,
    without credentials. WebRTC may use only the proxy, which carries no UDP; QUIC would be UDP as well. No flag stops
    the browser's own requests for accounts and component updates: they get the proxy's own address, and end there.
    """
    return (
        f"--proxy-server={proxy_server(port)}",
        f"--proxy-bypass-list={PROXY_BYPASS_LIST}",
        "--disable-quic",
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--dns-prefetch-disable",
        "--no-pings",
        "--disable-domain-reliability",
        "--disable-background-networking",
        f"--gaia-url={PROXY_LOGIN_URL.rstrip('/')}",
        f"--component-updater=url-source={PROXY_LOGIN_URL}",
    )
