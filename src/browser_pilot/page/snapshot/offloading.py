"""The token budget for the event loop: a long text is measured in a worker process."""

from __future__ import annotations

from browser_pilot.worker_processes import run_in_worker

from .token_budget import fitting_length

MAX_INLINE_CHARACTERS = 40_000
MEASURE_TIMEOUT_SECONDS = 20.0


async def fitting_length_of(text: str, max_tokens: int) -> int:
    """``fitting_length`` for the event loop."""
    if len(text) <= MAX_INLINE_CHARACTERS:
        return fitting_length(text, max_tokens)
    try:
        return await run_in_worker(fitting_length, text, max_tokens, timeout_seconds=MEASURE_TIMEOUT_SECONDS)
    except TimeoutError:
        return min(len(text), max_tokens)  # a character is at most a few tokens
