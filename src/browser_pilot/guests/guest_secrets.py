"""Secrets that the user gave to guests: in the user's secret store, each bound to its guest and to no domain."""

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
        prefix = _stored_name(guest, "")
        return {name.removeprefix(prefix) for name, owners in self._store.names().items() if _owner(guest) in owners}

    def remove_all(self, guest: str) -> None:
        for name in self.names(guest):
            self._store.remove(_stored_name(guest, name))


def _stored_name(guest: str, name: str) -> str:
    return f"guest.{guest}.{name}"


def _owner(guest: str) -> str:
    return f"guest:{guest}"
