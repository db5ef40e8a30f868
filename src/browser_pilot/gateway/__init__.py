"""The only path to an effect: limits, decision, question, record, act, record.

``flow`` is the path itself, ``saving`` what is done with files at its end. ``sights`` says what would happen,
``limits`` how often it may, ``journal`` writes it down.
"""

from .flow import Gateway
from .intent import Intent

__all__ = ["Gateway", "Intent"]
