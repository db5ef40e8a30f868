"""Secrets that the user gave to guests: in the user's secret store, each bound to its guest and to no domain.

A guest is named by its identity (``InstalledGuest.identity``): another guest of the same name, or the same one with
other content, gets none of them until the user keeps them for it (``rebind``).
"""

from __future__ import annotations

from browser_pilot.secrets.secret_store import SecretStore


class GuestSecrets:
    def __init__(self, store: SecretStore) -> None:
        self._store = store

    def value(self, guest: str, name: str) -> str | None:
        """For the guest's environment; None when the user has not set it."""
        stored, owner = _stored_name(guest, name), _owner(guest)
        if owner not in self._store.names().get(stored, ()):
            return None
        return self._store.expand(f"{{{{secret:{stored}}}}}", host=owner, matches=str.__eq__)

    def set(self, guest: str, name: str, value: str) -> None:
        self._store.set(_stored_name(guest, name), value, domains=[_owner(guest)])

    def names(self, guest: str) -> set[str]:
        """The names of the secrets that are set for this guest."""
        return {name for name, owner in self._all(guest).items() if owner == _owner(guest)}

    def of_others(self, guest: str) -> set[str]:
        """The names of those that are bound to an earlier guest of the same name."""
        return {name for name, owner in self._all(guest).items() if owner != _owner(guest)}

    def rebind(self, guest: str) -> None:
        """The user keeps the secrets of earlier guests of this name for this one."""
        for name in self.of_others(guest):
            stored, owner = _stored_name(guest, name), self._all(guest)[name]
            self.set(guest, name, self._store.expand(f"{{{{secret:{stored}}}}}", host=owner, matches=str.__eq__))

    def remove_others(self, guest: str) -> None:
        for name in self.of_others(guest):
            self._store.remove(_stored_name(guest, name))

    def remove_all(self, guest: str) -> None:
        """Remove all secrets of this guest and of earlier ones of the same name."""
        for name in self._all(guest):
            self._store.remove(_stored_name(guest, name))

    def _all(self, guest: str) -> dict[str, str]:
        """The owners of all secrets for guests of this name."""
        prefix = _stored_name(guest, "")
        return {
            stored.removeprefix(prefix): owners[0]
            for stored, owners in self._store.names().items()
            if stored.startswith(prefix) and owners and owners[0].startswith("guest:")
        }


def _stored_name(guest: str, name: str) -> str:
    return f"guest.{guest.partition('#')[0]}.{name}"


def _owner(guest: str) -> str:
    return f"guest:{guest}"
