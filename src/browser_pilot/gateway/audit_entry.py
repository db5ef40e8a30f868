"""The audit entry of a call: who did what, where, on which targets, and what authorized it."""

from __future__ import annotations

from browser_pilot.approvals.authorizer import Authorization
from browser_pilot.audit_log.entries import AuditIntent
from browser_pilot.errors import Refused

from .action_preview import Inspection
from .context import Location
from .tool_call import ToolCall


def audit_entry(
    call: ToolCall, location: Location, inspection: Inspection, authorization: Authorization
) -> AuditIntent:
    """The entry of a call that was authorized."""
    return _entry(call, location, inspection, authorization, rule=authorization.decision.rule)


def refusal_entry(call: ToolCall, location: Location, inspection: Inspection | None, refused: Refused) -> AuditIntent:
    """The entry of a call that was not authorized; it may have been refused before anything was inspected."""
    rule = str(refused.metadata.get("rule", "")) or None
    return _entry(call, location, inspection, None, rule=rule)


def _entry(
    call: ToolCall,
    location: Location,
    inspection: Inspection | None,
    authorization: Authorization | None,
    *,
    rule: str | None,
) -> AuditIntent:
    tab = location.tab
    resource = None if inspection is None else inspection.downloadable
    site = location.site_of(call) if authorization is None else authorization.preview.request.target
    address = location.address.href if location.address else call.url
    fetched = "" if resource is None else resource.source
    return AuditIntent(
        client=call.client.name,
        tool=call.tool,
        arguments={} if inspection is None else inspection.shown,
        effect=call.effect,
        session=location.session.id,
        tab=tab.id if tab is not None else call.tab,
        url=address or fetched or (tab.page.url if tab is not None else None),
        site=None if site is None else str(site),
        decision="deny" if authorization is None else "ask" if authorization.approved else "allow",
        rule=rule,
        risk=None if authorization is None else authorization.decision.risk,
        approval=None if authorization is None else authorization.approval_id,
        grant="session" if authorization is not None and authorization.granted else "",
        targets=() if inspection is None else inspection.named_targets,
        what="" if inspection is None or resource is not None else inspection.preview.what,
        run=call.run,
    )
