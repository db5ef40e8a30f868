"""Decisions about what an agent may do: pure functions over frozen values.

No I/O, no clock, no asyncio: callers pass ``now`` in and act on what comes out. The public suffix list and the tables
of words are data that ship with the program. Approvals, records and the network live elsewhere.
"""
