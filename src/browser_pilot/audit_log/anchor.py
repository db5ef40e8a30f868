"""The head of the audit log in a file of its own, with an HMAC, so that rows removed at the end are noticed.

One line of fixed length beside the database: log id, number and hash of the last row, and an HMAC with the key in
another file. Both files are private to the owner. The line is written after each commit without fsync: after a kill it
may be a few rows behind the database, never ahead.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path

from browser_pilot.home import PRIVATE_FILE, make_private_folder, write_private

from .hash_chain import ChainHead

KEY_BYTES = 32
MAX_READS = 5


class AnchorBroken(Exception):
    """The anchor does not match its key or the log; the text says how."""


class Anchor:
    def __init__(self, path: Path, key_path: Path) -> None:
        self._path = path
        self._key_path = key_path
        self._key: bytes | None = None
        self._descriptor: int | None = None

    def read(self, log_id: str) -> ChainHead | None:
        """The head that was written last; None when there is none."""
        for _ in range(MAX_READS):
            try:
                fields = self._path.read_text(encoding="ascii", errors="replace").split()
            except FileNotFoundError:
                return None
            if not fields:
                return None
            # The line may be in the middle of a write: read again.
            if len(fields) == 5 and hmac.compare_digest(fields[4].encode(), self._hmac(*fields[:4]).encode()):
                if fields[1] != log_id:
                    raise AnchorBroken(f"{self._path.name} belongs to another log")
                return ChainHead(int(fields[2]), bytes.fromhex(fields[3]))
        raise AnchorBroken(f"{self._path.name} was changed, or its key was")

    def write(self, log_id: str, head: ChainHead) -> None:
        fields = ("v1", log_id, f"{head.seq:020d}", head.hash.hex())
        line = " ".join((*fields, self._hmac(*fields))) + "\n"
        if self._descriptor is None:
            make_private_folder(self._path.parent)
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), PRIVATE_FILE)
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.write(self._descriptor, line.encode("ascii"))

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def delete(self) -> None:
        """Remove the anchor and its key, for a new log."""
        self.close()
        self._key = None
        for path in (self._path, self._key_path):
            path.unlink(missing_ok=True)

    def _hmac(self, *fields: str) -> str:
        if self._key is None:
            self._key = self._load_key()
        return hmac.new(self._key, " ".join(fields).encode("utf-8", "replace"), hashlib.sha256).hexdigest()

    def _load_key(self) -> bytes:
        make_private_folder(self._key_path.parent)
        if not self._key_path.exists():
            draft = self._key_path.with_name(f".{self._key_path.name}.{os.getpid()}")
            write_private(draft, secrets.token_hex(KEY_BYTES))
            # The first process wins; the file appears complete or not at all.
            with suppress(FileExistsError):
                os.link(draft, self._key_path)
            draft.unlink()
        return self._key_path.read_bytes()
