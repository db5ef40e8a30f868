"""Where browsers come from: managed Chromium, the user's own Chrome, a CDP endpoint, a Selenium Grid."""
