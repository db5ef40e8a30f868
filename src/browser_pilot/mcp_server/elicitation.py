"""The form that an MCP client shows its user: a question in words, and an answer out of a few.

In the handshake era the hub asks over the back channel while the call waits; in the stateless era the same form travels
in the answer to the call (see ``parking``).
"""

from __future__ import annotations

import logging

import mcp_types as types
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from browser_pilot.approvals.models import Choice, PendingApproval

logger = logging.getLogger(__name__)

DOOR = "MCP client"
FIELD = "answer"


def can_show_forms(session: ServerSession) -> bool:
    capabilities = session.client_capabilities
    elicitation = capabilities.elicitation if capabilities is not None else None
    # Before there were two kinds, a bare declaration meant forms.
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def form_for(question: PendingApproval) -> types.ElicitRequestFormParams:
    # The words themselves are the values: not every client shows titles of choices.
    schema = {
        "type": "object",
        "properties": {
            FIELD: {
                "type": "string",
                "title": "Your answer",
                "enum": [question.request.label(choice) for choice in question.request.choices],
            }
        },
        "required": [FIELD],
    }
    return types.ElicitRequestFormParams(message=in_words(question), requested_schema=schema)


def in_words(question: PendingApproval) -> str:
    matter = question.request
    lines = [f"{matter.what} on {matter.site}?" if matter.about == "action" else f"{matter.what}?"]
    lines.extend(f"  {number}. {step}" for number, step in enumerate(matter.steps, 1))
    lines.extend(f"{name}: {value}" for name, value in matter.values.items())
    lines.append(f"{matter.risk.capitalize()} risk. {matter.reason}")
    lines.append(f"Asked because of {matter.rule}.")
    return "\n".join(lines)


def choice_of(result: types.ElicitResult, question: PendingApproval) -> Choice:
    """What the person chose; to close or decline the form, or to send anything else, is a no."""
    if result.action == "accept" and result.content is not None:
        given = result.content.get(FIELD)
        for choice in question.request.choices:
            if question.request.label(choice) == given:
                return choice
    return "deny"


class ElicitationChannel:
    """Asks over the back channel of one call."""

    name = DOOR

    def __init__(self, session: ServerSession, request_id: types.RequestId | None) -> None:
        self._session = session
        self._request_id = request_id

    async def request_decision(self, approval: PendingApproval) -> Choice | None:
        form = form_for(approval)
        try:
            result = await self._session.elicit_form(form.message, form.requested_schema, self._request_id)
        except (MCPError, ValidationError) as error:
            logger.warning("the client could not show a question: %s", error)
            return None
        return choice_of(result, approval)
