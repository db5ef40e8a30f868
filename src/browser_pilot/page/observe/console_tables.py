"""Renders what a page passes to ``console.table``, which Playwright reports as ``[Object, Object]``.

The page may have replaced its built-in functions, so the script uses none, and its result is bounded.
"""

from __future__ import annotations

import asyncio

from playwright.async_api import Error, JSHandle

READ_TIMEOUT_SECONDS = 2.0
MAX_TABLE_CHARACTERS = 2_000
# One line for each row, with the names beside the values: secrets are recognised by their names.
_READ = """(data) => {
  const maxRows = 20, maxColumns = 8, maxCharacters = 60;
  if (typeof data !== 'object' || data === null) return '';
  const cell = (value) => {
    if (value === null) return 'null';
    if (typeof value === 'object') return '{…}';
    if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') return typeof value;
    const text = '' + value;
    let shown = '';
    for (let i = 0; i < text.length && i < maxCharacters; i++) shown += text[i] === '\\n' ? ' ' : text[i];
    return text.length > maxCharacters ? shown + '…' : shown;
  };
  const cells = (row) => {
    let shown = '', count = 0;
    for (const name in row) {
      if (count++ >= maxColumns) return shown + ', …';
      shown += (shown && ', ') + cell(name) + ': ' + cell(row[name]);
    }
    return shown;
  };
  let lines = '', count = 0;
  for (const key in data) {
    if (count++ >= maxRows) return lines + '\\n…';
    const row = data[key];
    lines += (lines && '\\n') + cell(key) + ': ' + (typeof row === 'object' && row !== null ? cells(row) : cell(row));
  }
  return lines;
}"""


async def render_table(data: JSHandle) -> str:
    """The table as lines such as ``0: name: Ada, age: 36``; empty if it cannot be read."""
    try:
        async with asyncio.timeout(READ_TIMEOUT_SECONDS):
            text: object = await data.evaluate(_READ)
    except (Error, TimeoutError):
        return ""
    return text[:MAX_TABLE_CHARACTERS] if isinstance(text, str) else ""
