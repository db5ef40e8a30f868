"""Which names mark their value as a secret: names of form fields, query parameters and JSON keys.

Pure. A name is ``certain`` when its value is always hidden (``password``, ``access_token``), else only a hint (``key``,
``code``, ``auth``): then the value must look like a secret too, because ``key: "Enter"`` and ``session: "s1"`` are
ordinary arguments of our own tools. Names of headers: see ``headers``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from .placeholders import SecretKind

MAX_NAME_CHARACTERS = 200


@dataclass(frozen=True)
class SensitiveName:
    kind: SecretKind
    certain: bool


@dataclass(frozen=True)
class FieldHints:
    """Attributes of a form field that say what belongs into it."""

    type: str = ""
    autocomplete: str = ""
    name: str = ""
    id: str = ""
    label: str = ""


# A name matches when one of its words is in this table.
CERTAIN_WORDS: dict[str, SecretKind] = {
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
CERTAIN_PHRASES: dict[tuple[str, ...], SecretKind] = {
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
# Scripts without spaces between words: a label contains one of these anywhere.
CERTAIN_PARTS: dict[str, SecretKind] = {
    **dict.fromkeys(("密码", "密碼", "パスワード", "비밀번호", "口令", "暗証番号"), "password"),
    **dict.fromkeys(("验证码", "驗證碼", "認証コード", "確認コード", "인증번호", "セキュリティコード"), "code"),
    **dict.fromkeys(("カード番号", "卡号", "卡號", "카드번호"), "card"),
}
HINT_WORDS: dict[str, SecretKind] = {
    **dict.fromkeys(("key", "keys", "seed", "salt", "sig", "hmac", "hash"), "key"),
    **dict.fromkeys(("tokens", "auth", "session", "sess", "nonce", "state", "ticket", "cookie", "cookies"), "token"),
    **dict.fromkeys(("login", "verifier", "challenge", "webhook", "magic", "invite", "reset"), "token"),
    **dict.fromkeys(("code", "pin", "tan", "mfa", "puk"), "code"),
    **dict.fromkeys(("pass", "pw"), "password"),
    **dict.fromkeys(("pan",), "card"),
}
# A name that ends in one of these describes a secret and does not hold it: password_hint, token_type, key_count.
METADATA_WORDS = frozenset(
    "count length len type name names hint strength policy required url uri expiry expires expiration expired label "
    "field limit status version enabled ttl max min placeholder rule rules selector algorithm alg method endpoint "
    "location issuer issued created updated valid invalid error errors input form button link page manager "
    "usage used budget size format consent banner at in on less visible shown hidden index position".split()
)
AUTOCOMPLETE: dict[str, SecretKind] = {
    "current-password": "password",
    "new-password": "password",
    "one-time-code": "code",
    "cc-number": "card",
    "cc-csc": "code",
}

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z][^\W\d_]*")


@lru_cache(maxsize=4096)
def match_sensitive_name(name: str) -> SensitiveName | None:
    """Whether ``name`` is sensitive, and how; None for an ordinary name."""
    written = _WORDS.findall(name[:MAX_NAME_CHARACTERS])
    words = [word.lower() for word in written]
    if not words or (words[-1] in METADATA_WORDS and len(words) > 1):
        return None
    # The pattern above cuts words that are only partly ASCII (contraseña, şifre): match them whole as well.
    whole = re.split(r"[\W_]+", name[:MAX_NAME_CHARACTERS].lower())
    for word in (*words, *whole):
        if word in CERTAIN_WORDS:
            return SensitiveName(CERTAIN_WORDS[word], certain=True)
    for length in (2, 3):
        for start in range(len(words) - length + 1):
            kind = CERTAIN_PHRASES.get(tuple(words[start : start + length]))
            if kind:
                return SensitiveName(kind, certain=True)
    for word in (*whole, *words):
        kind = _joined(word)
        if kind:
            return SensitiveName(kind, certain=True)
    for word in words:
        if word in HINT_WORDS:
            return SensitiveName(HINT_WORDS[word], certain=False)
    return None


def _joined(word: str) -> SecretKind | None:
    """Words joined without a separator: ``userpassword``, ``myaccesstoken``, ``xapikey``."""
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


def sensitive_field_kind(hints: FieldHints) -> SecretKind | None:
    """The kind of secret that belongs into a field with these hints, or None."""
    if hints.type.strip().lower() == "password":
        return "password"
    for word in hints.autocomplete.lower().split():
        if word in AUTOCOMPLETE:
            return AUTOCOMPLETE[word]
    for name in (hints.name, hints.id, hints.label):
        found = match_sensitive_name(name)
        if found and (found.certain or (found.kind == "code" and "pin" in name.lower().split())):
            return found.kind
    return None
