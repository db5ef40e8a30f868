"""Regular expressions of clients, on texts of pages: run in a worker process, with a deadline.

Either side can make a search endless, and Python's ``re`` cannot be interrupted. Regular expressions in selectors run
in the page (``injected/actions/selector_engine.js``), see ``actions.selectors``.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Sequence

from browser_pilot.errors import InvalidArgument, Timeout
from browser_pilot.worker_processes import run_in_worker

REGEX_TIMEOUT_SECONDS = 5.0
MAX_INLINE_GLOB_WORK = 200_000


async def search_texts(pattern: str, texts: Sequence[str], *, ignore_case: bool = False) -> set[int]:
    """The indices of the texts that the expression matches. Raises ``InvalidArgument`` and ``Timeout``."""
    flags = re.IGNORECASE if ignore_case else re.NOFLAG
    return await _bounded(_search, pattern, flags, list(texts))


async def matches_glob(patterns: Sequence[str], text: str) -> bool:
    """Whether one of the patterns, in which ``*`` matches anything, matches the whole text. Raises ``Timeout``."""
    if sum(map(len, patterns)) * len(text) <= MAX_INLINE_GLOB_WORK:
        return bool(_glob(list(patterns), text))  # without backtracking: the work is at most the product
    return bool(await _bounded(_glob, list(patterns), text))


async def _bounded(function: Callable[..., set[int]], *arguments: object) -> set[int]:
    try:
        return await run_in_worker(function, *arguments, timeout_seconds=REGEX_TIMEOUT_SECONDS)
    except TimeoutError:
        raise regex_timeout() from None


def regex_timeout() -> Timeout:
    return Timeout(
        "The regular expression takes too long on this page, so the search was ended.",
        suggestions=["Use a simpler expression, without repeats inside of repeats, or plain text."],
    )


def _search(pattern: str, flags: re.RegexFlag, texts: list[str]) -> set[int]:
    try:
        compiled = re.compile(pattern, flags)
    except (re.error, RecursionError, OverflowError) as error:
        raise InvalidArgument(
            f"Invalid regular expression: {error}.", suggestions=["Use plain text instead."]
        ) from None
    return {index for index, text in enumerate(texts) if compiled.search(text)}


def _glob(patterns: list[str], text: str) -> set[int]:
    return {index for index, pattern in enumerate(patterns) if fnmatch.fnmatchcase(text, pattern)}
