"""The risk of an action is assessed from its element, form and URL, in the supported languages."""

from __future__ import annotations

from typing import Any

import pytest

from browser_pilot.policy.sensitivity import (
    CATEGORY_DESCRIPTIONS,
    CATEGORY_RISKS,
    Category,
    ElementFacts,
    FieldFacts,
    RiskAssessment,
    SensitivePatterns,
    assess,
)
from browser_pilot.policy.text_matching import UnsafePattern
from browser_pilot.policy.types import Effect

NO_PATTERNS = SensitivePatterns()


def click(name: str, *, role: str = "button") -> RiskAssessment | None:
    return assess("write", ElementFacts(role=role, name=name), "", NO_PATTERNS)


def category(found: RiskAssessment | None) -> Category | None:
    return None if found is None else found.category


LABELS: dict[Category, str] = {
    "pay": "Pay now|Pay $30.00|Confirm and pay|Jetzt bezahlen|Payer|Pagar|Confirmar pagamento"
    "|立即支付|お支払い|Paga ora|Betalen",
    "buy": "Buy|Place your order|Order|Kostenpflichtig bestellen|Acheter|Comprar ahora|Finalizar pedido"
    "|提交订单|購入する|Acquista",
    "transfer": "Transfer money|Transfer|Überweisen|Effectuer le virement|Transferir|Enviar pix|转账|振込",
    "delete": "Delete|Yes, delete it|Konto löschen|Supprimer|Eliminar|Excluir|删除|刪除|削除する|Elimina|Verwijderen",
    "remove": "Remove|Unsubscribe|Entfernen|Retirer|Quitar|Remover|移除|解約",
    "send": "Send|Send message|Absenden|Envoyer|Enviar|发送|送信|Invia",
    "publish": "Publish|Veröffentlichen|Publier|Publicar|发布|公開する",
    "post": "Post|Post comment|Bewertung abgeben|Commenter|Comentar|Postar|评论|投稿",
    "sign_in": "Sign in|Log in|Anmelden|Se connecter|Iniciar sesión|Iniciar sessão|登录|ログイン",
    "sign_out": "Sign out|Logout|Abmelden|Se déconnecter|Cerrar sesión|Terminar sessão|退出登录|ログアウト",
    "change_password": "Change password|Passwort ändern|Changer le mot de passe|Cambiar contraseña|Alterar senha"
    "|修改密码|パスワードを変更",
    "permissions": "Allow|Authorize app|Zugriff erlauben|Autoriser|Autorizar|Permitir acesso|授权|アクセスを許可",
}


@pytest.mark.parametrize(
    ("expected", "label"), [(one, label) for one, labels in LABELS.items() for label in labels.split("|")]
)
def test_a_label_gives_the_category_of_a_button(expected: Category, label: str) -> None:
    assert category(click(label)) == expected


@pytest.mark.parametrize(
    "label",
    [
        "Border",
        "Spay",
        "Sort order",
        "Order history",
        "My orders",
        "Payments",
        "Purchase history",
        "Next post",
        "Sender",
        "Resend",
        "Undeleted",
        "Posts",
        "Save",
        "Continue",
        "Cancel",
        "Abbrechen",
        "下一步",
        "次へ",
    ],
)
def test_ordinary_labels_are_not_sensitive(label: str) -> None:
    assert click(label) is None


def test_a_long_link_is_a_headline_and_not_a_command() -> None:
    assert click("Why you should never delete your old mail from the server", role="link") is None
    assert category(click("Delete account", role="link")) == "delete"


def test_selecting_or_filling_is_not_sensitive() -> None:
    for role in ("checkbox", "textbox", "option", "radio"):
        assert click("Delete account", role=role) is None


def choose(name: str, **facts: Any) -> RiskAssessment | None:
    return assess("write", ElementFacts(name=name, acts_at_once=True, **facts), "", NO_PATTERNS)


def test_a_choice_that_acts_at_once_is_a_command_if_it_is_worded_like_one() -> None:
    assert category(choose("Pay now", role="checkbox")) == "pay"
    assert category(choose("Now, delete", role="option")) == "delete"
    assert category(choose("Action", role="combobox", choices=("Delete account",))) == "delete"
    assert choose("Action", role="combobox", choices=("Send by post", "Standard")) is None
    assert choose("Remember how I pay", role="checkbox") is None
    assert choose("Send me offers", role="checkbox") is None


def test_the_worst_text_of_an_element_decides() -> None:
    facts = ElementFacts(role="button", name="Show details", texts=("Pay now", "Close"))
    found = assess("write", facts, "", NO_PATTERNS)
    assert found is not None
    assert (found.category, found.reason) == ("pay", 'The button "Pay now" may pay for something.')


def test_a_button_without_a_name_is_judged_by_its_class_and_image() -> None:
    def press(identifiers: str) -> Category | None:
        return category(assess("write", ElementFacts(role="button", identifiers=identifiers), "", NO_PATTERNS))

    assert press("btn btn-delete") == "delete"
    assert press("payNow.png") == "pay"
    assert press("icon-close") is None


def test_a_generic_button_means_what_its_dialog_asks() -> None:
    def press(name: str, dialog: str) -> Category | None:
        return category(assess("write", ElementFacts(role="button", name=name, dialog=dialog), "", NO_PATTERNS))

    assert press("OK", "Delete account? This cannot be undone.") == "delete"
    assert press("", "Delete account?") == "delete"
    assert press("继续", "删除账号") == "delete"
    assert press("Cancel", "Delete account?") is None
    assert press("OK", "Send feedback") is None


@pytest.mark.parametrize("label", ["Send $500", "Confirm 20 €", "Continue (CHF 35)", "Subscribe for $9.99/month"])
def test_a_generic_button_with_an_amount_is_a_payment(label: str) -> None:
    assert category(click(label)) == "pay"


def test_an_amount_alone_is_a_price() -> None:
    assert click("$9.99") is None
    assert click("Blue shirt, 20 €") is None


@pytest.mark.parametrize(
    ("url", "expected", "risk"),
    [
        ("https://a.example/pay", "pay", "high"),
        ("https://a.example/checkout", None, None),
        ("https://a.example/catalogue", None, None),
    ],
)
def test_a_link_is_judged_by_what_it_opens(url: str, expected: Category | None, risk: str | None) -> None:
    found = assess("write", ElementFacts(role="link", name="Continue", opens=url), "", NO_PATTERNS)
    assert (category(found), found.risk if found else None) == (expected, risk)


@pytest.mark.parametrize(
    ("expected", "field"),
    [
        ("password", FieldFacts(type="password")),
        ("password", FieldFacts(type="text", autocomplete="section-a current-password")),
        ("password", FieldFacts(name="userPassword")),
        ("card", FieldFacts(autocomplete="cc-number")),
        ("card", FieldFacts(name="cardNumber")),
        ("card", FieldFacts(name="cvv")),
        ("one_time_code", FieldFacts(autocomplete="one-time-code")),
        ("one_time_code", FieldFacts(name="otp")),
    ],
)
def test_secret_fields_are_detected_by_type_autocomplete_and_name(expected: Category, field: FieldFacts) -> None:
    found = assess("write", ElementFacts(role="textbox", name="Field", field=field), "", NO_PATTERNS)
    assert category(found) == expected


@pytest.mark.parametrize("label", ["Passwort", "Mot de passe", "Contraseña", "Senha", "密码", "パスワード"])
def test_secret_fields_are_detected_by_their_label(label: str) -> None:
    assert category(assess("write", ElementFacts(role="textbox", name=label), "", NO_PATTERNS)) == "password"


def test_an_ordinary_field_is_not_sensitive() -> None:
    facts = ElementFacts(role="textbox", name="Order notes", field=FieldFacts(type="text", name="notes"))
    assert assess("write", facts, "", NO_PATTERNS) is None


def form(*fields: FieldFacts, name: str = "Continue", action: str = "", method: str = "post") -> ElementFacts:
    return ElementFacts(
        role="button", name=name, submits=True, form_fields=fields, form_action=action, form_method=method
    )


@pytest.mark.parametrize(
    ("expected", "facts"),
    [
        ("pay", form(FieldFacts(autocomplete="cc-number"), FieldFacts(name="cvc"))),
        ("sign_in", form(FieldFacts(name="user"), FieldFacts(type="password"))),
        ("change_password", form(FieldFacts(type="password"), FieldFacts(type="password"))),
        ("pay", form(action="https://shop.example/checkout/pay")),
        ("delete", form(action="https://app.example/users/7/delete")),
        ("sign_out", form(action="https://app.example/logout.php")),
        ("delete", form(action="https://app.example/delete", method="get")),
        ("transfer", form(FieldFacts(name="amount"), FieldFacts(name="recipient"))),
        ("transfer", form(FieldFacts(name="betrag"), name="", method="get")),
        ("transfer", form(FieldFacts(autocomplete="transaction-amount"))),
        (None, form(FieldFacts(name="amount"), name="Calculate", method="get")),
        (None, form(action="https://app.example/undelete-list")),
        (None, form(action="no url")),
        (None, form()),
    ],
)
def test_a_button_with_a_neutral_label_is_assessed_by_its_form(expected: Category | None, facts: ElementFacts) -> None:
    assert category(assess("write", facts, "", NO_PATTERNS)) == expected


@pytest.mark.parametrize(
    ("expected", "action", "origin"),
    [
        ("other_site", "https://other.example/next", "https://shop.example"),
        (None, "https://shop.example/next", "https://shop.example"),
        (None, "https://other.example/next", "null"),
        (None, "no url", "https://shop.example"),
    ],
)
def test_a_form_that_posts_to_another_site_is_sensitive(expected: Category | None, action: str, origin: str) -> None:
    facts = ElementFacts(
        role="button", name="Continue", submits=True, form_action=action, form_method="post", origin=origin
    )
    assert category(assess("write", facts, "", NO_PATTERNS)) == expected


def test_enter_in_a_field_is_assessed_as_the_submit_button() -> None:
    facts = ElementFacts(role="textbox", name="Amount", submits=True, submit_name="Send money")
    found = assess("write", facts, "", NO_PATTERNS)
    assert category(found) == "transfer"
    assert found is not None
    assert found.reason == 'The button "Send money" may transfer money or ownership.'


@pytest.mark.parametrize("effect", ["upload", "script", "cookies", "download"])
def test_some_effects_are_always_sensitive(effect: Effect) -> None:
    assert category(assess(effect, None, "", NO_PATTERNS)) == effect


def test_a_script_has_high_risk_unless_it_has_no_side_effects() -> None:
    script = assess("script", None, "", NO_PATTERNS)
    reading = assess("script", None, "", NO_PATTERNS, side_effect_free=True)
    assert script is not None
    assert reading is not None
    assert (script.risk, reading.risk) == ("high", "medium")
    assert "only reads" in reading.reason


def test_the_highest_risk_counts() -> None:
    assert category(assess("upload", ElementFacts(role="button", name="Delete"), "", NO_PATTERNS)) == "delete"


def test_reading_is_never_sensitive() -> None:
    for effect in ("read", "capture"):
        assert assess(effect, ElementFacts(role="button", name="Delete"), "", SensitivePatterns(["."])) is None


@pytest.mark.parametrize(
    ("url", "expected", "risk"),
    [
        ("https://a.example/account/delete?id=1", "delete", "high"),
        ("https://a.example/checkout", "pay", "medium"),
        ("https://a.example/docs/delete", None, None),
        ("https://a.example/logout", "sign_out", "low"),
        ("https://a.example/docs/how-to-delete", None, None),
        ("https://a.example/", None, None),
    ],
)
def test_a_navigation_has_high_risk_only_where_the_path_is_clear(
    url: str, expected: Category | None, risk: str | None
) -> None:
    found = assess("navigate", None, url, NO_PATTERNS)
    assert category(found) == expected
    assert (found.risk if found else None) == risk


def test_user_patterns_have_high_risk() -> None:
    patterns = SensitivePatterns(["rocket", r"case \d+"])
    found = assess("write", ElementFacts(role="button", name="Open CASE 12"), "", patterns)
    assert found is not None
    assert (found.category, found.risk) == ("pattern", "high")
    assert category(assess("navigate", None, "https://a.example/rocket", patterns)) == "pattern"
    assert assess("write", ElementFacts(role="button", name="Other"), "", patterns) is None


def test_the_error_for_an_invalid_pattern_quotes_it() -> None:
    with pytest.raises(UnsafePattern, match=r"\(a\+\)\+"):
        SensitivePatterns(["ok", "(a+)+"])
    with pytest.raises(UnsafePattern, match="at most 50"):
        SensitivePatterns(["x"] * 51)


def test_every_category_has_a_risk_and_a_description() -> None:
    assert set(CATEGORY_RISKS) == set(CATEGORY_DESCRIPTIONS)
    assert {name for name, risk in CATEGORY_RISKS.items() if risk == "high"} == {
        "pay",
        "buy",
        "transfer",
        "sign",
        "delete",
        "run",
        "local_file",
        "script",
        "pattern",
    }
