"""Labels: keywords of all languages, look-alike and separated letters, information, amounts; quick for any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.policy.keyword_index import KeywordIndex, Term
from browser_pilot.policy.labels import (
    field_category,
    identifier_categories,
    is_amount_field,
    label_meaning,
    prepare_labels,
)
from browser_pilot.policy.text_folding import fold

INDEX = KeywordIndex(
    [
        Term("buy", "buy", "en"),
        Term("order now", "buy", "en"),
        Term("=order", "buy", "en"),
        Term("оплати*", "pay", "ru"),
        Term("konto*löschen", "delete", "de"),
        Term("buy guide*", "harmless", "en", hides=True),
        Term("~支付", "pay", "zh"),
        Term("~支付方式", "harmless", "zh", hides=True),
    ],
    fold,
)


def found(label: str) -> set[str]:
    words = fold(label).split()
    hits = (*INDEX.hits(words), *INDEX.hits_inside("".join(words)))
    return {*(hit.kind for hit in hits), *(term.kind for term in INDEX.whole(fold(label)))}


@pytest.mark.parametrize(
    ("kind", "label"),
    [
        ("buy", "please buy it"),
        ("buy", "ORDER NOW"),
        ("buy", "Order"),
        ("pay", "Оплатите заказ"),
        ("delete", "Konto löschen"),
        ("delete", "Kontos wirklich jetzt löschen"),
        ("pay", "立即支付"),
        ("buy", "Buy, see buy guides"),
    ],
)
def test_a_keyword_matches(kind: str, label: str) -> None:
    assert found(label) == {kind}


@pytest.mark.parametrize(
    "label",
    [
        "border",
        "Sort order",
        "buyer",
        "order",
        "order nowhere",
        "Buy guides",
        "Konto",
        "Konto a b c löschen",
        "支付方式",
        "",
        "ÄÖÜ",
    ],
)
def test_a_part_of_a_word_does_not_match(label: str) -> None:
    assert found(label) <= ({"buy"} if label == "order" else set())


@pytest.mark.parametrize(
    "label",
    [
        "Рау nоw",
        "РАУ NОW",
        "𝓟𝓪𝔂 now",
        "Ｐａｙ",
        "P a y  n o w",
        "P-a-y",
        "Pa y no w",
        "paynow",
        "P\u200ba\u200by",
        "Oплaтить",
        "Click to p a y",
    ],
)
def test_imitated_and_separated_letters_are_recognized(label: str) -> None:
    assert "pay" in label_meaning(label).categories


@pytest.mark.parametrize("label", ["A B C D", "Papa yes", "Копать", "Речь", "Ода", "Παράδειγμα", "x" * 500, "a " * 90])
def test_real_words_are_not_taken_for_imitations(label: str) -> None:
    assert label_meaning(label).categories == frozenset()


@pytest.mark.parametrize(
    "label", ["How to delete an account", "View how to pay", "Wie kann ich löschen", "Konto löschen rückgängig machen"]
)
def test_information_about_an_action_is_not_a_command(label: str) -> None:
    assert label_meaning(label).categories == frozenset()


@pytest.mark.parametrize(
    ("label", "category"), [("View and pay", "pay"), ("Show me. Delete", "delete"), ("查看并支付", "pay")]
)
def test_a_command_after_information_counts(label: str, category: str) -> None:
    assert category in label_meaning(label).categories


def test_a_tail_covers_only_its_own_part() -> None:
    assert "delete" in label_meaning("Konto löschen und Verlauf ansehen").categories


def test_the_first_words_of_a_command_lead() -> None:
    assert label_meaning("Yes, delete it").leading == {"delete"}
    assert label_meaning("Remind me to delete it").leading == frozenset()


def test_fillers_and_numbers_do_not_matter_for_a_whole_label() -> None:
    assert "buy" in label_meaning("Order (3)").categories
    assert "confirm" in label_meaning("Yes, confirm").categories


def test_generic_and_empty_labels() -> None:
    assert label_meaning("Continue").is_generic
    assert label_meaning("继续").is_generic
    assert not label_meaning("Cancel").is_generic
    assert label_meaning(" › ").is_empty


@pytest.mark.parametrize("label", ["$5", "5 €", "USD 5", "5 kr", "¥500", "500円", "R$ 5", "500 руб"])
def test_amounts_of_money_are_recognized(label: str) -> None:
    assert label_meaning(label).has_amount


def test_numbers_are_not_amounts() -> None:
    assert not label_meaning("Page 5").has_amount


def test_names_of_fields_are_recognized() -> None:
    assert field_category(name="cardNumber", label="") == "card"
    assert field_category(name="", label="Пароль") == "password"
    assert field_category(name="x", label="验证码") == "one_time_code"
    assert field_category(name="city", label="City") is None
    assert is_amount_field("transferAmount")
    assert not is_amount_field("discount")
    assert identifier_categories("btn-delete") == {"delete"}


@given(st.text(max_size=400))
def test_any_text_has_a_meaning(text: str) -> None:
    assert label_meaning(text).leading <= label_meaning(text).categories


def test_tables_that_are_prepared_ahead_are_those_that_decisions_use() -> None:
    prepare_labels()
    label_meaning.cache_clear()
    assert "pay" in label_meaning("Pay now").categories
    prepare_labels()
    assert "delete" in label_meaning("Delete account").categories
