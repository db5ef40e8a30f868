"""The command line that a managed browser is launched with. Pure.

Chromium reads only the last ``--disable-features``, so ours repeats what Playwright switches off (a test holds our list
against Playwright's) and adds a page that the browser keeps for its address bar: in every new window it costs a
renderer, 40 MB and more work than a small page of the web.

On Linux, where Chromium's network service has no sandbox to lose, it runs inside the browser's main process: 15 MB
less, and pages load a few hundredths sooner.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from ..errors import SettingsError

DISABLE_FEATURES = "--disable-features="
ENABLE_FEATURES = "--enable-features="
QUIET = (
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
# Each would open a way around the egress proxy, or shut the way to it.
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
NETWORK_INSIDE = "NetworkServiceInProcess2"
ADDRESS_BAR_PAGES = ("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup")


def launch_arguments(
    chosen: Iterable[str], *, sandbox: bool, egress: Iterable[str] = (), platform: str = sys.platform
) -> list[str]:
    """Our arguments, and the user's after them; features that the user enables or disables are added to ours.

    ``egress`` are those that hold the browser to our proxy; for one of the user's that would undo them,
    ``SettingsError`` is raised.
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
    enabled = [*([NETWORK_INSIDE] if platform == "linux" else []), *_features(chosen, ENABLE_FEATURES)]
    others = [argument for argument in chosen if not argument.startswith((DISABLE_FEATURES, ENABLE_FEATURES))]
    features = [DISABLE_FEATURES + ",".join(disabled), *([ENABLE_FEATURES + ",".join(enabled)] if enabled else [])]
    return [*QUIET, *([] if sandbox else ["--no-sandbox"]), *others, *egress, *features]


def _features(arguments: Iterable[str], switch: str) -> list[str]:
    named = [argument.removeprefix(switch).split(",") for argument in arguments if argument.startswith(switch)]
    return [feature for features in named for feature in features]
