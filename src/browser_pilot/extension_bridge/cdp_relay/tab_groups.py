"""Puts each client's tabs into a tab group with the client's name and a colour."""

from __future__ import annotations

import logging

from browser_pilot.errors import PilotError
from browser_pilot.extension_bridge.extension_connection import ChromeRefused, ExtensionConnection

from .cdp_client import CdpClient

logger = logging.getLogger(__name__)

COLOURS = ("blue", "purple", "cyan", "green", "orange", "pink")


class TabGroups:
    def __init__(self, connection: ExtensionConnection) -> None:
        self._connection = connection

    async def add_tab(self, tab_id: int, client: CdpClient, number: int) -> None:
        """Add a tab to its client's group; creates it, also after the user removed it. ``number`` picks the colour."""
        try:
            if client.group_id is not None:
                try:
                    await self._connection.call("tabs.group", {"tabIds": [tab_id], "groupId": client.group_id})
                    return
                except ChromeRefused:
                    client.group_id = None
            client.group_id = int(await self._connection.call("tabs.group", {"tabIds": [tab_id]}))
            options = {"title": client.label, "color": COLOURS[number % len(COLOURS)]}
            await self._connection.call("tabGroups.update", client.group_id, options)
        except PilotError as error:
            logger.info("could not add a tab to its group: %s", error.message)
