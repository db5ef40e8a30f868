"""The command line of a managed browser. Pure.

Chromium reads only the last ``--disable-features`` and the last ``--enable-features``, so ours repeat Playwright's (a
test compares the lists). We disable the address bar's WebUI page: in every new window it costs a renderer, 40 MB and
more work than a small web page. And what Chromium would ask servers of its own for: a default session makes no
background requests (``tests/integration/egress/test_background_requests.py``).

On Linux, where Chromium's network service has no sandbox to lose, it runs inside the browser process: 15 MB less, and
pages load some hundredths of a second sooner.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from browser_pilot.config.browser_args import bypasses_proxy
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
# Playwright's own flags that we do not want. Without the first, Chromium limits a page's history entries and
# navigations to 200 in ten seconds.
UNWANTED_DEFAULTS = ("--disable-ipc-flooding-protection",)
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
ENABLED_BY_PLAYWRIGHT = ("CDPScreenshotNewSurface", "SkipListAccountsWithoutGaiaCookies")
# What the browser would ask its own servers about: form fields, hints and models for pages, translation, suggestions.
BACKGROUND_SERVICES = (
    "AutofillServerCommunication",
    "OptimizationGuideModelDownloading",
    "OptimizationHintsFetching",
    "OptimizationTargetPrediction",
    "Translate",
    "InterestFeedContentSuggestions",
    "CertificateTransparencyComponentUpdater",
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
        if egress and bypasses_proxy(argument):
            raise SettingsError(
                f"browser.args has {argument!r}, which cannot work: managed browsers reach the network only through "
                "Browser Pilot's own filtering proxy.",
                suggestions=["Remove it from browser.args."],
            )
    disabled = [*DISABLED_BY_PLAYWRIGHT, *ADDRESS_BAR_PAGES, *BACKGROUND_SERVICES, *_features(chosen, DISABLE_FEATURES)]
    of_platform = [NETWORK_IN_PROCESS] if platform == "linux" else []
    enabled = [*ENABLED_BY_PLAYWRIGHT, *of_platform, *_features(chosen, ENABLE_FEATURES)]
    others = [argument for argument in chosen if not argument.startswith((DISABLE_FEATURES, ENABLE_FEATURES))]
    features = [DISABLE_FEATURES + ",".join(disabled), ENABLE_FEATURES + ",".join(enabled)]
    return [*QUIET_FLAGS, *([] if sandbox else ["--no-sandbox"]), *others, *egress, *features]


def _features(arguments: Iterable[str], switch: str) -> list[str]:
    named = [argument.removeprefix(switch).split(",") for argument in arguments if argument.startswith(switch)]
    return [feature for features in named for feature in features]
