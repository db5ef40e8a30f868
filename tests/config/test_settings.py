"""Loading settings: the order of the layers, validation messages, and options of a single client."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.config.settings import (
    Settings,
    client_settings,
    load_settings,
    load_with_origins,
    parse_value,
)
from browser_pilot.errors import SettingsError


def write(home: Path, text: str) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(text)


def test_without_any_source_the_defaults_apply(home: Path) -> None:
    assert load_settings(home=home, environ={}) == Settings().at(home)


def test_environment_overrides_the_file_and_the_command_line_overrides_both(home: Path) -> None:
    write(home, "[hub]\nport = 1\nidle_minutes = 1\n[browser]\nheadless = false\n")
    environ = {"BROWSER_PILOT_HUB__PORT": "2", "BROWSER_PILOT_HUB__IDLE_MINUTES": "2"}
    loaded = load_with_origins(home=home, environ=environ, options={"hub.port": 3, "hub.host": None})
    assert (loaded.settings.hub.port, loaded.settings.hub.idle_minutes) == (3, 2)
    assert loaded.settings.browser.headless is False
    assert loaded.origins == {
        ("hub", "port"): "the command line",
        ("hub", "idle_minutes"): "BROWSER_PILOT_HUB__IDLE_MINUTES",
        ("browser", "headless"): str(home / "config.toml"),
    }


def test_the_port_has_a_variable_of_its_own(home: Path) -> None:
    assert load_settings(home=home, environ={"BROWSER_PILOT_PORT": "9000"}).hub.port == 9000


def test_an_empty_variable_sets_nothing(home: Path) -> None:
    assert load_settings(home=home, environ={"BROWSER_PILOT_PORT": ""}).hub.port == 8777


def test_unrelated_variables_are_ignored(home: Path) -> None:
    environ = {"PATH": "/bin", "BROWSER_PILOT_HOME": "/x", "XBROWSER_PILOT_A": "1"}
    assert load_settings(home=home, environ=environ) == Settings().at(home)


def test_relative_folders_are_resolved_in_the_home(home: Path) -> None:
    write(home, '[files]\nscreenshot_dir = "pictures"\ndownload_dir = "~/Downloads"\n')
    files = load_settings(home=home, environ={}).files
    assert files.screenshot_dir == home / "pictures"
    assert files.download_dir == Path.home() / "Downloads"


@pytest.mark.parametrize(
    ("text", "fragments"),
    [
        ("[hub]\nport = 65536", ["hub.port = 65536", "config.toml", "65535"]),
        ("[hub]\nport = true", ["hub.port = true", "a number is required, not true or false"]),
        ("[sessions]\nidle_minutes = true", ["sessions.idle_minutes = true", "a number is required"]),
        ("[browser]\nviewport = [true, 720]", ["browser.viewport.0 = true", "a number is required"]),
        ("[hub]\nprot = 1", ["hub.prot", "is not a setting", "port"]),
        ("[hubb]\nport = 1", ["hubb", "is not a setting", "hub"]),
        ("hub = 1", ["hub = 1"]),
        ("[tools]\nmax_tokens = 10", ["tools.max_tokens = 10", "200"]),
        ('[policy]\nmode = "yolo"', ["policy.mode = 'yolo'", "'auto'", "'readonly'"]),
        ("[browser]\nviewport = [1]", ["browser.viewport"]),
        ("[browser]\nviewport = 5", ["browser.viewport = 5", "must be a list such as [1280, 720]"]),
        ("[hub]\nport = 1.5", ["hub.port = 1.5", "must be a whole number"]),
        ('[browser]\nheadless = "maybe"', ["browser.headless = 'maybe'", "must be true or false"]),
        ("[browser]\nheadles = true", ["browser.headles", "did you mean browser.headless?"]),
        ("[tools]\nheadless = true", ["tools.headless", "did you mean browser.headless?"]),
        ("browser = 5", ["browser = 5", "is a section", "[browser]"]),
        ('[browser]\nargs = ["--proxy-server=x"]', ["browser.args", "--proxy-server=x", "network.proxy"]),
        ('[browser]\nengine = "grid"', ["browser.grid_url"]),
        ('[browser]\nengine = "cdp"', ["browser.cdp_url"]),
        ('[policy.domains."*.com"]\nread = true', ["policy.domains", "*.com"]),
        ('[policy]\nsensitive_patterns = ["(a+)+"]', ["policy.sensitive_patterns"]),
        ("x = [", ["not valid TOML"]),
        ('[browser]\nargs = ["--user-agent=x\\r\\nX: 1"]', ["browser.args.0", "line breaks and NUL"]),
        ('[browser]\nexecutable = "/bin/x\\u0000"', ["browser.executable", "line breaks and NUL"]),
        ('[browser]\nuser_data_dir = "a\\nb"', ["browser.user_data_dir", "line breaks and NUL"]),
        ('[browser]\ncdp_url = "http://a/\\r\\nX: 1"', ["browser.cdp_url", "line breaks and NUL"]),
        ('[browser]\ngrid_url = "http://a/\\n"', ["browser.grid_url", "line breaks and NUL"]),
        ('[network]\nproxy = "proxy.test:3128"', ["network.proxy", "http://proxy.example.com:3128"]),
        ('[network]\nproxy = "http://proxy.test"', ["network.proxy", "http://proxy.example.com:3128"]),
        ('[network]\nproxy = "http://proxy.test:x"', ["network.proxy"]),
        ('[network]\nproxy = "ftp://proxy.test:1"', ["network.proxy", "http://proxy.example.com:3128"]),
        ('[hub]\nhost = "a\\r\\n"', ["hub.host", "line breaks and NUL"]),
        ('[hub]\nallowed_hosts = ["a\\r\\nb"]', ["hub.allowed_hosts.0", "line breaks and NUL"]),
    ],
)
def test_an_invalid_setting_is_refused_with_its_key_value_and_valid_values(
    home: Path, text: str, fragments: list[str]
) -> None:
    write(home, text)
    with pytest.raises(SettingsError) as caught:
        load_settings(home=home, environ={})
    for fragment in fragments:
        assert fragment in caught.value.message


def test_every_invalid_setting_is_named_not_only_the_first(home: Path) -> None:
    write(home, "[hub]\nprot = 1\nport = -1\n")
    with pytest.raises(SettingsError) as caught:
        load_settings(home=home, environ={})
    heading, port, prot = caught.value.message.splitlines()
    assert heading == "2 settings are invalid:"
    assert prot.startswith("hub.prot") and "did you mean hub.port?" in prot
    assert port.startswith("hub.port = -1") and "must be at least 0" in port


def test_a_grid_may_have_browsers_with_a_proxy_of_their_own(home: Path) -> None:
    write(home, '[browser]\nengine = "grid"\ngrid_url = "http://grid.test:4444"\nargs = ["--proxy-server=x"]\n')
    settings = load_settings(home=home, environ={})
    assert settings.browser.args == ("--proxy-server=x",)
    with pytest.raises(SettingsError, match=r"browser\.args"):
        client_settings(settings, {"engine": "managed"})


def test_a_port_is_chosen_by_the_file_the_environment_and_the_command_line_but_not_by_the_defaults(home: Path) -> None:
    assert not load_settings(home=home, environ={}).hub.is_port_chosen
    assert load_settings(home=home, environ={"BROWSER_PILOT_PORT": "8777"}).hub.is_port_chosen
    assert load_settings(home=home, environ={}, options={"hub.port": 8777}).hub.is_port_chosen
    write(home, "[hub]\nport = 8777\n")
    assert load_settings(home=home, environ={}).hub.is_port_chosen


def test_a_file_that_is_not_utf_8_or_not_a_file_is_refused(home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="not valid TOML"):
        load_settings(home=home, environ={})
    (home / "config.toml").unlink()
    (home / "config.toml").mkdir()
    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings(home=home, environ={})


@pytest.mark.parametrize(
    ("text", "value"),
    [("true", True), ("8777", 8777), ("1.5", 1.5), ('["a"]', ["a"]), ('"8777"', "8777"), ("chrome", "chrome")],
)
def test_a_variable_is_read_as_in_the_file_or_as_text(text: str, value: object) -> None:
    assert parse_value(text) == value


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\x00")))
def test_any_text_of_a_variable_is_accepted(text: str) -> None:
    parse_value(text)


@given(st.text(min_size=1, max_size=30, alphabet=st.characters(codec="utf-8", exclude_categories=["Cc"])))
def test_a_quoted_variable_is_its_text(text: str) -> None:
    assert parse_value(json.dumps(text, ensure_ascii=False)) == text


def test_client_options_override_the_hubs_settings() -> None:
    chosen = client_settings(
        Settings(), {"tools": "minimal", "headed": True, "viewport": "800x600", "read_only": True, "format": "json"}
    )
    assert chosen.tools.profile == "minimal"
    assert chosen.tools.format == "json"
    assert chosen.browser.headless is False
    assert chosen.browser.viewport == (800, 600)
    assert chosen.policy.mode == "readonly"
    assert chosen.hub == Settings().hub


@pytest.mark.parametrize(
    "options", [{"port": 1}, {"format": "xml"}, {"viewport": "axb"}, {"max_tokens": 1}, {"cdp": "http://a/\n"}]
)
def test_invalid_client_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(SettingsError) as caught:
        client_settings(Settings(), options)
    assert next(iter(options)) in caught.value.message
