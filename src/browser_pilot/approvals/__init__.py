"""Approvals: requests that only a person can decide, the queue they wait in, and what a decision is valid for.

Nothing here depends on pages, sessions or MCP. Upper layers provide the approval channels (elicitation, the command
line, the side panel, the dashboard); no tool call is one of them.
"""
