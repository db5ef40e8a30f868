"""What the policy says about reading the page that a tab shows now, apart from the action that was authorized.

An action can lead to a page that nobody decided about yet: nothing of it may be described.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from browser_pilot.approvals.authorizer import Authorizer, Requester
from browser_pilot.policy.hosts import page_site
from browser_pilot.sessions.session import Session

from .action_preview import plain_request
from .tool_call import ToolCall


@dataclass(frozen=True, slots=True)
class PageAccess:
    """For one call; decides by the rules as they are when it is asked."""

    authorizer: Authorizer
    call: ToolCall
    session: Session

    def requires_approval(self, url: str) -> bool:
        """Whether a person has to decide before the page at a URL may be described.

        False for a denied page too: the browser does not load it, and what it shows instead is the reason.
        """
        request = replace(plain_request(self.call, self.session, page_site(url), ""), effect="read")
        return self.authorizer.evaluate(requester_of(self.call, self.session), request).verdict == "ask"


def requester_of(call: ToolCall, session: Session) -> Requester:
    return Requester(
        client=call.client.id,
        client_name=call.client.name,
        session=session.id,
        tool=call.tool,
        run_step=call.run,
        timeout_seconds=call.client.settings.policy.approval_timeout_s,
        channels=call.channels,
    )
