"""All tools, one file per family; this is where the registry is put together."""

from __future__ import annotations

from ..registry import Registry
from . import acting, interact, looking, navigation, seeing

REGISTRY = Registry([*navigation.TOOLS, *looking.TOOLS, *seeing.TOOLS, *acting.TOOLS, *interact.TOOLS])
