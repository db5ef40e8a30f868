"""Approval requests for tests that need no page."""

from __future__ import annotations

from browser_pilot.approvals.models import ApprovalRequest, ApprovalSubject
from browser_pilot.approvals.persistent_rules import block_site
from browser_pilot.policy.hosts import Site
from browser_pilot.policy.patterns import Pattern
from browser_pilot.policy.rules import Rule
from browser_pilot.policy.types import Risk

SHOP = Site("https", "shop.example", 443)
ALWAYS = Rule(pattern=Pattern("shop.example"), write="allow", source="test")


def approval_request(
    *,
    about: ApprovalSubject = "action",
    session: str = "s1",
    site: Site = SHOP,
    binding: str = "b1",
    risk: Risk = "medium",
) -> ApprovalRequest:
    return ApprovalRequest(
        client="stdio-1",
        client_name="Agent",
        session=session,
        tool="browser_click",
        effect="write",
        what="Click button “Pay now”",
        site=str(site),
        about=about,
        risk=risk,
        reason="It may pay for something.",
        rule="policy.mode",
        binding=binding,
        scope="pay-button",
        always_rule=ALWAYS if site.host else None,
        block_rule=block_site(site),
    )
