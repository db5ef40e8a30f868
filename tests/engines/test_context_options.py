"""What a session wishes to look like, in Playwright's words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from browser_pilot.config import Settings
from browser_pilot.engines.engine import Look
from browser_pilot.engines.presentation import presentation
from browser_pilot.errors import InvalidArgument
from browser_pilot.sessions.wishes import Wishes, wished_request

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


def options(**wishes: object) -> dict[str, object]:
    request = wished_request(Settings(), replace(Wishes(), **wishes), label="test")  # pyright: ignore[reportArgumentType]
    return dict(presentation(request, DEVICES))


def test_without_wishes_there_is_the_size_of_the_settings() -> None:
    assert options() == {"viewport": {"width": 1280, "height": 720}}


def test_a_device_brings_its_own_size_and_what_is_said_goes_over_it() -> None:
    phone = options(look=Look(device="iphone 15"))
    assert phone["viewport"] == {"width": 393, "height": 659}
    assert phone["is_mobile"] is True
    assert "default_browser_type" not in phone
    other = options(look=Look(device="iPhone 15", user_agent="Mine"), viewport=(10, 20))
    assert other["user_agent"] == "Mine" and other["viewport"] == {"width": 10, "height": 20}


def test_place_and_time_are_passed_on() -> None:
    look = Look(locale="de-DE", timezone="europe/berlin", color_scheme="dark")
    assert options(look=look).items() >= {
        ("locale", "de-DE"),
        ("timezone_id", "Europe/Berlin"),
        ("color_scheme", "dark"),
    }


@pytest.mark.parametrize("look", [Look(device="Abacus"), Look(timezone="Europe/Nowhere")])
def test_what_does_not_exist_is_refused_with_what_is_near(look: Look) -> None:
    with pytest.raises(InvalidArgument) as caught:
        options(look=look)
    assert caught.value.suggestions


def test_a_session_that_was_asked_for_shares_no_folder_of_user_data() -> None:
    settings = Settings.model_validate({"browser": {"user_data_dir": "somewhere"}})
    assert wished_request(settings, Wishes(), label="test").user_data_dir is None
