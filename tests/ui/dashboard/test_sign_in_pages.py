"""The pages around the sign-in: readable without their script, with the right next step, and safe to fill in."""

from __future__ import annotations

import json
import re
from typing import cast, get_args

import pytest

from browser_pilot.ui.dashboard.sign_in_pages import SignInPage, sign_in_page
from browser_pilot.ui.dashboard.static_files import read_file

PAGES: tuple[SignInPage, ...] = get_args(SignInPage)


def english() -> dict[str, dict[str, str]]:
    return cast("dict[str, dict[str, str]]", json.loads(read_file("ui/dashboard/static/locales/en.json")[0]))


@pytest.mark.parametrize("name", PAGES)
def test_a_page_contains_its_english_texts_under_the_names_that_its_script_translates(name: SignInPage) -> None:
    messages = english()
    shown = re.findall(r'data-i18n="(\w+)"[^>]*>([^<]+)<', sign_in_page(name))
    assert len(shown) == 3
    assert [text for _, text in shown] == [messages[message]["message"] for message, _ in shown]


@pytest.mark.parametrize("name", PAGES)
def test_only_the_page_for_another_origin_links_to_the_dashboard(name: SignInPage) -> None:
    page = sign_in_page(name)
    links = name == "wrong_origin"
    assert ("<pre hidden>" in page) == links
    assert ('data-i18n="openDashboard" hidden>' in page) != links


def test_the_key_is_only_in_the_page_after_a_sign_in_and_is_escaped() -> None:
    assert 'data-key="&quot;&gt;&lt;b"' in sign_in_page("signed_in", key='"><b')
    assert 'data-key=""' in sign_in_page("signed_out")
