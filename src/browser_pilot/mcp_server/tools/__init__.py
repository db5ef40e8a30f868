"""All tools, one file per family; this is where the registry is put together."""

from __future__ import annotations

from ..registry import Registry
from . import (
    acting,
    downloading,
    handling,
    interact,
    logs,
    looking,
    navigation,
    pointed,
    reading,
    scripting,
    seeing,
    sessions,
    tracing,
    waiting,
)

REGISTRY = Registry(
    [
        *navigation.TOOLS,
        *looking.TOOLS,
        *acting.TOOLS,
        *handling.TOOLS,
        *waiting.TOOLS,
        *reading.TOOLS,
        *seeing.TOOLS,
        *logs.TOOLS,
        *downloading.TOOLS,
        *scripting.TOOLS,
        *pointed.TOOLS,
        *sessions.TOOLS,
        *tracing.TOOLS,
        *interact.TOOLS,
    ]
)
