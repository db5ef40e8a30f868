"""A URL that we accept leads the browser to the site that we parsed. ``make fuzz`` checks a million URLs."""

from __future__ import annotations

import pytest

from .fuzz_urls import fuzz


@pytest.mark.browser
async def test_an_accepted_url_leads_the_browser_to_the_parsed_site() -> None:
    findings = await fuzz(6_000, seed=1)
    assert findings.wrong == []
    assert findings.accepted > 1_000
    assert findings.covered > 300
