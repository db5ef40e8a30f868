"""The secrets that the user has given to guests: kept among the user's own, each bound to its guest and no domain."""

from __future__ import annotations

from ..records.secrets import SecretStore


class GuestSecrets:
    def __init__(self, store: SecretStore) -> None:
        self._store = store

    def value(self, guest: str, name: str) -> str | None:
        """For the guest's own environment; None when the user has not given it."""
        kept, owner = _kept_as(guest, name), _owner(guest)
        if owner not in self._store.names().get(kept, ()):
            return None
        return self._store.expand(f"{{{{secret:{kept}}}}}", host=owner, matches=str.__eq__)

    def give(self, guest: str, name: str, value: str) -> None:
        self._store.set(_kept_as(guest, name), value, domains=[_owner(guest)])

    def names(self, guest: str) -> set[str]:
        """The secrets that this guest has been given."""
        prefix = _kept_as(guest, "")
        return {name.removeprefix(prefix) for name, owners in self._store.names().items() if _owner(guest) in owners}

    def forget(self, guest: str) -> None:
        for name in self.names(guest):
            self._store.remove(_kept_as(guest, name))


def _kept_as(guest: str, name: str) -> str:
    return f"guest.{guest}.{name}"


def _owner(guest: str) -> str:
    return f"guest:{guest}"
