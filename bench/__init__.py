"""Benchmark: measures Browser Pilot, its peers and raw CDP on the same pages with the same Chromium in one run.

Run it with ``python -m bench`` (``make bench``). The package does not ship it. It is not a correctness
test, except for what a fair measurement needs: an action without its effect is a failure, not a fast time.
"""
