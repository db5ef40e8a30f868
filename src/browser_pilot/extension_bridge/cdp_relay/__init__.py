"""The relay: speaks CDP to Playwright on one side and `chrome.debugger`, through the extension, on the other.

Each session has its own Playwright connection (``cdp_endpoint``, ``cdp_client``), which shows only its own tabs.
``relay`` passes commands and events in order. ``debugger_sessions`` holds commands while the debugger is detached:
from an idle tab, or because Chrome detached it for its PDF viewer. After reattaching, ``frame_state`` synthesizes the
events that Playwright missed, ``detach_recovery`` answers interrupted commands, and ``remote_object_ids`` knows which
object ids are void.
"""
