"""Pages with the DOM and the event handling of the select components of common libraries, without the libraries.

Each has a field with the label or name "Room", and puts what was chosen into ``window.chosen``.
"""

from __future__ import annotations

_ROOMS = "const rooms = ['Single', 'Double', 'Suite with balcony', 'Pay now'];"

# An input with role=listbox; a mouse press chooses; leaving it restores the text of the choice.
GRADIO = f"""<label>Room <span style="position:relative"><input id=i role=listbox aria-controls=dropdown-options
  aria-expanded=false value=Single></span></label><div id=place></div><script>{_ROOMS}
window.chosen = 'Single';
const show = (filter) => {{ place.innerHTML = '<ul id=dropdown-options role=listbox style="position:absolute">' + rooms
  .filter((room) => room.toLowerCase().includes(filter.toLowerCase()))
  .map((room) => `<li role=option aria-selected=${{room === chosen}} aria-label="${{room}}">${{room}}</li>`)
  .join('') + '</ul>';
  i.setAttribute('aria-expanded', 'true'); }};
i.onfocus = () => show('');
i.oninput = () => show(i.value);
place.onmousedown = (event) => {{ event.preventDefault(); const option = event.target.closest('li');
  if (!option) return; chosen = option.textContent; i.value = chosen; i.blur(); }};
i.onblur = () => {{ i.value = chosen; place.innerHTML = ''; i.setAttribute('aria-expanded', 'false'); }};
</script>"""

# The roles are on a hidden copy of two options; the visible ones are in a portal, and only a few of 500 are rendered.
ANT = """<style>.item { height: 24px } .holder { height: 120px; overflow-y: auto; position: relative }
.hidden { height: 0; width: 0; overflow: hidden } .search { opacity: 0; position: absolute; inset: 0 }</style>
<div id=select style="position:relative;width:200px"><span class=search><input id=rc_select_0 type=search role=combobox
  aria-label=Room aria-expanded=false aria-haspopup=listbox aria-owns=rc_select_0_list aria-autocomplete=list
  aria-controls=rc_select_0_list readonly style="width:100%"></span><span id=item>Choose</span></div><script>
const rooms = Array.from({length: 500}, (_, n) => `Room ${n}`);
let dropdown;
const draw = () => { const holder = dropdown.querySelector('.holder'), first = Math.floor(holder.scrollTop / 24);
  holder.firstChild.innerHTML = rooms.slice(first, first + 7).map((room, n) => `<div
    aria-selected=${room === window.chosen} class=item title="${room}"
    style="position:absolute;top:${(first + n) * 24}px">
    <div>${room}</div></div>`).join(''); };
select.onmousedown = (event) => { event.preventDefault(); rc_select_0.focus(); if (dropdown) return close();
  dropdown = document.createElement('div');
  dropdown.style.cssText = 'position:absolute;top:200px;background:white;width:200px';
  dropdown.innerHTML = `<div><div role=listbox id=rc_select_0_list class=hidden><div role=option>0</div>
    <div role=option>1</div></div><div class=holder><div style="height:${rooms.length * 24}px"></div></div></div>`;
  document.body.append(dropdown);
  rc_select_0.setAttribute('aria-expanded', 'true');
  dropdown.querySelector('.holder').onscroll = () => requestAnimationFrame(draw);
  dropdown.onclick = (event) => { const found = event.target.closest('.item'); if (!found) return;
    window.chosen = item.textContent = found.title; close(); };
  draw(); };
const close = () => { dropdown.remove(); dropdown = null; rc_select_0.setAttribute('aria-expanded', 'false'); };
</script>"""

# A div with role=combobox that opens on mousedown; a list in a portal, over a backdrop that covers the page.
MUI = f"""<div id=c role=combobox tabindex=0 aria-haspopup=listbox aria-expanded=false aria-label=Room>Choose</div>
<script>{_ROOMS}
c.onmousedown = (event) => {{ event.preventDefault(); c.setAttribute('aria-expanded', 'true');
  document.body.insertAdjacentHTML('beforeend', `<div id=popover><div style="position:fixed;inset:0"></div>
    <ul role=listbox style="position:absolute;top:80px;background:white">` +
    rooms.map((room) => `<li role=option tabindex=0 data-value="${{room}}">${{room}}</li>`).join('') + '</ul></div>');
  popover.onclick = (event) => {{ const option = event.target.closest('li');
    if (option) window.chosen = c.textContent = option.textContent;
    popover.remove(); c.setAttribute('aria-expanded', 'false'); }}; }};
</script>"""

# An input that only filters, inside a control that shows the choices as tags; options come from the network.
REACT_SELECT = """<div id=control style="border:1px solid;width:300px"><span id=tags></span><input
  id=react-select-2-input role=combobox
  aria-label=Room aria-autocomplete=list aria-expanded=false aria-haspopup=true style="border:0"></div>
<div id=place></div><script>
window.chosen = [];
const input = document.querySelector('input');
const show = async () => { const found = await (await fetch('/rooms?q=' + input.value)).json();
  input.setAttribute('aria-expanded', 'true');
  input.setAttribute('aria-controls', 'react-select-2-listbox');
  place.innerHTML = '<div role=listbox id=react-select-2-listbox>' + found.filter((room) => !chosen.includes(room))
    .map((room, n) => `<div role=option id=react-select-2-option-${n} aria-selected=false>${room}</div>`)
    .join('') + '</div>'; };
control.onmousedown = (event) => { if (event.target !== input) event.preventDefault(); input.focus(); show(); };
input.oninput = show;
place.onmousedown = (event) => event.preventDefault();
place.onclick = (event) => { const option = event.target.closest('[role=option]'); if (!option) return;
  chosen.push(option.textContent);
  tags.innerHTML = chosen.map((one) => `<b>${one}</b>`).join(' '); input.value = ''; show(); };
input.onblur = () => { input.value = ''; place.innerHTML = ''; input.setAttribute('aria-expanded', 'false'); };
</script>"""

# An input with aria-activedescendant, whose list opens by keys only and is always in the page.
DOWNSHIFT = f"""<label for=i>Room</label><input id=i role=combobox aria-autocomplete=list aria-controls=menu
  aria-expanded=false aria-activedescendant=""><ul id=menu role=listbox></ul><script>{_ROOMS}
const show = () => {{ menu.innerHTML = rooms.filter((room) => room.toLowerCase().includes(i.value.toLowerCase()))
  .map((room, n) => `<li id=o${{n}} role=option aria-selected=${{n === 0}}>${{room}}</li>`).join('');
  i.setAttribute('aria-expanded', 'true'); i.setAttribute('aria-activedescendant', menu.firstChild ? 'o0' : ''); }};
i.onkeydown = (event) => {{ if (event.key === 'ArrowDown') show(); }};
i.oninput = show;
menu.onclick = (event) => {{ window.chosen = i.value = event.target.textContent; menu.innerHTML = '';
  i.setAttribute('aria-expanded', 'false'); }};
</script>"""

# A button and a list that is rendered beside it.
HEADLESS_UI = f"""<span id=l>Room</span><button id=b aria-haspopup=listbox aria-expanded=false aria-labelledby="l b">
Choose</button><div id=place></div><script>{_ROOMS}
b.onclick = () => {{ if (place.innerHTML) return place.innerHTML = ''; b.setAttribute('aria-expanded', 'true');
  b.setAttribute('aria-controls', 'options');
  place.innerHTML = '<ul id=options role=listbox tabindex=0>' + rooms.map((room) => `<li role=option
    aria-selected=${{room === window.chosen}}><span>${{room}}</span></li>`).join('') + '</ul>'; }};
place.onclick = (event) => {{ window.chosen = b.textContent = event.target.closest('li').textContent;
  place.innerHTML = '';  b.setAttribute('aria-expanded', 'false'); }};
</script>"""

# Opens on pointerdown, chooses on pointerup, and lets no pointer through to the page below while it is open.
RADIX = f"""<button id=b role=combobox aria-expanded=false aria-controls=radix-1 aria-label=Room>Choose</button>
<script>{_ROOMS}
b.onpointerdown = (event) => {{ event.preventDefault(); b.setAttribute('aria-expanded', 'true');
  document.body.style.pointerEvents = 'none';
  document.body.insertAdjacentHTML('beforeend', `<div id=radix-1 role=listbox style="pointer-events:auto;position:fixed;
    top:60px;background:white">` + rooms.map((room) => `<div role=option aria-selected=false tabindex=-1>
    <span>${{room}}</span></div>`).join('') + '</div>');
  document.getElementById('radix-1').onpointerup = (event) => {{ const option = event.target.closest('[role=option]');
    window.chosen = b.textContent = option.innerText.trim(); document.getElementById('radix-1').remove();
    document.body.style.pointerEvents = ''; b.setAttribute('aria-expanded', 'false'); }}; }};
</script>"""

LIBRARIES = {
    "Gradio": GRADIO,
    "MUI": MUI,
    "Downshift": DOWNSHIFT,
    "Headless UI": HEADLESS_UI,
    "Radix": RADIX,
}
