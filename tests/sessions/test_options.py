"""Options of a new session."""

from __future__ import annotations

import pytest

from browser_pilot.config.settings import Settings
from browser_pilot.errors import InvalidArgument
from browser_pilot.policy.patterns import parse_pattern
from browser_pilot.sessions.options import SessionOptions, context_request_with_options

DOMAINS = (parse_pattern("example.com"),)


@pytest.mark.parametrize(("setting", "argument"), [("managed", "own"), ("own", None)])
def test_allowed_domains_are_refused_in_the_users_own_browser(setting: str, argument: str | None) -> None:
    settings = Settings.model_validate({"browser": {"engine": setting}})
    options = SessionOptions(engine="own" if argument else None, domains=DOMAINS)
    with pytest.raises(InvalidArgument, match="allowed_domains"):
        context_request_with_options(settings, options, label="")


def test_allowed_domains_apply_in_a_managed_browser() -> None:
    options = SessionOptions(engine="managed", domains=DOMAINS)
    assert context_request_with_options(Settings(), options, label="").domains == DOMAINS
