"""A token bucket never admits more than its burst and its rate allow."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.page.token_bucket import TokenBucket


@given(st.integers(1, 20), st.floats(0, 10), st.lists(st.floats(0, 5), max_size=100))
def test_no_more_is_admitted_than_burst_and_rate_allow(burst: int, per_second: float, waits: list[float]) -> None:
    bucket, now, admitted = TokenBucket(burst, per_second), 0.0, 0
    for wait in waits:
        now += wait
        admitted += bucket.take(now)
        assert admitted <= burst + now * per_second + 1e-6


def test_a_full_bucket_admits_its_burst_and_refills() -> None:
    bucket = TokenBucket(3, 1.0)
    assert [bucket.take(0.0) for _ in range(4)] == [True, True, True, False]
    assert bucket.take(1.0)
    assert not bucket.take(1.0)
    assert [bucket.take(100.0) for _ in range(4)] == [True, True, True, False]
