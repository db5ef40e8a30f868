"""Approval by elicitation: the form that an MCP client shows its user, and the channel that sends it.

In the handshake revision of MCP the hub sends ``elicitation/create`` while the call is open. In the stateless revision
the same form is part of the call's result (see ``pending_calls``).
"""

from __future__ import annotations

import logging

import mcp_types as types
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from browser_pilot.approvals.models import Choice, PendingApproval

logger = logging.getLogger(__name__)

CHANNEL_NAME = "MCP client"
FIELD = "answer"


def supports_forms(session: ServerSession) -> bool:
    capabilities = session.client_capabilities
    elicitation = capabilities.elicitation if capabilities is not None else None
    # In older revisions, which had no other mode, an empty capability meant forms.
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def approval_form(approval: PendingApproval) -> types.ElicitRequestFormParams:
    # The labels are the values: not every client shows the titles of an enum.
    schema = {
        "type": "object",
        "properties": {
            FIELD: {
                "type": "string",
                "title": "Your answer",
                "enum": [approval.request.label(choice) for choice in approval.request.choices],
            }
        },
        "required": [FIELD],
    }
    return types.ElicitRequestFormParams(message=approval_message(approval), requested_schema=schema)


def approval_message(approval: PendingApproval) -> str:
    request = approval.request
    lines = [f"{request.what} on {request.site}?" if request.about == "action" else f"{request.what}?"]
    lines.extend(f"  {number}. {step}" for number, step in enumerate(request.steps, 1))
    lines.extend(f"{name}: {value}" for name, value in request.values.items())
    if request.receiver:
        to = "ANOTHER SITE: " if request.receiver_is_other_site else ""
        lines.append(f"Sends a form to {to}{request.receiver}")
    if request.amount:
        lines.append(f"Amount: {request.amount}")
    lines.extend(f"  {name}: {value}" for name, value in request.form.items())
    if request.changes:
        lines.append(f"Changed since you agreed: {'; '.join(request.changes)}")
    lines.append(f"{request.risk.capitalize()} risk. {request.reason}")
    by = request.tool if request.run_step is None else f"{request.tool}, {request.run_step}"
    lines.append(f"Asked by {by}, because of {request.rule}.")
    if "always" in request.choices and request.labels is None:
        lines.append(f"“Always” can be undone with `{request.undo_always}`.")
    return "\n".join(lines)


def choice_of(result: types.ElicitResult, approval: PendingApproval) -> Choice:
    """The person's choice. A cancelled, declined or invalid form is a denial."""
    if result.action == "accept" and result.content is not None:
        given = result.content.get(FIELD)
        for choice in approval.request.choices:
            if approval.request.label(choice) == given:
                return choice
    return "deny"


class ElicitationChannel:
    """Sends the form on the connection of one call."""

    name = CHANNEL_NAME

    def __init__(self, session: ServerSession, request_id: types.RequestId | None) -> None:
        self._session = session
        self._request_id = request_id

    async def request_decision(self, approval: PendingApproval) -> Choice | None:
        form = approval_form(approval)
        try:
            result = await self._session.elicit_form(form.message, form.requested_schema, self._request_id)
        except (MCPError, ValidationError) as error:
            logger.warning("the client could not show an approval form: %s", error)
            return None
        return choice_of(result, approval)
