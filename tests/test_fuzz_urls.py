"""No host is allowed that the browser would take elsewhere. ``make fuzz`` does the same a million times."""

from __future__ import annotations

import pytest

from .fuzz_urls import fuzz


@pytest.mark.browser
async def test_what_we_accept_leads_where_the_browser_goes() -> None:
    findings = await fuzz(6_000, seed=1)
    assert findings.wrong == []
    assert findings.accepted > 1_000
    assert findings.covered > 300
