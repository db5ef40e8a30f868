"""A session's emulation options as Playwright's context options."""

from __future__ import annotations

from dataclasses import replace

import pytest

from browser_pilot.config.settings import Settings
from browser_pilot.engines.context_options import context_options
from browser_pilot.engines.engine import EmulationOptions
from browser_pilot.errors import InvalidArgument
from browser_pilot.sessions.options import SessionOptions, context_request_with_options

DEVICES: dict[str, dict[str, object]] = {
    "iPhone 15": {
        "user_agent": "Phone",
        "viewport": {"width": 393, "height": 659},
        "device_scale_factor": 3,
        "is_mobile": True,
        "has_touch": True,
        "default_browser_type": "webkit",
    }
}


def options(**given: object) -> dict[str, object]:
    request = context_request_with_options(Settings(), replace(SessionOptions(), **given), label="test")  # pyright: ignore[reportArgumentType]
    return dict(context_options(request, DEVICES))


def test_without_options_the_viewport_is_that_of_the_settings() -> None:
    assert options() == {"viewport": {"width": 1280, "height": 720}}


def test_explicit_options_override_the_device() -> None:
    phone = options(emulation=EmulationOptions(device="iphone 15"))
    assert phone["viewport"] == {"width": 393, "height": 659}
    assert phone["is_mobile"] is True
    assert "default_browser_type" not in phone
    other = options(emulation=EmulationOptions(device="iPhone 15", user_agent="Mine"), viewport=(10, 20))
    assert other["user_agent"] == "Mine" and other["viewport"] == {"width": 10, "height": 20}


def test_locale_time_zone_and_color_scheme_are_passed_on() -> None:
    emulation = EmulationOptions(locale="de-DE", timezone="europe/berlin", color_scheme="dark")
    assert options(emulation=emulation).items() >= {
        ("locale", "de-DE"),
        ("timezone_id", "Europe/Berlin"),
        ("color_scheme", "dark"),
    }


@pytest.mark.parametrize("emulation", [EmulationOptions(device="Abacus"), EmulationOptions(timezone="Europe/Nowhere")])
def test_an_unknown_device_or_time_zone_is_rejected_with_suggestions(emulation: EmulationOptions) -> None:
    with pytest.raises(InvalidArgument) as caught:
        options(emulation=emulation)
    assert caught.value.suggestions


def test_a_session_with_options_does_not_use_the_configured_user_data_dir() -> None:
    settings = Settings.model_validate({"browser": {"user_data_dir": "somewhere"}})
    assert context_request_with_options(settings, SessionOptions(), label="test").user_data_dir is None
