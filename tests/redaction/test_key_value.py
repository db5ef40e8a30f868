"""Values next to a sensitive name: machine syntax, prose, command lines and HTML."""

from __future__ import annotations

import pytest

from browser_pilot.redaction.key_value import find_key_values
from browser_pilot.redaction.placeholders import replace_spans


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("password=hunter2&a=1", "password=[redacted:password]&a=1"),
        ('{"token": "abc", "a": 1}', '{"token": "[redacted:token]", "a": 1}'),
        ("'api_key' => 'x1'", "'api_key' => '[redacted:key]'"),
        ("secret%3Dabc%26a", "secret%3D[redacted:secret]%26a"),
        ("Password: hunter2!", "Password: [redacted:password]"),
        ("tool --password hunter2 -v", "tool --password [redacted:secret] -v"),
        ("<password>hunter2</password>", "<password>[redacted:password]</password>"),
        ('<input type="password" value="hunter2">', '<input type="password" value="[redacted:password]">'),
        ("key: a1b2c3d4e5f6a7b8", "key: [redacted:key]"),
    ],
)
def test_a_value_next_to_a_sensitive_name_is_found(text: str, redacted: str) -> None:
    assert replace_spans(text, list(find_key_values(text, text.lower()))) == redacted


@pytest.mark.parametrize(
    "text",
    [
        "Password: required",
        "password = os.environ['DB_PASSWORD']",
        "token=<your token> password=${PASSWORD}",
        "key: Enter",
        "token_count=17",
        "tool --password $PASSWORD",
    ],
)
def test_labels_code_and_variables_are_kept(text: str) -> None:
    assert replace_spans(text, list(find_key_values(text, text.lower()))) == text
