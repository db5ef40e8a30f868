"""One hub per home."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser_pilot.hub.single_instance import HubRunning, single_instance


def test_a_second_hub_in_a_home_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    with single_instance(tmp_path):
        with pytest.raises(HubRunning), single_instance(tmp_path):
            pass
        with single_instance(tmp_path / "other"):
            pass
    with single_instance(tmp_path):
        pass
