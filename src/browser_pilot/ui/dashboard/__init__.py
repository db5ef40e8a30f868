"""The hub's web page in any browser of the user: agents, approval requests, the audit log, and pairing.

`browser-pilot dashboard` requests a login ticket from the hub (with the bearer token) and opens it as a private file,
which posts itself to the hub. ``routes`` exchanges the ticket for a login session (``login_sessions``: a cookie and a
key). These paths need no bearer token, but exact Host and Origin. The components are the files that the side panel uses
(``extension/lib``); ``static_files`` serves them.
"""
