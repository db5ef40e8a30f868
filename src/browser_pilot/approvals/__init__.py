"""Approvals: questions that only a person can answer, the queue they wait in, and what an answer is good for.

Nothing here knows pages, sessions or MCP. Doors (a client's form, the command line, a panel) come from above; no tool
call is one of them.
"""
