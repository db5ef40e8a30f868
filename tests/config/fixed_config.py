"""A ``CurrentConfig`` for tests: settings and rules that change only when the test changes them."""

from __future__ import annotations

from dataclasses import dataclass, field

from browser_pilot.config.settings import Settings
from browser_pilot.policy.rules import Ruleset


@dataclass
class FixedConfig:
    settings: Settings = field(default_factory=Settings)
    rules: Ruleset = field(default_factory=Ruleset)
