"""A page with one element of each kind. ``happened`` records its events."""

from __future__ import annotations

PAGE = """<!doctype html><html lang=en><meta charset=utf-8><title>One of everything</title>
<script>
  happened = [];
  const record = event => happened.push(event.type);
  for (const type of ['mousedown', 'click', 'dblclick', 'contextmenu', 'keydown', 'input', 'change', 'submit', 'drop',
    'scroll', 'wheel', 'focusin']) addEventListener(type, record, {capture: true});
  localStorage.clear(); localStorage.setItem('kept', 'yes');
  console.info('ready'); console.error('broken');
</script>
<h1>One of everything</h1>
<p id=text>Some text to find and read, <a href='/everything#there'>a link</a> in it.</p>
<button id=go>Go</button> <button id=off disabled>Off</button>
<button id=ask onclick="prompt('Name?', 'Ada')">Ask</button>
<form id=form onsubmit='event.preventDefault()'>
  <label>Name <input id=name></label>
  <label>Size <select id=size><option>Small<option>Large</select></label>
  <label><input type=checkbox id=box> Agree</label> <label><input type=checkbox id=on checked> News</label>
  <label>File <input type=file id=file></label>
  <button>Send</button>
</form>
<div id=from draggable=true>Card</div>
<div id=to ondragover='event.preventDefault()' style='width: 200px; height: 60px'>Column</div>
<div style='height: 3000px'>Tall</div><p id=there>The end</p>
<script>new MutationObserver(() => happened.push('mutation')).observe(document.body,
  {subtree: true, childList: true, attributes: true, characterData: true})</script>"""
