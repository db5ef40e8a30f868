"""Some 300 kinds of secrets, each in a text where it can appear: redaction must hide them all."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import quote, quote_plus

from browser_pilot.redaction.redactor import Redactor
from browser_pilot.redaction.sensitive_names import FieldHints

_random = random.Random(20260728)
ALNUM = string.ascii_letters + string.digits
URLSAFE = ALNUM + "_-"
HEX = "0123456789abcdef"


@dataclass(frozen=True)
class Canary:
    kind: str
    secret: str
    redact: Callable[[Redactor], str]


def rand(alphabet: str, length: int) -> str:
    """Random, with a letter and a digit in its first eight characters, like nearly every real token."""
    while True:
        text = "".join(_random.choices(alphabet, k=length))
        head = text[:8]
        if any(map(str.isdigit, head)) and any(map(str.isalpha, head)) and head[0] not in "_-" and text[-1] not in "_-":
            return text


def upper(length: int) -> str:
    return "".join(_random.choices(string.ascii_uppercase + string.digits, k=length))


def _segment(data: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(data).encode()).decode().rstrip("=")


JWT = f"{_segment({'alg': 'HS256', 'typ': 'JWT'})}.{_segment({'sub': '1234567890', 'name': 'Ann'})}.{rand(URLSAFE, 43)}"

TOKENS: dict[str, str] = {
    "aws access key": "AKIA" + upper(16),
    "aws session key": "ASIA" + upper(16),
    "github personal": "ghp_" + rand(ALNUM, 36),
    "github oauth": "gho_" + rand(ALNUM, 36),
    "github user": "ghu_" + rand(ALNUM, 36),
    "github server": "ghs_" + rand(ALNUM, 36),
    "github refresh": "ghr_" + rand(ALNUM, 76),
    "github fine-grained": "github_pat_" + rand(ALNUM, 22) + "_" + rand(ALNUM, 59),
    "gitlab personal": "glpat-" + rand(URLSAFE, 20),
    "gitlab deploy": "gldt-" + rand(URLSAFE, 20),
    "gitlab runner": "glrt-" + rand(URLSAFE, 20),
    "gitlab trigger": "glptt-" + rand(HEX, 40),
    "slack bot": f"xoxb-{'1' * 12}-{'2' * 12}-{rand(ALNUM, 24)}",
    "slack user": f"xoxp-{'1' * 12}-{'2' * 12}-{'3' * 12}-{rand(HEX, 32)}",
    "slack app": f"xapp-1-A{upper(10)}-{'4' * 13}-{rand(HEX, 64)}",
    "slack refresh": "xoxe-1-" + rand(ALNUM, 146),
    "slack webhook": f"https://hooks.slack.com/services/T{upper(8)}/B{upper(8)}/{rand(ALNUM, 24)}",
    "discord webhook": f"https://discord.com/api/webhooks/{'9' * 18}/{rand(URLSAFE, 68)}",
    "discord bot": f"M{rand(ALNUM, 23)}.{rand(ALNUM, 6)}.{rand(URLSAFE, 27)}",
    "stripe live": "sk_live_" + rand(ALNUM, 24),
    "stripe test": "sk_test_" + rand(ALNUM, 24),
    "stripe restricted": "rk_live_" + rand(ALNUM, 24),
    "stripe webhook": "whsec_" + rand(ALNUM, 32),
    "google api": "AIza" + rand(URLSAFE, 35),
    "google oauth": "ya29." + rand(URLSAFE, 68),
    "google client secret": "GOCSPX-" + rand(URLSAFE, 28),
    "google refresh": "1//0" + rand(URLSAFE, 40),
    "firebase": rand(ALNUM, 11) + ":APA91" + rand(URLSAFE, 134),
    "openai": "sk-" + rand(ALNUM, 48),
    "openai project": "sk-proj-" + rand(URLSAFE, 74),
    "openai service": "sk-svcacct-" + rand(URLSAFE, 60),
    "anthropic": "sk-ant-api03-" + rand(URLSAFE, 93),
    "groq": "gsk_" + rand(ALNUM, 52),
    "huggingface": "hf_" + rand(ALNUM, 34),
    "replicate": "r8_" + rand(ALNUM, 37),
    "perplexity": "pplx-" + rand(ALNUM, 48),
    "xai": "xai-" + rand(ALNUM, 80),
    "nvidia": "nvapi-" + rand(URLSAFE, 64),
    "langsmith": "lsv2_pt_" + rand(HEX, 32) + "_" + rand(HEX, 10),
    "npm": "npm_" + rand(ALNUM, 36),
    "pypi": "pypi-AgEIcHlwaS5vcmc" + rand(URLSAFE, 90),
    "rubygems": "rubygems_" + rand(HEX, 48),
    "docker": "dckr_pat_" + rand(URLSAFE, 27),
    "shopify": "shpat_" + rand(HEX, 32),
    "shopify secret": "shpss_" + rand(HEX, 32),
    "linear": "lin_api_" + rand(ALNUM, 40),
    "notion": "ntn_" + rand(ALNUM, 46),
    "figma": "figd_" + rand(URLSAFE, 40),
    "postman": f"PMAK-{rand(HEX, 24)}-{rand(HEX, 34)}",
    "digitalocean": "dop_v1_" + rand(HEX, 64),
    "new relic": "NRAK-" + upper(27),
    "sentry": "sntrys_" + rand(ALNUM, 60),
    "vault": "hvs." + rand(URLSAFE, 90),
    "tailscale": f"tskey-auth-{rand(ALNUM, 16)}-{rand(ALNUM, 32)}",
    "square": "sq0atp-" + rand(URLSAFE, 22),
    "square secret": "sq0csp-" + rand(URLSAFE, 43),
    "facebook": "EAA" + rand(ALNUM, 120),
    "telegram bot": f"{'1' * 9}:AA{rand(URLSAFE, 33)}",
    "twilio": "SK" + rand(HEX, 32),
    "sendgrid": f"SG.{rand(URLSAFE, 22)}.{rand(URLSAFE, 43)}",
    "mailgun": "key-" + rand(HEX, 32),
    "mailchimp": rand(HEX, 32) + "-us14",
    "brevo": f"xkeysib-{rand(HEX, 64)}-{rand(ALNUM, 16)}",
    "resend": f"re_{rand(ALNUM, 8)}_{rand(ALNUM, 24)}",
    "databricks": "dapi" + rand(HEX, 32),
    "atlassian": "ATATT3" + rand(URLSAFE, 180),
    "planetscale": "pscale_tkn_" + rand(URLSAFE, 43),
    "netlify": "nfp_" + rand(ALNUM, 36),
    "alibaba": "LTAI" + rand(ALNUM, 20),
    "tencent": "AKID" + rand(ALNUM, 32),
    "dynatrace": f"dt0c01.{upper(24)}.{upper(64)}",
    "easypost": "EZAK" + rand(ALNUM, 54),
    "shippo": "shippo_live_" + rand(HEX, 40),
    "hubspot": f"pat-na1-{rand(HEX, 8)}-{rand(HEX, 4)}-{rand(HEX, 12)}",
    "airtable": f"pat{rand(ALNUM, 14)}.{rand(HEX, 64)}",
    "pulumi": "pul-" + rand(HEX, 40),
    "sonar": "squ_" + rand(HEX, 40),
    "contentful": "CFPAT-" + rand(URLSAFE, 43),
    "typeform": "tfp_" + rand(ALNUM, 59),
    "supabase": "sbp_" + rand(HEX, 40),
    "grafana": "glsa_" + rand(ALNUM, 32) + "_" + rand(HEX, 8),
    "terraform": f"{rand(ALNUM, 14)}.atlasv1.{rand(ALNUM, 60)}",
    "doppler": "dp.pt." + rand(ALNUM, 43),
    "flutterwave": f"FLWSECK-{rand(HEX, 32)}-X",
    "age": "AGE-SECRET-KEY-1" + upper(58),
    "onepassword": "A3-" + "-".join((upper(6), upper(6), upper(5), upper(5), upper(5))),
    "jwt": JWT,
}
CARDS: dict[str, str] = {
    "visa": "4111111111111111",
    "visa spaced": "4111 1111 1111 1111",
    "visa hyphens": "4012-8888-8888-1881",
    "visa dots": "4012.8888.8888.1881",
    "visa no-break spaces": "4012\u00a08888\u00a08888\u00a01881",
    "visa 13": "4222222222222",
    "visa 19": "4000056655665556007",
    "mastercard": "5555555555554444",
    "mastercard 2": "2223003122003222",
    "amex": "378282246310005",
    "amex spaced": "3782 822463 10005",
    "discover": "6011111111111117",
    "diners": "30569309025904",
    "diners 36": "36227206271667",
    "jcb": "3530111333300000",
    "unionpay": "6200000000000005",
    "maestro": "6759649826438453",
    "mir": "2200000000000004",
    "digit by digit": "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
    "full-width": "４１１１１１１１１１１１１１１１",
}
CERTAIN_NAMES = (
    "password passwd pwd passphrase user_password userPassword new-password db.password PASSWORD Passwort kennwort "
    "senha token access_token accessToken refresh_token id_token auth_token authToken csrf_token "
    "csrfmiddlewaretoken _xsrf secret client_secret clientSecret app_secret SECRET_KEY api_key apiKey apikey "
    "x-api-key private_key access_key session_id sessionId JSESSIONID PHPSESSID sid sessid connect.sid signature "
    "X-Amz-Signature credentials otp totp cvv cvc card_number cardNumber security_code verification_code "
    "passcode jwt mot_de_passe"
).split()
HINT_NAMES = "key auth code state nonce ticket sig hash session login_hash oauth_verifier invite_code".split()
SECRET_HEADERS = (
    "Authorization Proxy-Authorization Cookie Set-Cookie X-Api-Key X-Auth-Token X-Csrf-Token X-Session-Id Api-Key "
    "X-Amz-Security-Token X-Goog-Api-Key Ocp-Apim-Subscription-Key X-Access-Token X-Secret X-Vault-Token apikey "
    "X-Shopify-Access-Token X-GitHub-Token X-Auth X-Gitlab-Token X-Functions-Key X-Signature"
).split()
FIELDS: dict[str, FieldHints] = {
    "password type": FieldHints(type="password"),
    "current-password": FieldHints(type="text", autocomplete="current-password"),
    "new-password": FieldHints(autocomplete="section-a new-password"),
    "one-time-code": FieldHints(type="text", autocomplete="one-time-code"),
    "cc-number": FieldHints(type="tel", autocomplete="billing cc-number"),
    "cc-csc": FieldHints(autocomplete="cc-csc"),
    "name otp": FieldHints(name="otp"),
    "id cvv": FieldHints(id="checkout_cvv"),
    "label": FieldHints(label="Password"),
    "label sentence": FieldHints(label="Enter the 6-digit code"),
    "label german": FieldHints(label="Ihr Passwort"),
    "label french": FieldHints(label="Mot de passe"),
    "label spanish": FieldHints(label="Contraseña"),
    "label portuguese": FieldHints(label="Sua senha"),
    "label chinese": FieldHints(label="请输入密码"),
    "label japanese": FieldHints(label="ログインパスワード"),
    "label pin": FieldHints(label="PIN"),
}


def _text(template: str, secret: str) -> Callable[[Redactor], str]:
    return lambda redactor: redactor.text(template.replace("§", secret))


def canaries() -> Iterator[Canary]:
    for kind, secret in TOKENS.items():
        yield Canary(f"shape: {kind}", secret, _text("Look: § here.", secret))
        yield Canary(f"shape in a path: {kind}", secret, _text("GET https://a.example/x/§?y=1", secret))
        yield Canary(f"shape after an escape: {kind}", secret, _text("GET https://a.example/?q=my%20§", secret))
    for kind, secret in CARDS.items():
        yield Canary(f"card: {kind}", secret, _text("Paid with § today", secret))
    for name in CERTAIN_NAMES:
        secret = "Zq7" + rand(ALNUM, 9)
        url = f"https://a.example/p?a=1&{quote(name)}={secret}&b=2"
        yield Canary(f"query: {name}", secret, lambda redactor, url=url: redactor.url(url))
        yield Canary(f"text: {name}", secret, _text(f"sent {name}=§ to it", secret))
        yield Canary(f"json text: {name}", secret, _text(f'log {{"{name}": "§", "b": 1}}', secret))
        body = json.dumps({"a": {name: secret}})
        yield Canary(f"json body: {name}", secret, lambda redactor, body=body: redactor.body(body))
    for name in HINT_NAMES:
        secret = rand(ALNUM, 32)
        yield Canary(f"hint: {name}", secret, _text(f"?a=1&{name}=§&b=2", secret))
        yield Canary(f"hint in json: {name}", secret, _text(f'{{"{name}":"§"}}', secret))
    for name in SECRET_HEADERS:
        secret = rand(ALNUM, 10)
        yield Canary(f"header: {name}", secret, lambda r, n=name, s=secret: r.header(n, f"a={s}; Path=/"))
    for kind, facts in FIELDS.items():
        yield Canary(f"field: {kind}", "739104", lambda redactor, facts=facts: redactor.field("739104", facts))
    yield from _places()


def _places() -> Iterator[Canary]:
    secret = "hunter2!Rabbit9"
    basic = base64.b64encode(f"ann:{secret}".encode()).decode()
    multipart = f'--xyz\r\nContent-Disposition: form-data; name="password"\r\n\r\n{secret}\r\n--xyz--\r\n'
    for template in (
        "https://ann:§@a.example/x",
        "postgres://ann:§@db.example:5432/x",
        "mongodb+srv://ann:§@c.example/",
        "redis://:§@cache.example:6379/0",
        "Server=a;User=b;Password=§;Timeout=3",
        "psql --password § --host a",
        "mytool --api-token=§ run",
        "export DB_PASSWORD='§'",
        "password: '§'",
        "'password' => '§'",
        'config.password = "§"',
        '{\\"password\\":\\"§\\"}',
        '{\\\\\\"password\\\\\\":\\\\\\"§\\\\\\"}',
        "{&quot;password&quot;:&quot;§&quot;}",
        "%7B%22password%22%3A%22§%22%7D",
        "next=%2Fa%3Fpassword%3D§%26b%3D1",
        "<password>§</password>",
        '<Password type="text">§</Password>',
        '<input type="password" name="p" value="§">',
        "<input value='§' autocomplete='current-password'>",
        "<input name=password value=§>",
        "Cookie: theme=dark; sid=§",
        "set-cookie: a=§; HttpOnly",
        'document.cookie = "a=§"',
        "Authorization: Bearer §",
        'curl -H "Authorization: Token §" a.example',
        "Authorization: Digest username=ann, response=§",
        "Password: §",
        "Your password is: password=§",
        "#access_token=§&x=1",
        "user[password]=§&user[name]=ann",
    ):
        yield Canary(f"place: {template}", secret, _text(template, secret))
    yield Canary("basic", basic, _text("Authorization: Basic §", basic))
    yield Canary("basic bare", basic, _text("sent Basic § there", basic))
    yield Canary("multipart", secret, lambda r: r.body(multipart, content_type="multipart/form-data; boundary=xyz"))
    form = f"user=ann&password={quote_plus(secret)}"
    yield Canary("form", quote_plus(secret), lambda r: r.body(form, content_type="application/x-www-form-urlencoded"))
    yield Canary("escaped name", secret, lambda r: r.url(f"https://a.example/?p%61ssword={secret}"))
    nested = quote(f"https://a.example/?token={secret}", safe="")
    yield Canary("url in url", secret, lambda r: r.url(f"https://b.example/?next={nested}"))
    yield Canary("fragment route", secret, lambda r: r.url(f"https://b.example/#/login?token={secret}"))
    pem_body = "\n".join(rand(ALNUM, 64) for _ in range(4))
    for kind in ("RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", ""):
        pem = f"-----BEGIN {kind}PRIVATE KEY-----\n{pem_body}\n-----END {kind}PRIVATE KEY-----"
        yield Canary(f"pem: {kind}", pem_body, _text("§ end", pem))
    yield Canary("pem, cut off", pem_body, _text("-----BEGIN PRIVATE KEY-----\n§", pem_body))
    yield Canary("pem in json", pem_body[:64], _text('{"pem":"-----BEGIN PRIVATE KEY-----\\n§\\n', pem_body[:64]))
    for sentence in (
        "Your verification code is §",
        "§ is your Example verification code",
        "Use security code: § to sign in",
        "Your one-time password is §.",
        "Your login code: §",
        "OTP: §",
        "Ihr Bestätigungscode lautet §",
        "Votre code est §",
        "您的验证码是§",
    ):
        yield Canary(f"code: {sentence}", "739104", _text(sentence, "739104"))
    for name, value in (("cvv", 7391), ("pin", 7391), ("card", 4111111111111111), ("otp", 739104)):
        numbers = json.dumps({name: value})
        yield Canary(f"number: {name}", str(value), lambda r, numbers=numbers: r.body(numbers))
    cookie = json.dumps([{"name": "theme", "value": secret, "domain": "a.example", "httpOnly": True}])
    yield Canary("cookie as data", secret, lambda r: r.body(cookie))
    header = json.dumps([{"name": "X-Api-Key", "value": secret}])
    yield Canary("header as data", secret, lambda r: r.body(header))
    yield Canary("list of passwords", secret, lambda r: r.body(json.dumps({"passwords": [secret]})))
    yield Canary("object of credentials", secret, lambda r: r.body(json.dumps({"credentials": {"a": {"b": secret}}})))
