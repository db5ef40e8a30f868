"""The audit log and everything that writes to it or filters what is written: redactor, secrets, budgets, metrics.

Created before all other parts of the hub. ``start`` opens the log, ``close`` writes what is pending.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from browser_pilot import __version__
from browser_pilot.audit_log.audit_log import AuditLog
from browser_pilot.audit_log.entries import AuditNote
from browser_pilot.audit_log.log_settings import apply_logging_settings, retention_of
from browser_pilot.config.live_reload import RuleChange
from browser_pilot.config.settings import Settings
from browser_pilot.gateway.audit import AuditTrail
from browser_pilot.gateway.downloads import saved_summary
from browser_pilot.metrics.prometheus import Metrics
from browser_pilot.page.downloads.transfers import Transfer
from browser_pilot.policy.budgets import Budgets
from browser_pilot.redaction.logging_filter import redact_handlers
from browser_pilot.redaction.redactor import Redactor
from browser_pilot.secrets.secret_store import SecretStore
from browser_pilot.sessions.client import Client

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Records:
    redactor: Redactor
    log: AuditLog
    secrets: SecretStore
    budgets: Budgets
    metrics: Metrics
    audit: AuditTrail

    async def start(self) -> None:
        redact_handlers(logging.getLogger(), self.redactor)
        problem = await self.log.start()
        if problem is not None:
            logger.error("agents cannot act until the audit log can be written: %s", problem.message)
        await self.audit.restore()
        self.audit.note(AuditNote(f"Browser Pilot {__version__} started."))

    def apply_settings(self, settings: Settings) -> None:
        self.redactor.set_options(emails=settings.redaction.email, phones=settings.redaction.phone)
        apply_logging_settings(settings.logging, self.log)

    def note_rule_change(self, change: RuleChange) -> None:
        logger.info("the user changed the rule for %s: %s", change.pattern, change.after or "none")
        details = {"before": str(change.before or "none"), "after": str(change.after or "none")}
        self.audit.note(AuditNote(f"The rule for {change.pattern} was changed.", by="user", details=details))

    def note_download(self, client: Client, transfer: Transfer) -> None:
        outcome = saved_summary(transfer.saved) if transfer.saved else f"{transfer.state}: {transfer.error}"
        text = f"Download {transfer.id} of {client.name}: {outcome}"
        self.audit.note(AuditNote(text, details={"source": transfer.source}))

    async def close(self) -> None:
        await self.audit.flush()
        await self.log.close()


def create_records(home: Path, settings: Settings) -> Records:
    redactor = Redactor(emails=settings.redaction.email, phones=settings.redaction.phone)
    log = AuditLog(home, redactor, retention=retention_of(settings.logging))
    budgets, metrics = Budgets(), Metrics()
    return Records(
        redactor=redactor,
        log=log,
        secrets=SecretStore(home, redactor),
        budgets=budgets,
        metrics=metrics,
        audit=AuditTrail(log, budgets, metrics),
    )
