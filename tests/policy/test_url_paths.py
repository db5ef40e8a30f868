"""Paths that say what opening a URL does: clear ones have high risk, documentation has none."""

from __future__ import annotations

import pytest

from browser_pilot.policy.url_paths import path_meaning, target_category


@pytest.mark.parametrize(
    ("url", "category"),
    [
        ("https://a.example/account/delete", "delete"),
        ("https://a.example/account/delete?id=1", "delete"),
        ("https://a.example/users/7/delete/", "delete"),
        ("https://a.example/delete/42", "delete"),
        ("https://a.example/delete/0b9d3f6e-4a5f-4d5c-8a30-1c2d3e4f5a6b", "delete"),
        ("https://a.example/delete_account.php", "delete"),
        ("https://a.example/index.php?action=delete&id=3", "delete"),
        ("https://a.example/pay", "pay"),
    ],
)
def test_a_clear_path_says_what_opening_it_does(url: str, category: str) -> None:
    assert path_meaning(url) == (category, True)


@pytest.mark.parametrize(
    ("url", "category"),
    [
        ("https://a.example/checkout", "pay"),
        ("https://a.example/delete/preview", "delete"),
        ("https://a.example/transfer", "transfer"),
        ("https://a.example/unsubscribe", "remove"),
        ("https://a.example/logout", "sign_out"),
    ],
)
def test_other_paths_may_only_show_a_page(url: str, category: str) -> None:
    assert path_meaning(url) == (category, False)


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example/",
        "https://a.example/12345",
        "https://a.example/docs/delete",
        "https://docs.a.example/account/delete",
        "https://a.example/help/pay",
        "https://a.example/undelete-list",
        "https://a.example/?q=delete",
        "https://a.example/display?action=show",
        "javascript:pay()",
        "mailto:pay",
        "no url",
        "",
    ],
)
def test_ordinary_urls_say_nothing(url: str) -> None:
    assert path_meaning(url) is None


def test_any_segment_of_a_forms_target_counts() -> None:
    assert target_category("https://a.example/checkout/step/2") == "pay"
    assert target_category("https://a.example/step/2") is None
    assert target_category("mailto:pay") is None
