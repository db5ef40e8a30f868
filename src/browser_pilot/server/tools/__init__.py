"""All tools, one file per family; this is where the registry is put together."""

from __future__ import annotations

from ..registry import Registry
from . import acting, interact, navigation, seeing

REGISTRY = Registry([*navigation.TOOLS, *seeing.TOOLS, *acting.TOOLS, *interact.TOOLS])
