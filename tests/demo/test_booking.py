"""Bookings of the demo site: any form gives a valid booking or an error."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.demo.booking import InvalidBooking, read_booking


@given(
    name=st.text(max_size=100),
    passengers=st.one_of(st.integers(-5, 20).map(str), st.text(max_size=5)),
    seat=st.sampled_from(["Deck", "Lounge", "Cabin", "Mast", ""]),
    bicycle=st.sampled_from(["yes", "no", ""]),
)
def test_a_form_is_a_valid_booking_or_is_rejected(name: str, passengers: str, seat: str, bicycle: str) -> None:
    form = {"name": name, "passengers": passengers, "seat": seat, "bicycle": bicycle}
    try:
        booking = read_booking(form)
    except InvalidBooking:
        return
    assert booking.name == name.strip()
    assert 1 <= booking.passengers == int(passengers) <= 9
    assert booking.total.endswith(" EUR")
    assert booking.reference == read_booking(form).reference
