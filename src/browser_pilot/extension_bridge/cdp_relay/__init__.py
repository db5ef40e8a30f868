"""The relay: speaks CDP to Playwright on one side and `chrome.debugger`, through the extension, on the other."""
