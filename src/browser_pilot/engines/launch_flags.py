"""The command line of a managed browser. Pure.

Chromium reads only the last ``--disable-features``, so ours repeats Playwright's (a test compares the lists) and adds
the address bar's WebUI page: in every new window it costs a renderer, 40 MB and more work than a small web page.

On Linux, where Chromium's network service has no sandbox to lose, it runs inside the browser process: 15 MB less, and
pages load some hundredths of a second sooner.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from browser_pilot.errors import SettingsError

DISABLE_FEATURES = "--disable-features="
ENABLE_FEATURES = "--enable-features="
QUIET_FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DISABLED_BY_PLAYWRIGHT = (
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "TcpPortRandomizationWin",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
    "msForceBrowserSignIn",
    "msEdgeUpdateLaunchServicesPreferredVersion",
)
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
NETWORK_IN_PROCESS = "NetworkServiceInProcess2"
ADDRESS_BAR_PAGES = ("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup")


def launch_flags(
    chosen: Iterable[str], *, sandbox: bool, egress: Iterable[str] = (), platform: str = sys.platform
) -> list[str]:
    """Our flags, then the user's; features that the user enables or disables are merged with ours.

    ``egress``: the flags that force the browser through our proxy. Raises ``SettingsError`` for a user's flag that
    would undo them.
    """
    chosen = list(chosen)
    egress = list(egress)
    for argument in chosen:
        if egress and argument.partition("=")[0] in PROXY_SWITCHES:
            raise SettingsError(
                f"browser.args has {argument!r}, which does not work: managed browsers reach the network only through "
                "Browser Pilot's own filtering proxy, which connects to servers directly.",
                suggestions=["Remove it from browser.args."],
            )
    disabled = [*DISABLED_BY_PLAYWRIGHT, *ADDRESS_BAR_PAGES, *_features(chosen, DISABLE_FEATURES)]
    enabled = [*([NETWORK_IN_PROCESS] if platform == "linux" else []), *_features(chosen, ENABLE_FEATURES)]
    others = [argument for argument in chosen if not argument.startswith((DISABLE_FEATURES, ENABLE_FEATURES))]
    features = [DISABLE_FEATURES + ",".join(disabled), *([ENABLE_FEATURES + ",".join(enabled)] if enabled else [])]
    return [*QUIET_FLAGS, *([] if sandbox else ["--no-sandbox"]), *others, *egress, *features]


def _features(arguments: Iterable[str], switch: str) -> list[str]:
    named = [argument.removeprefix(switch).split(",") for argument in arguments if argument.startswith(switch)]
    return [feature for features in named for feature in features]
