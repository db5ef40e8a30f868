"""Browser sessions of clients: tabs, storage, limits, crash recovery."""
