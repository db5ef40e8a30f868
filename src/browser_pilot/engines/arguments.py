"""The command line that a managed browser is launched with. Pure.

Chromium reads only the last ``--disable-features``, so ours repeats what Playwright switches off (a test holds our list
against Playwright's) and adds a page that the browser keeps for its address bar: in every new window it costs a
renderer, 40 MB and more work than a small page of the web.
"""

from __future__ import annotations

from collections.abc import Iterable

DISABLE_FEATURES = "--disable-features="
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
ADDRESS_BAR_PAGES = ("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup")


def launch_arguments(chosen: Iterable[str], *, sandbox: bool) -> list[str]:
    """Our arguments, and the user's after them; features that the user disables are added to ours."""
    chosen = list(chosen)
    features = [*DISABLED_BY_PLAYWRIGHT, *ADDRESS_BAR_PAGES]
    for argument in chosen:
        if argument.startswith(DISABLE_FEATURES):
            features += argument.removeprefix(DISABLE_FEATURES).split(",")
    others = [argument for argument in chosen if not argument.startswith(DISABLE_FEATURES)]
    return [*QUIET, *([] if sandbox else ["--no-sandbox"]), *others, DISABLE_FEATURES + ",".join(features)]
