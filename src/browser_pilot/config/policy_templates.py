"""Ready-made policies, as the settings they stand for. Data only.

``policy.template`` names one; what the user sets goes over it, key by key, and pattern by pattern for domains.
``balanced`` is what holds without a word: the defaults.
"""

from __future__ import annotations

from typing import Any, Final, Literal

TemplateName = Literal["strict", "read-only", "balanced", "developer", "research"]

_OWN_SERVERS = ("localhost", "*.localhost", "127.0.0.1", "[::1]")

TEMPLATES: Final[dict[str, dict[str, Any]]] = {
    # Only the sites that have a rule, and a question before everything that changes something.
    "strict": {
        "mode": "ask",
        "own_mode": "ask",
        "uncovered": "deny",
        "ask_from": {"own": "low", "managed": "low", "loopback": "low"},
        "step_budget": 200,
    },
    "read-only": {"mode": "readonly", "own_mode": "readonly"},
    "balanced": {},
    # Free on the user's own servers; elsewhere it reads, and asks before it writes.
    "developer": {
        "mode": "auto",
        "domains": {
            **{pattern: {"read": True, "write": True, "requires_approval": False} for pattern in _OWN_SERVERS},
            "*": {"read": True, "write": "ask"},
        },
    },
    # Reads and searches the web at a pace that sites do not mind, and asks before anything that matters.
    "research": {
        "mode": "auto",
        "ask_from": {"own": "low", "managed": "medium", "loopback": "never"},
        "domains": {"*": {"read": True, "write": True, "max_steps_per_hour": 300}},
    },
}
