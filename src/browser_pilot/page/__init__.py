"""One page of a browser: what an agent sees of it and does on it. Knows Playwright and CDP, not policy or sessions.

A page operation is written once for every kind of browser: nothing here imports an engine or the extension bridge.

snapshot   snapshots as rows, diffs between them, content, screenshots
actions    resolve a target, check it, send input, wait for the effects
observe    console, network, cookies, storage, traces, hung pages
downloads  save files from pages
injected   ES modules for our isolated world in each frame, joined by ``injected_script``
"""
