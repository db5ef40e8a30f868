"""The switches that managed browsers cannot have (``browser.args``). Pure."""

from __future__ import annotations

# Each would bypass the egress proxy or make it unreachable.
PROXY_SWITCHES = frozenset(
    {
        "--proxy-server",
        "--proxy-bypass-list",
        "--proxy-pac-url",
        "--proxy-auto-detect",
        "--no-proxy-server",
        "--webrtc-ip-handling-policy",
        "--force-webrtc-ip-handling-policy",
        "--enable-quic",
        "--origin-to-force-quic-on",
        "--host-rules",
        "--host-resolver-rules",
    }
)


def bypasses_proxy(argument: str) -> bool:
    return argument.partition("=")[0] in PROXY_SWITCHES
