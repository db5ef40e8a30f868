"""The files of the injected script share one scope: no name may be declared twice in it."""

from __future__ import annotations

import re
from collections import Counter

from browser_pilot.pages.script import first_source, rest_source

DECLARED = re.compile(r"^(?:async )?(?:function\*?|const|let|class) (\w+)|^pilot\.(\w+) =", re.MULTILINE)


def test_no_name_is_declared_twice() -> None:
    names = Counter(match[1] or f"pilot.{match[2]}" for match in DECLARED.finditer(first_source() + rest_source()))
    assert len(names) > 100
    assert [name for name, times in names.items() if times > 1] == []
