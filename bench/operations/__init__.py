"""All measured operations, in the order of the report."""

from __future__ import annotations

from . import actions, lifecycle, snapshots
from .base import Operation, Participant, RunContext

__all__ = ["OPERATIONS", "Operation", "Participant", "RunContext"]

OPERATIONS: tuple[Operation, ...] = (*lifecycle.OPERATIONS, *actions.OPERATIONS, *snapshots.OPERATIONS)
