"""What managed browsers are launched with."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser_pilot.engines.arguments import DISABLE_FEATURES, PROXY_SWITCHES, launch_arguments
from browser_pilot.errors import SettingsError
from tests.clients import call, http_client
from tests.hub_process import browsers_of, running_hub


def disabled(arguments: list[str]) -> set[str]:
    """What Chromium takes to be disabled: the last list alone."""
    lists = [argument for argument in arguments if argument.startswith(DISABLE_FEATURES)]
    return set(lists[-1].removeprefix(DISABLE_FEATURES).split(","))


def test_features_that_the_user_disables_are_added_to_ours() -> None:
    arguments = launch_arguments(["--lang=de", "--disable-features=Mine,Yours"], sandbox=True)
    assert {"Mine", "Yours", "HttpsUpgrades"} <= disabled(arguments)
    assert "--lang=de" in arguments
    assert "--no-sandbox" not in arguments
    assert "--no-sandbox" in launch_arguments([], sandbox=False)


@pytest.mark.parametrize(
    ("platform", "expected"),
    [("linux", ["NetworkServiceInProcess2", "Mine"]), ("darwin", ["Mine"]), ("win32", ["Mine"])],
)
def test_features_that_the_user_enables_stand_beside_ours_which_go_with_the_system(
    platform: str, expected: list[str]
) -> None:
    arguments = launch_arguments(["--enable-features=Mine"], sandbox=True, platform=platform)
    assert [part for part in arguments if part.startswith("--enable-features")] == [
        f"--enable-features={','.join(expected)}"
    ]


def test_what_holds_the_browser_to_the_proxy_comes_after_the_users_own() -> None:
    arguments = launch_arguments(["--lang=de"], sandbox=True, egress=["--proxy-server=x"])
    assert arguments.index("--proxy-server=x") > arguments.index("--lang=de")


@pytest.mark.parametrize("argument", sorted(PROXY_SWITCHES))
def test_a_users_argument_that_would_undo_it_is_refused(argument: str) -> None:
    with pytest.raises(SettingsError, match=argument):
        launch_arguments([f"{argument}=x"], sandbox=True, egress=["--proxy-server=y"])


@pytest.mark.browser
async def test_nothing_that_playwright_disables_is_lost_and_no_page_is_kept_for_the_address_bar(home: Path) -> None:
    with running_hub(home) as hub:
        async with http_client(hub) as client:
            await call(client, "browser_navigate", url="about:blank")
            commands = [process.cmdline() for process in browsers_of(home)]
    browser = next(command for command in commands if not any(part.startswith("--type=") for part in command))
    of_playwright = next(part for part in browser if part.startswith(DISABLE_FEATURES))
    assert set(of_playwright.removeprefix(DISABLE_FEATURES).split(",")) <= disabled(browser)
    assert not any("--top-chrome-webui" in command for command in commands)
