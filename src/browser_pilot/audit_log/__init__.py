"""The tamper-evident audit log: written before and after each action, read, verified, exported, backed up."""
