"""Stores the paired browsers and their keys in one private file of the home."""

from __future__ import annotations

import re
import secrets
from pathlib import Path

from pydantic import BaseModel, TypeAdapter, ValidationError

from browser_pilot.errors import InvalidArgument, SettingsError
from browser_pilot.home import write_private

MAX_NAME_CHARS = 40


class PairedBrowser(BaseModel, frozen=True):
    """``key`` is a secret shared with this browser only."""

    id: str
    name: str
    key: str
    paired_at: float

    def __repr__(self) -> str:
        return f"PairedBrowser(id={self.id!r}, name={self.name!r})"


_FILE = TypeAdapter(list[PairedBrowser])


class PairedBrowserStore:
    """Reads the file once; writes it when a browser is added, removed or renamed."""

    def __init__(self, home: Path) -> None:
        self.path = home / "browsers.json"
        self._browsers = {browser.id: browser for browser in self._load()}

    def __iter__(self):
        return iter(list(self._browsers.values()))

    def get(self, browser_id: str) -> PairedBrowser | None:
        return self._browsers.get(browser_id)

    def named(self, name: str) -> PairedBrowser | None:
        """By name or by id."""
        wanted = name.casefold()
        return next((one for one in self if one.name.casefold() == wanted or one.id == name), None)

    def add(self, browser_id: str, agent: str, key: str, now: float) -> PairedBrowser:
        browser = PairedBrowser(id=browser_id, name=self._free_name(describe_user_agent(agent)), key=key, paired_at=now)
        self._browsers[browser.id] = browser
        self._save()
        return browser

    def rename(self, browser: PairedBrowser, name: str) -> PairedBrowser:
        wanted = " ".join(name.split())
        other = self.named(wanted)
        if not wanted or len(wanted) > MAX_NAME_CHARS:
            raise InvalidArgument(f"A name has 1 to {MAX_NAME_CHARS} characters.")
        if other is not None and other.id != browser.id:
            raise InvalidArgument(f"Another browser is called {other.name!r}.", suggestions=["Choose another name."])
        renamed = browser.model_copy(update={"name": wanted})
        self._browsers[browser.id] = renamed
        self._save()
        return renamed

    def forget(self, browser: PairedBrowser) -> None:
        self._browsers.pop(browser.id, None)
        self._save()

    def _free_name(self, name: str) -> str:
        number = 1
        while self.named(name if number == 1 else f"{name} {number}") is not None:
            number += 1
        return name if number == 1 else f"{name} {number}"

    def _load(self) -> list[PairedBrowser]:
        try:
            return _FILE.validate_json(self.path.read_bytes())
        except FileNotFoundError:
            return []
        except ValidationError:
            raise SettingsError(
                f"{self.path} is not a valid list of browsers.",
                suggestions=["Move it away and pair your browsers again with `browser-pilot pair`."],
            ) from None

    def _save(self) -> None:
        write_private(self.path, _FILE.dump_json(list(self._browsers.values()), indent=2).decode() + "\n")


def new_browser_id() -> str:
    return f"b{secrets.token_hex(8)}"


def describe_user_agent(agent: str) -> str:
    """``Chrome on Linux`` for a browser's user agent."""
    kind = "Edge" if "Edg/" in agent else "Chrome"
    systems = (("Windows", "Windows"), ("Macintosh", "macOS"), ("CrOS", "ChromeOS"), ("Linux", "Linux"))
    system = next((name for mark, name in systems if mark in agent), None)
    return f"{kind} on {system}" if system else kind


def chrome_version(agent: str) -> str:
    found = re.search(r"Chrome/([\d.]+)", agent)
    return found[1] if found else "0"
