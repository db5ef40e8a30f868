"""Agents' tabs live in a group with their client's name and a colour."""

from __future__ import annotations

import logging

from ..errors import PilotError
from .cdp_client import CdpClient
from .link import BrowserLink, ChromeRefused

logger = logging.getLogger(__name__)

COLOURS = ("blue", "purple", "cyan", "green", "orange", "pink")


class TabGroups:
    def __init__(self, link: BrowserLink) -> None:
        self._link = link

    async def put(self, tab_id: int, client: CdpClient, number: int) -> None:
        """Put a tab into its client's group; one that the user dissolved is made anew, in the colour of the number."""
        try:
            if client.group is not None:
                try:
                    await self._link.call("tabs.group", {"tabIds": [tab_id], "groupId": client.group})
                    return
                except ChromeRefused:
                    client.group = None
            client.group = int(await self._link.call("tabs.group", {"tabIds": [tab_id]}))
            look = {"title": client.label, "color": COLOURS[number % len(COLOURS)]}
            await self._link.call("tabGroups.update", client.group, look)
        except PilotError as error:
            logger.info("a tab could not be put into its group: %s", error.message)
