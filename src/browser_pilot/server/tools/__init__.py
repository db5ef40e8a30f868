"""All tools, one file per family; this is where the registry is put together."""

from __future__ import annotations

from ..registry import Registry
from . import acting, handling, interact, logs, looking, navigation, reading, scripting, seeing, waiting

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
        *scripting.TOOLS,
        *interact.TOOLS,
    ]
)
