"""Many random secrets of every kind, and known secrets in every encoding and place: none is shown."""

from __future__ import annotations

import json
import random
import string

from browser_pilot.json_types import Json
from browser_pilot.redaction.known_secrets import encodings_of
from browser_pilot.redaction.redactor import Redactor
from tests.attempts import count_attempts, rounds

from .canaries import canaries

CANARIES = 2_000
KNOWN_SECRETS = 40
PLACES = ("§", "a § b", "x=§&y=1", '{"a":"§"}', "<b>§</b>", "https://a.example/§/b?c=§", "Title: §\nnext", "[§, 1]")


def test_random_secrets_of_every_kind_are_hidden() -> None:
    tried = 0
    kinds: set[str] = set()
    redactor = Redactor()
    while tried < rounds(CANARIES):
        for canary in canaries():
            redacted = canary.redact(redactor)
            assert canary.secret not in redacted, canary.kind
            kinds.add(canary.kind)
            tried += 1
    assert len(kinds) >= 300
    count_attempts(tried)


def test_known_secrets_are_hidden_in_every_encoding_and_place() -> None:
    source = random.Random(16)
    alphabet = string.ascii_letters + string.digits + " !\"'$%&/\\()=?<>äß€😀"
    secrets = ["".join(source.choices(alphabet, k=source.randrange(8, 40))).strip() for _ in range(KNOWN_SECRETS)]
    redactor = Redactor()
    redactor.add_secrets(secrets)
    tried = 0
    for secret in secrets:
        for form in encodings_of(secret):
            for place in PLACES:
                text = place.replace("§", form)
                data: Json = {"rows": [{"name": text, "value": 1}], "result": json.dumps(text)}
                assert form not in redactor.text(text)
                assert form not in json.dumps(redactor.data(data), ensure_ascii=False)
                tried += 2
    count_attempts(tried)
