"""Responses to a client's first requests, kept on disk, so that they need not wait for a hub that still starts.

One file in the home for each client configuration: the adapter's options and the client's ``initialize``. It has what
the last hub of this version responded. Results of tool calls are never kept. The proxy decides when a kept response
may be used, and compares it with the hub's as soon as there is one.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import cast

from browser_pilot import __version__
from browser_pilot.home import write_private

from .jsonrpc import Request

MAX_FILES = 20
ResponseResult = dict[str, object]


class ResponseCache:
    """Empty until ``select`` has named the client."""

    def __init__(self, home: Path, options: Mapping[str, str | int | bool]) -> None:
        self._folder = home / "adapter-cache"
        self._options = dict(options)
        self._key = ""
        self._results: dict[str, ResponseResult] = {}

    def select(self, initialize: Request) -> None:
        """Use the responses of this client, which its ``initialize`` identifies."""
        params = cast("dict[str, object]", initialize.body.get("params") or {})
        self._key = json.dumps([__version__, self._options, {**params, "_meta": None}], sort_keys=True)
        self._results = self._read()

    def result(self, request: Request) -> ResponseResult | None:
        return self._results.get(request.method) if is_kept(request) else None

    def keep(self, method: str, result: ResponseResult) -> bool:
        """Keep the hub's response for the next start. Returns whether it is another one than before."""
        if not self._key or self._results.get(method) == result:
            return False
        self._results = {**self._results, method: result}
        # Without the file the next start is only slower.
        with suppress(OSError):
            write_private(self._path(), json.dumps({"key": self._key, "results": self._results}))
            self._remove_oldest()
        return True

    def _path(self) -> Path:
        return self._folder / f"{zlib.crc32(self._key.encode()):08x}.json"

    def _read(self) -> dict[str, ResponseResult]:
        try:
            content = cast("object", json.loads(self._path().read_text(encoding="utf-8")))
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(content, dict):
            return {}
        kept = cast("dict[str, object]", content)
        results = kept.get("results")
        if kept.get("key") != self._key or not isinstance(results, dict):
            return {}
        entries = cast("dict[str, object]", results).items()
        return {method: cast("ResponseResult", result) for method, result in entries if isinstance(result, dict)}

    def _remove_oldest(self) -> None:
        files = sorted(self._folder.glob("*.json"), key=lambda file: file.stat().st_mtime, reverse=True)
        for file in files[MAX_FILES:]:
            file.unlink(missing_ok=True)


def is_kept(request: Request) -> bool:
    """Whether responses to this request are kept: only those that do not depend on any state of the hub."""
    if request.method == "initialize":
        return True
    params = cast("dict[str, object]", request.body.get("params") or {})
    return request.method == "tools/list" and not (params.keys() - {"_meta"}) and not _is_stateless(params)


def _is_stateless(params: Mapping[str, object]) -> bool:
    """The stateless protocol revision has no ``tools/list_changed`` that could correct a list."""
    meta = params.get("_meta")
    return isinstance(meta, dict) and any("protocolVersion" in str(name) for name in cast("dict[str, object]", meta))
