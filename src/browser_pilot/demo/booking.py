"""The logic of the demo site: sign-in, prices and booking references. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

EMAIL = "ada@example.com"
PASSWORD = "lighthouse"  # noqa: S105  shown on the page itself
SEAT_CENTS = {"Deck": 1200, "Lounge": 1900, "Cabin": 4500}
BICYCLE_CENTS = 550
MAX_PASSENGERS = 9
MAX_NAME_CHARACTERS = 80


class InvalidBooking(Exception):
    """The form is not valid; the message says why."""


@dataclass(frozen=True)
class Booking:
    name: str
    passengers: int
    seat: str
    bicycle: bool

    @property
    def total(self) -> str:
        cents = self.passengers * SEAT_CENTS[self.seat] + (BICYCLE_CENTS if self.bicycle else 0)
        return f"{cents // 100}.{cents % 100:02d} EUR"

    @property
    def reference(self) -> str:
        """The same for the same booking, and not guessable: an agent that reports it has read the page."""
        text = f"{self.name}|{self.passengers}|{self.seat}|{self.bicycle}"
        return f"LF-{hashlib.sha256(text.encode()).hexdigest()[:8].upper()}"


def may_sign_in(form: Mapping[str, str]) -> bool:
    return form.get("email", "").strip().lower() == EMAIL and form.get("password") == PASSWORD


def read_booking(form: Mapping[str, str]) -> Booking:
    name = form.get("name", "").strip()
    if not 1 <= len(name) <= MAX_NAME_CHARACTERS:
        raise InvalidBooking("Please give the passenger's name.")
    passengers = form.get("passengers", "")
    if not passengers.isascii() or not passengers.isdigit() or not 1 <= int(passengers[:3]) <= MAX_PASSENGERS:
        raise InvalidBooking(f"Passengers: a number from 1 to {MAX_PASSENGERS}.")
    seat = form.get("seat", "")
    if seat not in SEAT_CENTS:
        raise InvalidBooking("Please choose a seat.")
    return Booking(name, int(passengers), seat, form.get("bicycle") == "yes")
