"""The benchmark: Browser Pilot, its peers and raw CDP on the same pages with the same Chromium, in one run.

Run it with ``python -m bench`` (``make bench``). Nothing here is shipped, and nothing here is a test of
correctness beyond what a fair measurement needs: an action that did not land is a failure, not a fast time.
"""
