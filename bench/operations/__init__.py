"""All that is measured, in the order of the report."""

from __future__ import annotations

from . import acting, living, seeing
from .contest import Contestant, Ground, Operation

__all__ = ["OPERATIONS", "Contestant", "Ground", "Operation"]

OPERATIONS: tuple[Operation, ...] = (*living.OPERATIONS, *acting.OPERATIONS, *seeing.OPERATIONS)
