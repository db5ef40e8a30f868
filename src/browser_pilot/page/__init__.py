"""One page of a browser: reads it and acts on it, through Playwright and CDP. Has no policy and no sessions."""
