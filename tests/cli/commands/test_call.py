"""`call`: calls any tool from a shell, starts a hub if none runs, and shares a session between calls."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from browser_pilot.cli.commands.call import parse_arguments, save_image
from browser_pilot.cli.tool_result import ResultImage
from browser_pilot.errors import InvalidArgument
from browser_pilot.hub_discovery.runtime_file import read_runtime
from tests.cli.conftest import Pilot
from tests.sites import Site

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.browser
def test_the_first_call_starts_a_hub_and_later_calls_share_its_session(pilot: Pilot, home: Path, site: Site) -> None:
    opened = pilot("call", "browser_navigate", json.dumps({"url": site.url()}))
    assert opened.code == 0, opened.err
    assert "title:" in opened.out
    first = read_runtime(home)
    assert first is not None
    assert first.detached
    tabs = pilot("call", "browser_tabs", "--json").data
    assert [tab["url"] for tab in tabs["answer"]["tabs"]] == [site.url()]
    assert read_runtime(home) == first
    assert pilot("call", "browser_tabs", "--session", "other", "--json").data["answer"]["tabs"] == []
    picture = pilot("call", "browser_screenshot")
    path = Path(picture.out.splitlines()[-1].removeprefix("picture: "))
    assert path.parent == home / "screenshots"
    assert path.read_bytes().startswith(PNG)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert pilot("stop").code == 0


@pytest.mark.browser
def test_images_are_saved_to_the_given_folder(pilot_of_hub: Pilot, tmp_path: Path, site: Site) -> None:
    assert pilot_of_hub("call", "browser_navigate", json.dumps({"url": site.url()})).code == 0
    folder = tmp_path / "new" / "folder"
    files = pilot_of_hub("call", "browser_screenshot", "--save-to", str(folder), "--json").data["files"]
    assert [str(path) for path in folder.iterdir()] == files
    assert Path(files[0]).read_bytes().startswith(PNG)


def test_an_image_never_overwrites_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def now(_: str) -> str:
        return "now"

    monkeypatch.setattr("time.strftime", now)
    files = [save_image(ResultImage(data, "image/png"), "tool", tmp_path) for data in (b"1", b"2", b"3")]
    assert [Path(file).read_bytes() for file in files] == [b"1", b"2", b"3"]


def test_arguments_can_come_from_standard_input(pilot_of_hub: Pilot) -> None:
    outcome = pilot_of_hub("call", "browser_tabs", "-", stdin='{"action": "list"}')
    assert outcome.code == 0, outcome.err
    assert "tabs" in outcome.out


def test_a_tool_error_exits_with_1_and_prints_its_suggestions(pilot_of_hub: Pilot) -> None:
    outcome = pilot_of_hub("call", "browser_snapshot", "--session", "empty")
    assert outcome.code == 1
    assert outcome.out == ""
    assert "NO_TAB" in outcome.err
    assert "browser_navigate" in outcome.err
    outcome = pilot_of_hub("call", "browser_snapshot", "--session", "empty", "--json")
    assert outcome.code == 1
    assert outcome.data["is_error"] is True
    assert outcome.data["answer"]["error"] == "NO_TAB"


def test_invalid_arguments_are_rejected_before_a_hub_starts(pilot: Pilot, home: Path) -> None:
    outcome = pilot("call", "browser_tabs", "{'url': 1}")
    assert outcome.code == 1
    assert "The arguments are not JSON" in outcome.err
    assert '\'{"url"' in outcome.err
    assert not home.exists()


@pytest.mark.parametrize("text", ["{", "[]", "null", '"x"', "{'url': 1}", "[" * 100_000, "1e999", "nonsense"])
def test_arguments_must_be_a_json_object(text: str) -> None:
    with pytest.raises(InvalidArgument, match="JSON"):
        parse_arguments(text)


@pytest.mark.parametrize("tool", ["browser_nope", "工具", "a\r\nX-Evil: 1", "", "x" * 5000])
def test_an_unknown_tool_is_an_error_with_a_message(pilot_of_hub: Pilot, tool: str) -> None:
    outcome = pilot_of_hub("call", tool)
    assert outcome.code == 1
    assert "tool" in outcome.err
    assert "Traceback" not in outcome.err


def test_invalid_options_show_the_hubs_error(pilot_of_hub: Pilot) -> None:
    outcome = pilot_of_hub("call", "browser_tabs", "--tools", "everything")
    assert outcome.code == 1
    assert "'everything' is neither a tool nor a profile." in outcome.err
    assert "→ Profiles:" in outcome.err


def test_a_tool_outside_the_selection_cannot_be_called(pilot_of_hub: Pilot) -> None:
    outcome = pilot_of_hub("call", "browser_tabs", "--tools", "minimal")
    assert outcome.code == 1
    assert "There is no tool 'browser_tabs'" in outcome.err


@pytest.mark.browser
def test_read_only_denies_writes_and_allows_reads(pilot_of_hub: Pilot, site: Site) -> None:
    opened = pilot_of_hub("call", "browser_navigate", json.dumps({"url": site.url()}), "--read-only")
    assert opened.code == 0, opened.err
    outcome = pilot_of_hub("call", "browser_press", '{"key": "a"}', "--read-only")
    assert outcome.code == 1
    assert "READ_ONLY" in outcome.err


def test_invalid_settings_are_reported_when_the_hub_cannot_start(pilot: Pilot, home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text("[hub]\nprot = 1")
    outcome = pilot("call", "browser_tabs")
    assert outcome.code == 1
    assert "hub.prot" in outcome.err
