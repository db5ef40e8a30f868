"""Tool results as text: shorter than plain TOON, and decoded to the same data."""

from __future__ import annotations

import toon_format
from hypothesis import given
from hypothesis import strategies as st

from browser_pilot.mcp_server.tool_result import render

CELLS = st.one_of(
    st.just(""), st.sampled_from(['""', ',""', '"",', ',"",', '\\""', "e1,text", "a\nb", " ", '"']), st.text(max_size=8)
)
TABLES = st.lists(st.fixed_dictionaries({"ref": CELLS, "name": CELLS, "states": CELLS}), min_size=1, max_size=4)


@given(TABLES, st.lists(CELLS, max_size=4), CELLS)
def test_a_rendered_result_decodes_to_the_same_data(rows: list[dict[str, str]], items: list[str], text: str) -> None:
    data = {"title": text, "words": items, "elements": rows, "inside": {"rows": rows, "text": text}}
    assert toon_format.decode(render(data, "toon")) == data


def test_empty_cells_are_left_empty() -> None:
    rows = [{"ref": "e1", "role": "text", "states": ""}, {"ref": "e2", "role": "", "states": "checked"}]
    assert render({"elements": rows}, "toon") == "elements[2]{ref,role,states}:\n  e1,text,\n  e2,,checked"
