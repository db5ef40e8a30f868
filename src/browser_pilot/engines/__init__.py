"""Where browsers come from: managed Chromium, the user's own Chrome, a CDP endpoint, a Selenium Grid.

``router`` chooses the engine of a session. ``managed`` puts up to ``sessions.per_browser`` sessions into one browser
(``browser_process``) and keeps a warm context. ``remote`` connects to a CDP endpoint or a Grid (``webdriver``).
``user_chrome`` connects to the CDP relay of the extension bridge. ``proxy_session`` and ``url_leak_guard`` restrict
what a context sends: the proxy sees hosts; URLs with a typed secret are visible only in the browser.
"""
