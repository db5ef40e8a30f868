"""Policy templates: predefined policy settings. Data only.

``policy.template`` names one. The user's settings override it key by key, and pattern by pattern for domains.
``balanced`` is the default: it changes nothing.
"""

from __future__ import annotations

from typing import Any, Final, Literal

TemplateName = Literal["strict", "read-only", "balanced", "developer", "research"]

_LOCAL_SERVERS = ("localhost", "*.localhost", "127.0.0.1", "[::1]")

TEMPLATES: Final[dict[str, dict[str, Any]]] = {
    # Only sites that have a rule, and approval before every write.
    "strict": {
        "mode": "ask",
        "own_mode": "ask",
        "uncovered": "deny",
        "ask_from": {"own": "low", "managed": "low", "loopback": "low"},
        "step_budget": 200,
    },
    "read-only": {"mode": "readonly", "own_mode": "readonly"},
    "balanced": {},
    # No approvals on local servers; elsewhere reads are allowed and writes need approval.
    "developer": {
        "mode": "auto",
        "domains": {
            **{pattern: {"read": True, "write": True, "requires_approval": False} for pattern in _LOCAL_SERVERS},
            "*": {"read": True, "write": "ask"},
        },
    },
    # Reads and searches the web at a moderate rate; sensitive actions need approval.
    "research": {
        "mode": "auto",
        "ask_from": {"own": "low", "managed": "medium", "loopback": "never"},
        "domains": {"*": {"read": True, "write": True, "max_steps_per_hour": 300}},
    },
}
