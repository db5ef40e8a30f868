"""The hub's end of the extension: pairing, the extension's connection, and the CDP relay for Playwright.

``extension_endpoint`` authenticates the extension (``mutual_auth``); ``extension_connection`` carries calls and events
across any number of sockets. In the browser the offscreen document holds the socket, because the service worker may die
at any time; the worker executes the calls that ``chrome_api.js`` allows, for controlled tabs only. The side panel uses
the same connection (``ui_backend``): what arrives this way is a request of the user.
"""
