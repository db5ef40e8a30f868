"""The localStorage and sessionStorage of the page in a tab: read, set, delete, clear."""

from __future__ import annotations

from typing import Any, Literal, cast

from browser_pilot.errors import InvalidArgument
from browser_pilot.page.tab import Tab

StorageKind = Literal["local", "session"]
StorageAction = Literal["get", "set", "delete", "clear"]


async def use_storage(
    tab: Tab, action: StorageAction, *, kind: StorageKind = "local", key: str | None = None, value: str | None = None
) -> dict[str, str]:
    """Read or change the storage of the tab's main frame; returns its items, or only ``key``."""
    if action in ("set", "delete") and key is None:
        raise InvalidArgument(f"`key` is missing: what to {action}?", suggestions=["Give a key."])
    if (action == "set") != (value is not None):
        raise InvalidArgument(
            "`value` goes with `set`, and `set` needs it.", suggestions=["Give action, key and value together."]
        )
    tab.dialogs.require_none()
    main = await tab.world.main_frame()
    reply = cast("dict[str, Any]", await tab.world.call(main, "accessStorage", kind, action, key, value))
    if "refused" in reply:
        raise InvalidArgument(
            f"This page has no such storage: {reply['refused']}", suggestions=["Open a page of the site first."]
        )
    return {str(name): str(item) for name, item in reply["items"]}
