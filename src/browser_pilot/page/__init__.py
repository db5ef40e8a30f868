"""One page of a browser: what an agent sees of it and does on it. Knows Playwright and CDP, not policy or sessions."""
