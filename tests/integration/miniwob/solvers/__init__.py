"""Which agent solves which task; one module per kind of task."""

from __future__ import annotations

from importlib import import_module

from .registry import SOLVERS

for _kind in ("choosing", "clicks", "dragging", "games", "searching", "messages", "pictures", "typing"):
    import_module(f"{__name__}.{_kind}")

__all__ = ["SOLVERS"]
