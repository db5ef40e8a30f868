"""Which names tell that their value is a secret: of form fields, headers, query parameters, JSON keys.

Pure. A name is ``certain`` when its value is always hidden (``password``, ``access_token``) and otherwise only a hint
(``key``, ``code``, ``auth``): then the value must look like a secret too, because ``key: "Enter"`` and
``session: "s1"`` are ordinary arguments of our own tools.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from .marks import Kind

LONGEST_NAME = 200


@dataclass(frozen=True)
class Telling:
    kind: Kind
    certain: bool


@dataclass(frozen=True)
class FieldFacts:
    """What a page says about one of its form fields."""

    type: str = ""
    autocomplete: str = ""
    name: str = ""
    id: str = ""
    label: str = ""


# Single words; a name has the property when one of its words is in the set.
CERTAIN_WORDS: dict[str, Kind] = {
    **dict.fromkeys(
        ("password", "passwords", "passwd", "passwort", "kennwort", "pwd", "passphrase", "psw"), "password"
    ),
    **dict.fromkeys(("senha", "contraseña", "contrasena", "contrasenya", "wachtwoord", "hasło", "heslo"), "password"),
    **dict.fromkeys(("пароль", "şifre", "sifre", "lösenord", "losenord", "adgangskode", "salasana"), "password"),
    **dict.fromkeys(("parola", "jelszó", "lozinka", "palavra-passe"), "password"),
    **dict.fromkeys(("token", "jwt", "bearer", "csrf", "xsrf", "csrftoken", "xsrftoken", "authtoken"), "token"),
    **dict.fromkeys(("sid", "jsessionid", "phpsessid", "sessid", "sessionid", "sessiontoken"), "token"),
    **dict.fromkeys(("accesstoken", "refreshtoken", "idtoken", "authenticity", "saml", "assertion"), "token"),
    **dict.fromkeys(("apikey", "appkey", "secretkey", "privatekey", "accesskey", "authkey", "mnemonic"), "key"),
    **dict.fromkeys(("passkey", "signature", "signingkey", "encryptionkey"), "key"),
    **dict.fromkeys(("secret", "secrets", "clientsecret", "appsecret"), "secret"),
    **dict.fromkeys(("credential", "credentials", "authorization", "userinfo", "userpass"), "credentials"),
    **dict.fromkeys(("otp", "totp", "hotp", "onetimecode", "passcode", "cvv", "cvc", "csc", "cvv2", "cvc2"), "code"),
    **dict.fromkeys(("smscode", "securitycode", "verificationcode", "authcode", "mtan"), "code"),
    **dict.fromkeys(("cardnumber", "ccnumber", "creditcard", "cardno", "ccnum", "cardnum"), "card"),
}
# Several words in a row.
CERTAIN_PHRASES: dict[tuple[str, ...], Kind] = {
    **{(word, "key"): "key" for word in ("api", "app", "access", "secret", "private", "auth", "account", "master")},
    **{(word, "key"): "key" for word in ("signing", "encryption", "license", "shared", "storage", "service", "ssh")},
    **{("session", word): "token" for word in ("id", "key", "cookie", "hash")},
    **{(word, "session"): "token" for word in ("asp", "laravel", "user", "auth", "django")},
    **{(word, "code"): "code" for word in ("security", "verification", "otp", "sms", "mfa", "auth", "login", "pin")},
    **{(word, "code"): "code" for word in ("authentication", "authenticator", "confirmation", "recovery", "backup")},
    **{("one", "time", word): "code" for word in ("code", "password", "passcode", "pin", "token")},
    **{("2", "fa", word): "code" for word in ("code", "token", "pin")},
    **{("card", word): "card" for word in ("number", "no", "num", "pan")},
    **{("cc", word): "card" for word in ("number", "no", "num")},
    ("digit", "code"): "code",
    ("mot", "de", "passe"): "password",
    ("credit", "card"): "card",
    ("card", "verification"): "code",
    ("connect", "sid"): "token",
    ("amz", "signature"): "key",
    ("pass", "word"): "password",
    ("pass", "phrase"): "password",
    ("user", "pass"): "password",
    ("db", "pass"): "password",
    ("smtp", "pass"): "password",
}
# Scripts without spaces between words: a label holds one of these anywhere.
CERTAIN_PARTS: dict[str, Kind] = {
    **dict.fromkeys(("密码", "密碼", "パスワード", "비밀번호", "口令", "暗証番号"), "password"),
    **dict.fromkeys(("验证码", "驗證碼", "認証コード", "確認コード", "인증번호", "セキュリティコード"), "code"),
    **dict.fromkeys(("カード番号", "卡号", "卡號", "카드번호"), "card"),
}
HINT_WORDS: dict[str, Kind] = {
    **dict.fromkeys(("key", "keys", "seed", "salt", "sig", "hmac", "hash"), "key"),
    **dict.fromkeys(("tokens", "auth", "session", "sess", "nonce", "state", "ticket", "cookie", "cookies"), "token"),
    **dict.fromkeys(("login", "verifier", "challenge", "webhook", "magic", "invite", "reset"), "token"),
    **dict.fromkeys(("code", "pin", "tan", "mfa", "puk"), "code"),
    **dict.fromkeys(("pass", "pw"), "password"),
    **dict.fromkeys(("pan",), "card"),
}
# A name that ends so speaks about the secret instead of holding it: password_hint, token_type, key_count.
ABOUT_WORDS = frozenset(
    "count length len type name names hint strength policy required url uri expiry expires expiration expired label "
    "field limit status version enabled ttl max min placeholder rule rules selector algorithm alg method endpoint "
    "location issuer issued created updated valid invalid error errors input form button link page manager "
    "usage used budget size format consent banner at in on less visible shown hidden index position".split()
)
# Header names that carry credentials without a telling word.
CREDENTIAL_HEADERS: dict[str, Kind] = {
    **dict.fromkeys(("cookie", "set-cookie", "set-cookie2", "cookie2"), "cookie"),
    **dict.fromkeys(("authorization", "proxy-authorization", "x-forwarded-client-cert"), "credentials"),
}
# In a header's name these words are enough by themselves.
HEADER_WORDS: dict[str, Kind] = {"key": "key", "session": "token", "auth": "credentials", "pin": "code", "sig": "key"}
HARMLESS_HEADERS = frozenset({"sec-websocket-key", "sec-websocket-accept", "idempotency-key", "surrogate-key"})

AUTOCOMPLETE: dict[str, Kind] = {
    "current-password": "password",
    "new-password": "password",
    "one-time-code": "code",
    "cc-number": "card",
    "cc-csc": "code",
}

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z][^\W\d_]*")


@lru_cache(maxsize=4096)
def telling_name(name: str) -> Telling | None:
    """What ``name`` tells about its value, or None for an ordinary name."""
    written = _WORDS.findall(name[:LONGEST_NAME])
    words = [word.lower() for word in written]
    if not words or (words[-1] in ABOUT_WORDS and len(words) > 1):
        return None
    # A word of which only a part is ASCII (contraseña, şifre) is cut by the pattern above: look at it whole as well.
    whole = re.split(r"[\W_]+", name[:LONGEST_NAME].lower())
    for word in (*words, *whole):
        if word in CERTAIN_WORDS:
            return Telling(CERTAIN_WORDS[word], certain=True)
    for length in (2, 3):
        for start in range(len(words) - length + 1):
            kind = CERTAIN_PHRASES.get(tuple(words[start : start + length]))
            if kind:
                return Telling(kind, certain=True)
    for word in (*whole, *words):
        kind = _joined(word)
        if kind:
            return Telling(kind, certain=True)
    for word in words:
        if word in HINT_WORDS:
            return Telling(HINT_WORDS[word], certain=False)
    return None


def _joined(word: str) -> Kind | None:
    """Words run together without a sign between them: ``userpassword``, ``myaccesstoken``, ``xapikey``."""
    if word.endswith(("password", "passwd", "passwort")) or word.startswith(("password", "passwd")):
        return None if word == "passwordless" else "password"
    if word.endswith(("apikey", "secretkey", "privatekey", "accesskey")):
        return "key"
    if word.endswith(("sessionid", "sessid", "token")):
        return "token"
    if word.endswith("secret"):
        return "secret"
    if word.isascii():
        return None
    return next((kind for part, kind in CERTAIN_PARTS.items() if part in word), None)


@lru_cache(maxsize=4096)
def telling_header(name: str) -> Kind | None:
    """The kind of secret that a header of this name carries, or None."""
    lowered = name.strip().lower()
    if lowered in CREDENTIAL_HEADERS:
        return CREDENTIAL_HEADERS[lowered]
    if lowered in HARMLESS_HEADERS:
        return None
    found = telling_name(lowered)
    if found and found.certain:
        return found.kind
    for word in lowered.replace("_", "-").split("-"):
        if word in HEADER_WORDS:
            return HEADER_WORDS[word]
        if word.endswith("key") and word not in ("monkey", "hotkey"):
            return "key"
    return None


def telling_field(facts: FieldFacts) -> Kind | None:
    """The kind of secret that is typed into a field of these facts, or None."""
    if facts.type.strip().lower() == "password":
        return "password"
    for word in facts.autocomplete.lower().split():
        if word in AUTOCOMPLETE:
            return AUTOCOMPLETE[word]
    for name in (facts.name, facts.id, facts.label):
        found = telling_name(name)
        if found and (found.certain or (found.kind == "code" and "pin" in name.lower().split())):
            return found.kind
    return None
