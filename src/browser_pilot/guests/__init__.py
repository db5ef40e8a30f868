"""Guests: third-party MCP servers in a sandbox. The host serves their requests for the user's browser.

``manager`` knows the installed guests (``installed``) and starts each in its own process (``process``,
``running_guest``). ``child`` runs there: it loads a compiled module (``compiled_modules``), drops its privileges
(``rlimits``, ``seccomp``), and runs a WASI module or QuickJS in wasmtime, without files. A host request arrives as a
message (``host.host_requests``). The hub attaches the context of the call that it belongs to, checks permissions
(``host.permissions``), and then fetches under the egress rules (``host.fetch``) or uses the browser through the gateway
(``gateway.guest_browser``). ``mcp_server.guest_tools`` lists the guests' tools next to our own.
"""
