"""What redaction hides, what it keeps, and that hostile input neither breaks nor slows it."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from browser_pilot.json_types import Json
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.redaction.sensitive_names import FieldHints

from .canaries import CARDS, TOKENS, Canary, canaries

CANARIES = list(canaries())
REDACTOR = Redactor()

INNOCENT = (
    "Departs 2026-07-28 at 14:35, arrives 2026-07-29T08:05:00Z, gate B12.",
    "Total: 1,299.00 EUR (was 1.499,00 €), you save $200.00 or 13.34 %.",
    "ISBN 978-3-16-148410-0, ISBN 9780306406157, ISBN-10 0-306-40615-2",
    "EAN 4006381333931, EAN 5901234123457, UPC 036000291452",
    "Fixed in commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b, see also e3b0c442.",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "request 550e8400-e29b-41d4-a716-446655440000 took 12 ms",
    "created 1785240000000, updated 1785240000000000, nonce 0",
    "pi is 3.1415926535897932384626 and e is 2.718281828459045",
    "0.4111111111111111 of 1 and 4111111111111111.5",
    "Password: required. Password must have at least 8 characters. Forgot password?",
    'textbox "Password" [ref=e12]: textbox "Confirm password" [ref=e13]',
    "Password: at least 12 characters, one digit.",
    "Passwort: erforderlich; Kennwort vergessen?",
    'input type="password" name="password" id="password" placeholder="Password"',
    '{"password": "Password", "token": null, "has_password": true, "password_hint": "your dog"}',
    "max_tokens: 8000, tokens used: 12345, token_count=17, total_tokens=99",
    '{"max_tokens": 8000, "session": "s1", "tab": "t3", "key": "Enter", "keys": ["Control+A"]}',
    "session: s-3 opened; session=default",
    "Press any key: Enter; key: value; keyboard=qwerty; monkey=1; hotkey: Ctrl+Shift+P",
    "Token: ERC-20; Secret Santa: Friday; Session: Morning keynote",
    "state=California&code=404&key=name&sort=asc",
    "error code: 1001, zip code 90210, country code +49, promo code SUMMER24, exit code 137",
    "Your zip code is 94103 and your area code is 4155.",
    "The authorization header is required. Authorization: required",
    "Cookie: we use cookies to improve your visit. Cookie policy: read more",
    "Basic authentication and bearer certificates; the Basic plan costs 5 EUR",
    "password = os.environ['DB_PASSWORD']; token = get_token(user)",
    "password: str, token: string, secret: Optional[str] = None",
    "const password = form.password.value; login(password=password)",
    "${{ secrets.TOKEN }} --password $PASSWORD password=${PASSWORD} token=<your token>",
    "type {{secret:MAIL}} into the field; password: {{secret:MAIL}}",
    "password: ******** token=•••••••• api_key=xxxxxxxx",
    "https://shop.example.com/p/123?color=red&size=12&page=2#reviews",
    "https://a.example/wiki/Key_(cryptography)?action=edit&section=3",
    "git@github.com:owner/name.git ssh://git@host.example/repo",
    "mailto:ann@example.com, call +49 30 901820 or (555) 123-4567",
    "npm_config_registry_location=local hf_hub_download_directory tskey-documentation-overview",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    'integrity="sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC"',
    "IBAN DE89 3702 0044 0532 0130 00, order 2026-0001234567, tracking 1Z999AA10123456784",
    "e1,heading,Welcome back,\ne2,textbox,Email,focused\ne3,textbox,Password,\ne4,button,Sign in,",
    "Ünïcödé İstanbul ſtraße 日本語 русский 😀 \x00 \ud800 end",
    "192.168.178.100 10.0.0.1:8777 fe80::1ff:fe23:4567:890a 00:1b:44:11:3a:b7",
)


@pytest.mark.parametrize("canary", CANARIES, ids=lambda canary: canary.kind)
def test_a_canary_is_hidden_and_stays_hidden_when_redacted_again(canary: Canary) -> None:
    redacted = canary.redact(REDACTOR)
    assert canary.secret not in redacted
    assert "[redacted:" in redacted
    assert REDACTOR.text(redacted) == redacted


def test_there_are_at_least_300_kinds_of_canaries() -> None:
    assert len({canary.kind for canary in CANARIES}) >= 300


@pytest.mark.parametrize("text", INNOCENT)
def test_ordinary_text_is_not_changed(text: str) -> None:
    assert REDACTOR.text(text) == text


def test_what_surrounds_a_secret_in_a_url_is_kept() -> None:
    url = "https://ann:pw@a.example:8443/x/y?page=2&token=abc&sort=asc#access_token=def&state=ok"
    assert REDACTOR.url(url) == (
        "https://[redacted:credentials]@a.example:8443/x/y?page=2&token=[redacted:token]&sort=asc"
        "#access_token=[redacted:token]&state=ok"
    )


SHORT_CREDENTIALS = [
    ("Authorization: Bearer abc", "Authorization: [redacted:credentials]"),
    ("Authorization: Bearer a", "Authorization: [redacted:credentials]"),
    ("sent Bearer ab1 here", "sent Bearer [redacted:token] here"),
    ('headers: {authorization: "Bearer x1"}', 'headers: {authorization: "[redacted:credentials]"}'),
    ('{"authorization": "abc"}', '{"authorization": "[redacted:credentials]"}'),
]


@pytest.mark.parametrize(("text", "redacted"), SHORT_CREDENTIALS)
def test_short_credentials_are_hidden(text: str, redacted: str) -> None:
    assert REDACTOR.text(text) == redacted


def test_credentials_next_to_their_name_are_hidden_in_data() -> None:
    data: Json = {"Authorization": "Bearer abc", "cookie": "a=b; c=d", "Cookie": "Accept all", "authorization": None}
    assert REDACTOR.data(data) == {
        "Authorization": "[redacted:credentials]",
        "cookie": "[redacted:cookie]",
        "Cookie": "Accept all",
        "authorization": None,
    }


KEPT_AFTER_A_SECRET = [
    "curl -H 'Authorization: Bearer §' https://a.example/ and more",
    'curl -H "Cookie: a=§" https://a.example/ and more',
    "Authorization: Bearer § and more",
    "<p>Authorization: Bearer §</p><p>and more</p>",
    "<p>Cookie: a=§</p><p>and more</p>",
    '["Cookie: a=§; b=2", "and more"]',
    '"first\\nCookie: a=§\\nand more"',
    '"first\\r\\nAuthorization: Digest username=x, response=§\\r\\nand more"',
    '--x\r\nContent-Disposition: form-data; name="password"\r\n\r\n§\r\n--x--\r\nand more',
]


@pytest.mark.parametrize("template", KEPT_AFTER_A_SECRET)
def test_the_text_after_a_secret_is_kept(template: str) -> None:
    for redacted in (
        REDACTOR.text(template.replace("§", "hunter2x")),
        str(REDACTOR.data(template.replace("§", "hunter2x"))),
    ):
        assert "hunter2x" not in redacted and "[redacted:" in redacted
        assert "and more" in redacted


@pytest.mark.parametrize(
    "value",
    [
        {"log": "Cookie: sid=abc; theme=dark\nDone: 3 items", "total": 12},
        ["Authorization: Digest username=ann, response=abc", "kept"],
        {"note": "Cookie: sid=abc", "kept": {"a": [1, 2.5, None, True]}},
        {"form": '--x\r\nContent-Disposition: form-data; name="password"\r\n\r\nabc', "kept": "yes"},
    ],
)
def test_a_secret_in_a_scripts_value_hides_only_its_own_string(value: Json) -> None:
    result = REDACTOR.data(json.dumps(value))
    assert isinstance(result, str)
    redacted = json.loads(result)
    assert "abc" not in json.dumps(redacted) and "[redacted:" in json.dumps(redacted)
    assert redacted == REDACTOR.data(value)
    if isinstance(value, dict):
        assert redacted.keys() == value.keys()


MULTIPART = '--x\r\nContent-Disposition: form-data; name="{name}"{rest}\r\n\r\n{value}\r\n--x--\r\n'


@pytest.mark.parametrize("name", ["password", "user[password]", "new_password", "card_number", "api_key", "otp"])
@pytest.mark.parametrize("rest", ["", "\r\nContent-Type: text/plain"])
def test_multipart_fields_with_a_sensitive_name_are_hidden_in_any_text(name: str, rest: str) -> None:
    body = MULTIPART.format(name=name, rest=rest, value="hunter2\r\nline 2")
    for text in (body, f"sent {body}", json.dumps(body), json.dumps({"body": body})):
        assert "hunter2" not in REDACTOR.text(text) and "line 2" not in REDACTOR.text(text)
        assert "hunter2" not in str(REDACTOR.data(text))
    kept = MULTIPART.format(name="city", rest=rest, value="Rome")
    assert REDACTOR.text(kept) == kept


def test_arguments_of_our_own_tools_keep_their_meaning() -> None:
    arguments: Json = {"session": "s1", "key": "Enter", "max_tokens": 8000, "text": "hello", "submit": True, "x": None}
    assert REDACTOR.data(arguments) == arguments


def test_file_names_contain_no_characters_that_a_file_system_refuses() -> None:
    assert REDACTOR.filename("export-token=abc123.csv") == "export-token=redacted"


def test_json_that_is_too_deep_is_cut_instead_of_failing() -> None:
    deep = "[" * 5000 + '"password"' + "]" * 5000
    assert REDACTOR.body(deep, content_type="application/json")


SECRET_PIECES = st.sampled_from(
    [*TOKENS.values(), *CARDS.values(), "password=", "token: ", '"secret":"', "Cookie: a=b", "[redacted:card]", "\0"]
)
MIXED = st.lists(
    st.one_of(SECRET_PIECES, st.text(max_size=8), st.sampled_from(list(" :=&\"'\n-._/%@[]{}<>"))), max_size=14
)


@settings(max_examples=200, deadline=None)
@given(MIXED)
def test_redaction_is_idempotent(pieces: list[str]) -> None:
    redactor = Redactor(emails=True, phones=True)
    redactor.add_secrets(["hunter2", "card"])
    once = redactor.text("".join(pieces))
    assert redactor.text(once) == once


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60), st.sampled_from(sorted(TOKENS.values())), st.text(max_size=60))
def test_a_token_is_hidden_in_any_surrounding_text(before: str, secret: str, after: str) -> None:
    assert secret not in REDACTOR.text(f"{before} {secret} {after}")


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200), st.text(max_size=40))
def test_no_input_makes_it_raise(text: str, name: str) -> None:
    REDACTOR.text(text)
    REDACTOR.url(text)
    REDACTOR.header(name, text)
    REDACTOR.body(text)
    REDACTOR.body(text, content_type="multipart/form-data")
    REDACTOR.body(text, content_type="application/x-www-form-urlencoded")
    REDACTOR.field(text, FieldHints(name=name))
    REDACTOR.filename(text)


json_values: st.SearchStrategy[Json] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.one_of(st.text(max_size=8), st.sampled_from(["password", "name", "value"])), inner, max_size=4
        ),
    ),
    max_leaves=20,
)


@settings(max_examples=200, deadline=None)
@given(json_values)
def test_redacted_data_stays_json_and_is_stable(value: Json) -> None:
    once = REDACTOR.data(value)
    assert json.dumps(REDACTOR.data(once)) == json.dumps(once)


HOSTILE = [
    "eyJ", "eyJa.", "ghp_", "a", "a.", "sk-", "SK", "-----BEGIN PRIVATE KEY-----", "Bearer ",
    "basic aaaaaaaaaaaaaaaa ", "npm_", "1:AA", "aaaaaaaaaaaaaaaa.", "key-", "/api/webhooks/", "%20eyJ", "password",
    "password=", 'password="', "token:", "cookie: a=", "authorization: bearer ", "<input ", "<password>", "</",
    "--password ", "4 ", "4", "41", "4-", "4%20", "://", "://a@", "a@", "@a.", "code 1", "1 is your ", "[redacted:",
    "[redacted:card]", "[redacted:card]4", '\\"', "\\", '"', "&quot;", "%22", "key = ", "code is 123456",
    "AKIAAAAAAAAAAAAAAAAA", "+1 ", "(1)", "{", "[", "=", ":", " ", "\n", "\x00", "İ", "x=", "secret=a&", "pin:1 ",
    "form-data; name=", 'form-data; name="password"\r\n\r\n', 'form-data; name="a"\n\n', "authorization: digest ",
    '"Cookie: a=', "Private-Lines: 1 ", "AKIA0000000000000000ghp_0000000000000000",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_grows_no_faster_than_the_text(piece: str) -> None:
    redactor = Redactor(emails=True, phones=True)
    redactor.add_secrets(["hunter2"])

    def seconds(length: int) -> float:
        text = piece * (length // len(piece))
        started = time.thread_time()
        redactor.text(text)
        return time.thread_time() - started

    # Eight times the text; quadratic would take sixty-four times as long in every run. One slow run is a pause.
    for _ in range(5):
        if seconds(80_000) < 24 * seconds(10_000) + 0.1:
            return
    pytest.fail("eight times the text took more than twenty-four times as long in each of five runs")


def test_a_large_page_takes_a_few_milliseconds() -> None:
    page = "".join(
        f'- link "Product {number} now 12.99 EUR" [ref=e{number}]:\n  - /url: https://shop.example.com/p/{number}?size=12\n'
        for number in range(1200)
    )[:100_000]
    assert REDACTOR.text(page) == page

    def seconds() -> float:
        started = time.thread_time()
        REDACTOR.text(page)
        return time.thread_time() - started

    # About 5 ms; the bound is wide because test machines are slow and shared.
    assert min(seconds() for _ in range(7)) < 0.05
