"""Policy decisions about what an agent may do: pure functions over frozen values.

No I/O, no clock, no asyncio: callers pass ``now`` and act on the result. The public suffix list and the keyword tables
are data that ship with the program. Approvals, the audit log and the network are in other packages.
"""
