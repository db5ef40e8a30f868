"""Browser sessions of clients: tabs, storage, limits, crash recovery.

``registry`` knows which client owns which session. A client's tabs are numbered across all of its sessions, so a tab id
also names a session. ``slots`` limits how many are open and queues the rest, ``memory_limiter`` puts the largest idle
session to sleep. When a browser dies, ``crash_recovery`` opens another on the next use, with the storage of the last
checkpoint (``storage_checkpoints``) and the tabs under their ids; ``reload_notices`` remembers which clients must be
notified. ``hang_watchdog`` ends pages that hang. ``redis_backend`` shares limits and profiles between hubs.
"""
