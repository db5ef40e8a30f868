"""The command line of managed browsers."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser_pilot.config.browser_args import PROXY_SWITCHES
from browser_pilot.engines.launch_flags import (
    DISABLE_FEATURES,
    ENABLE_FEATURES,
    ENABLED_BY_PLAYWRIGHT,
    launch_flags,
)
from browser_pilot.errors import SettingsError
from tests.clients import call, http_client
from tests.hub_process import browsers_of, running_hub


def disabled(arguments: list[str]) -> set[str]:
    """The features that Chromium disables: it reads the last list only."""
    lists = [argument for argument in arguments if argument.startswith(DISABLE_FEATURES)]
    return set(lists[-1].removeprefix(DISABLE_FEATURES).split(","))


def test_features_that_the_user_disables_are_merged_with_ours() -> None:
    arguments = launch_flags(["--lang=de", "--disable-features=Mine,Yours"], sandbox=True)
    assert {"Mine", "Yours", "HttpsUpgrades"} <= disabled(arguments)
    assert "--lang=de" in arguments
    assert "--no-sandbox" not in arguments
    assert "--no-sandbox" in launch_flags([], sandbox=False)


@pytest.mark.parametrize(
    ("platform", "expected"),
    [("linux", ["NetworkServiceInProcess2", "Mine"]), ("darwin", ["Mine"]), ("win32", ["Mine"])],
)
def test_features_that_the_user_enables_are_merged_with_playwrights_and_those_of_the_platform(
    platform: str, expected: list[str]
) -> None:
    arguments = launch_flags(["--enable-features=Mine"], sandbox=True, platform=platform)
    assert [part for part in arguments if part.startswith("--enable-features")] == [
        f"--enable-features={','.join([*ENABLED_BY_PLAYWRIGHT, *expected])}"
    ]


def test_proxy_flags_come_after_the_users_flags() -> None:
    arguments = launch_flags(["--lang=de"], sandbox=True, egress=["--proxy-server=x"])
    assert arguments.index("--proxy-server=x") > arguments.index("--lang=de")


@pytest.mark.parametrize("argument", sorted(PROXY_SWITCHES))
def test_a_users_flag_that_would_bypass_the_proxy_is_rejected(argument: str) -> None:
    with pytest.raises(SettingsError, match=argument):
        launch_flags([f"{argument}=x"], sandbox=True, egress=["--proxy-server=y"])


@pytest.mark.browser
async def test_playwrights_features_stay_as_they_are_and_the_address_bar_has_no_renderer(home: Path) -> None:
    with running_hub(home) as hub:
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url="about:blank")
            commands = [process.cmdline() for process in browsers_of(home)]
    browser = next(command for command in commands if not any(part.startswith("--type=") for part in command))
    of_playwright = next(part for part in browser if part.startswith(DISABLE_FEATURES))
    assert set(of_playwright.removeprefix(DISABLE_FEATURES).split(",")) <= disabled(browser)
    enabling = [part.removeprefix(ENABLE_FEATURES) for part in browser if part.startswith(ENABLE_FEATURES)]
    assert set(enabling[0].split(",")) <= set(enabling[-1].split(","))
    assert not any("--top-chrome-webui" in command for command in commands)
