"""The maintenance jobs of a hub, in the order in which they run."""

from __future__ import annotations

import asyncio
import logging
from functools import partial

from browser_pilot.audit_log.log_settings import enforce_retention
from browser_pilot.egress import EgressProxy
from browser_pilot.files.cleanup import remove_old_files

from .maintenance import Job, idle_seconds
from .wiring import Core, McpParts

logger = logging.getLogger(__name__)

RETENTION_INTERVAL_SECONDS = 3600.0


def maintenance_jobs(core: Core, mcp: McpParts) -> list[Job]:
    config = core.config

    async def forget_idle_limits() -> None:
        mcp.limits.prune()

    async def close_unused_browsers() -> None:
        await core.browsers.managed.engine.close_idle(idle_seconds(config))

    async def expire_clients() -> None:
        await mcp.clients.expire(config.settings.sessions.idle_minutes * 60)

    async def apply_log_retention() -> None:
        await enforce_retention(core.home, config.settings.logging, core.records.log)

    async def delete_old_files() -> None:
        await asyncio.to_thread(remove_old_files, core.home, config.settings.files)

    return [
        Job("restart the egress proxy", partial(_restart_egress, core.browsers.managed.egress)),
        Job("forget idle rate limits", forget_idle_limits),
        Job("close idle sessions", core.hosting.sessions.close_idle),
        Job("close unused browsers", close_unused_browsers),
        Job("expire silent HTTP clients", expire_clients),
        Job("reload the installed guests", mcp.refresh_guests),
        Job("stop idle guests", mcp.guests.stop_idle),
        Job("apply the audit log's retention", apply_log_retention, RETENTION_INTERVAL_SECONDS),
        Job("remove old files", delete_old_files, RETENTION_INTERVAL_SECONDS),
    ]


async def _restart_egress(proxy: EgressProxy) -> None:
    """Restart a proxy that has ended: without it browsers have no network."""
    try:
        if await proxy.ensure_listening():
            logger.warning("the egress proxy had stopped and was restarted")
    except OSError as error:
        logger.error("the egress proxy cannot listen at port %d: %s", proxy.port, error.strerror)
