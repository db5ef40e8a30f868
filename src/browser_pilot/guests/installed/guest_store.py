"""Installed guests: copies in the home, each with the digest that the user approved.

``guests/NAME/`` holds the manifest, the code and ``state.json``. A guest whose files have changed is not run until the
user approves it again. The command line writes, the hub reads and compares ``stamp`` to notice changes.
"""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from browser_pilot.errors import InvalidArgument, PilotError
from browser_pilot.home import make_private_folder, write_private

from .manifest import GUEST_NAME, GuestTool, Manifest, parse_manifest, parse_tools
from .packages import Package, digest_of

_STATE, _MANIFEST, _CODE = "state.json", "manifest.json", "code"


class _State(BaseModel):
    model_config = ConfigDict(extra="ignore")

    digest: str
    enabled: bool = True
    source: str = ""
    added_at: float = 0.0
    tools: list[dict[str, Any]] = []


@dataclass(frozen=True, slots=True)
class InstalledGuest:
    """``problem`` is the reason why it cannot run, None if it can."""

    name: str
    manifest: Manifest
    digest: str
    enabled: bool
    source: str
    added_at: float
    tools: tuple[GuestTool, ...]
    folder: Path
    problem: str | None = None

    @property
    def identity(self) -> str:
        """What secrets and grants are bound to: the name and the digest of manifest (with the author) and code."""
        return identity_of(self.name, self.digest)

    def read_code(self) -> bytes:
        """The code. Raises ``InvalidArgument`` if it is not the approved one."""
        code = (self.folder / _CODE).read_bytes()
        if digest_of((self.folder / _MANIFEST).read_bytes(), code) != self.digest:
            raise InvalidArgument(_CHANGED.format(self.name))
        return code


_CHANGED = "The files of the guest {} have changed since you approved it. Add it again to use it."


def identity_of(name: str, digest: str) -> str:
    return f"{name}#{digest}"


class GuestStore:
    def __init__(self, home: Path) -> None:
        self.folder = home / "guests"

    @property
    def cache_folder(self) -> Path:
        return self.folder / ".compiled"

    def log_path(self, name: str) -> Path:
        return self.folder / ".logs" / f"{name}.log"

    def stamp(self) -> tuple[tuple[str, int], ...]:
        """Changes whenever a guest is added, changed or removed."""
        return tuple(
            sorted((path.parent.name, path.stat().st_mtime_ns) for path in self.folder.glob(f"[!.]*/{_STATE}"))
        )

    def names(self) -> list[str]:
        return [name for name, _ in self.stamp()]

    def all(self) -> list[InstalledGuest]:
        return [self.load(name) for name in self.names()]

    def require(self, name: str) -> None:
        """Raises ``InvalidArgument`` if no guest of this name is installed."""
        if name not in self.names():
            known = ", ".join(self.names()) or "none"
            raise InvalidArgument(f"There is no guest {name!r}.", suggestions=[f"Guests: {known}."])

    def find(self, name: str) -> InstalledGuest:
        self.require(name)
        return self.load(name)

    def sizes(self, name: str) -> tuple[int, int]:
        """The bytes of what must be parsed (manifest and state), and of the code. Raises ``OSError``."""
        folder = self.folder / name
        return sum((folder / file).stat().st_size for file in (_STATE, _MANIFEST)), (folder / _CODE).stat().st_size

    def load(self, name: str) -> InstalledGuest:
        folder = self.folder / name
        try:
            state = _State.model_validate_json((folder / _STATE).read_bytes())
            data = (folder / _MANIFEST).read_bytes()
            manifest = parse_manifest(data)
            changed = digest_of(data, (folder / _CODE).read_bytes()) != state.digest
            tools = parse_tools([_listed(tool) for tool in state.tools])
        except (OSError, ValidationError, PilotError) as error:
            raise InvalidArgument(
                f"The guest {name} is damaged: {error}.", suggestions=[f"`browser-pilot guest remove {name}`"]
            ) from None
        return InstalledGuest(
            name=name,
            manifest=manifest,
            digest=state.digest,
            enabled=state.enabled,
            source=state.source,
            added_at=state.added_at,
            tools=tools,
            folder=folder,
            problem=_CHANGED.format(name) if changed else None,
        )

    def install(self, package: Package, tools: tuple[GuestTool, ...], *, source: str) -> InstalledGuest:
        """Install a guest that the user approved; replaces one of the same name."""
        name = package.manifest.name
        if not GUEST_NAME.fullmatch(name):
            raise InvalidArgument(f"{name!r} is not a valid name for a guest.")
        folder = make_private_folder(self.folder / name)
        (folder / _CODE).write_bytes(package.code)
        (folder / _MANIFEST).write_bytes(package.manifest_bytes)
        state = _State(
            digest=package.digest, source=source, added_at=time.time(), tools=[asdict(tool) for tool in tools]
        )
        write_private(folder / _STATE, state.model_dump_json(indent=1))
        return self.load(name)

    def set_enabled(self, name: str, enabled: bool) -> InstalledGuest:
        found = self.find(name)
        path = found.folder / _STATE
        state = json.loads(path.read_bytes())
        write_private(path, json.dumps({**state, "enabled": enabled}, indent=1))
        return replace(found, enabled=enabled)

    def remove(self, name: str) -> None:
        self.require(name)
        shutil.rmtree(self.folder / name)
        self.log_path(name).unlink(missing_ok=True)


def _listed(tool: dict[str, Any]) -> dict[str, Any]:
    return {**tool, "inputSchema": tool.get("schema", {}), "annotations": tool.get("hints", {})}
