"""The rows of a snapshot, for many kinds of markup."""

from __future__ import annotations

import pytest
from playwright.async_api import Page

from browser_pilot.page.actions.selectors import Elements, Selector
from browser_pilot.page.isolated_world import World
from browser_pilot.page.snapshot.rows import Snapshot
from browser_pilot.page.snapshot.snapshot import MAX_ROWS, SnapshotOptions, take_snapshot
from browser_pilot.page.snapshot.token_budget import Cursor, truncate
from tests.page.conftest import Sites


async def see(page: Page, sites: Sites, html: str) -> Snapshot:
    await page.goto(sites.add("seen", f"<!doctype html><title>Seen</title>{html}"))
    return await take_snapshot(World(page))


def cells(view: Snapshot) -> list[tuple[str, str, str]]:
    return [row.cells()[1:] for row in view.rows]


CASES: dict[str, tuple[str, list[tuple[str, str, str]]]] = {
    "headings and landmarks keep their order": (
        "<header><nav aria-label=Site><a href=a>Home</a></nav></header><main><h1>Title</h1><h2>Part</h2></main>",
        [
            ("banner", "", ""),
            ("navigation", "Site", ""),
            ("link", "Home", ""),
            ("main", "", ""),
            ("h1", "Title", ""),
            ("h2", "Part", ""),
        ],
    ),
    "a linked heading is one row": ("<h2><a href=x>News</a></h2>", [("link", "News", "level 2")]),
    "a line of text contains its links": (
        "<p>Read <a href=a>this</a> or <button>ask</button>.</p>",
        [("text", "Read [this](REF) or [ask](REF button).", "")],
    ),
    "empty wrappers are dropped": (
        "<div><div><span><div>Text</div></span></div></div>",
        [("text", "Text", "")],
    ),
    "a label has no row beside its field": (
        "<label for=a>Name</label><input id=a value=Ada required><label>Age <input type=number value=36></label>",
        [("textbox", "Name", "required =Ada"), ("spinbutton", "Age", "=36")],
    ),
    "a password is never shown": (
        "<input type=password aria-label=Secret value=hunter2><input aria-label=Empty type=password>"
        "<input aria-label=Card autocomplete=cc-number value=4111111111111111>",
        [("textbox", "Secret", "filled"), ("textbox", "Empty", ""), ("textbox", "Card", "filled")],
    ),
    "states are shown": (
        "<input type=checkbox checked aria-label=A><input type=radio aria-label=B>"
        "<button aria-pressed=true disabled>C</button>"
        "<button aria-expanded=false>D</button><div role=tab aria-selected=true tabindex=0>E</div>"
        "<input aria-label=F readonly aria-invalid=true value=x>"
        "<div role=checkbox aria-checked=mixed tabindex=0>G</div>",
        [
            ("checkbox", "A", "checked"),
            ("radio", "B", "unchecked"),
            ("button", "C", "pressed disabled"),
            ("button", "D", "collapsed"),
            ("tab", "E", "selected"),
            ("textbox", "F", "invalid readonly =x"),
            ("checkbox", "G", "mixed"),
        ],
    ),
    "a label stands in for its hidden control": (
        "<input type=checkbox id=c style='opacity: 0; position: absolute' checked><label for=c>Agree</label>"
        "<label><input type=radio style='display: none'>One</label>",
        [("checkbox", "Agree", "checked"), ("radio", "One", "unchecked")],
    ),
    "a hidden file field can still be used": (
        "<label for=f>Photo</label><input type=file id=f style='display: none'>"
        "<input type=file aria-label=Other hidden>",
        [("file", "Photo", ""), ("file", "Photo", "hidden"), ("file", "Other", "hidden")],
    ),
    "a select shows its options": (
        "<select aria-label=Colour><option>Red<option selected>Green</select>",
        [("combobox", "Colour", "options Red|Green =Green")],
    ),
    "a custom select is shown by its parts": (
        "<div role=combobox aria-label=Fruit aria-expanded=true tabindex=0>Apple</div>"
        "<ul role=listbox><li role=option aria-selected=true>Apple<li role=option>Pear</ul>",
        [("combobox", "Fruit", "expanded =Apple"), ("option", "Apple", "selected"), ("option", "Pear", "")],
    ),
    "clickable elements have rows": (
        "<div onclick='1'>By attribute</div><div style='cursor: pointer'>By <b>cursor</b></div>"
        "<div id=l>By listener</div><div tabindex=0>By focus</div><p>word <span style='cursor: pointer'>here</span></p>"
        "<script>document.querySelector('#l').addEventListener('click', () => 1)</script>",
        [
            ("click", "By attribute", ""),
            ("click", "By cursor", ""),
            ("click", "By listener", ""),
            ("click", "By focus", ""),
            ("text", "word [here](REF click)", ""),
        ],
    ),
    "an image beside its own name is shown once": (
        "<a href=x><img alt='Ada Lovelace' width=9 height=9>Ada Lovelace</a>",
        [("link", "Ada Lovelace", "")],
    ),
    "a button with only an image has a fallback name": (
        "<button><svg><use href='#icon-trash'></use></svg></button><button title=Close><i class=x></i></button>"
        "<button><i class='fa fa-gear'></i></button><button>"
        "<img src=img/star.png></button><a href=/cart><svg></svg></a>",
        [
            ("button", "(icon-trash)", ""),
            ("button", "Close", ""),
            ("button", "(fa-gear)", ""),
            ("button", "(star)", ""),
            ("link", "(cart)", ""),
        ],
    ),
    "an element with neither name nor image gets a fallback name from its class or colour": (
        "<style>span, b { cursor: pointer; display: inline-block; width: 9px; height: 9px }</style>"
        "<div><span class=star></span><span class='btn item'></span></div>"
        "<b style='background: red'></b><b class=swatch style='background: rgb(0, 128, 0)'></b>",
        [
            ("click", "(star)", ""),
            ("click", "", ""),
            ("click", "(#ff0000)", ""),
            ("click", "(swatch #008000)", ""),
        ],
    ),
    "clickable shapes of an SVG have rows": (
        "<svg width=90 height=30><circle id=c cx=9 cy=9 r=8 fill=blue /><rect class=p x=30 width=20 height=20 />"
        "<line x1=1 x2=2 stroke=red /></svg><style>.p { cursor: pointer }</style>"
        "<script>document.querySelector('#c').addEventListener('click', () => 1)</script>",
        [("click", "(c circle #0000ff)", ""), ("click", "(rect #000000)", "")],
    ),
    "elements with listeners inside a clickable text have rows": (
        "<span style='cursor: pointer'><i class=more style='padding: 4px'></i><ul><li>Share<li>Block</ul></span>"
        "<script>for (const li of document.querySelectorAll('li, i')) li.addEventListener('click', () => 1)</script>",
        [
            ("click", "", ""),
            ("click", "(more)", ""),
            ("click", "Share", ""),
            ("click", "Block", ""),
        ],
    ),
    "a wrapper that only looks clickable is dropped for its only child": (
        "<div style='cursor: pointer'><button>Save</button></div>",
        [("button", "Save", "")],
    ),
    "a clickable element is not named by text too small to read": (
        "<b class=card style='cursor: pointer; font-size: 0'>7</b>",
        [("click", "(card)", ""), ("text", "7", "hidden")],
    ),
    "text in a parent without a font size is visible where it has its own": (
        "<div style='font-size: 0'> <b style='font-size: 16px'>Shown</b> </div>",
        [("text", "Shown", "")],
    ),
    "an element scrolled out of its container is not hidden": (
        "<div id=b style='position: absolute; top: 0; width: 90px; height: 50px; overflow: auto'>"
        "<div style='height: 500px; position: relative'><p style='position: absolute; top: 0'>Above</p></div></div>"
        "<script>document.querySelector('#b').scrollTop = 400</script>",
        [("text", "Above", "")],
    ),
    "invisible text is marked": (
        "<p>Shown</p><p style='opacity: 0'>Clear</p><p style='position: absolute; left: -9999px'>Away</p>"
        "<p style='position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0 0 0 0)'>Clipped</p>"
        "<div style='height: 0; overflow: hidden'>Folded</div><p style='font-size: 0'>Tiny</p>"
        "<p style='display: none'>None</p>"
        "<p style='visibility: hidden'>Invisible <b style='visibility: visible'>but</b></p>",
        [
            ("text", "Shown", ""),
            ("text", "Clear", "hidden"),
            ("text", "Away", "offscreen"),
            ("text", "Clipped", "hidden"),
            ("text", "Folded", "hidden"),
            ("text", "Tiny", "hidden"),
            ("text", "but", ""),
        ],
    ),
    "a table row is one row": (
        "<table><caption>Stock</caption><tr><th>Name<th>Left<tr>"
        "<td>Nails<td>7<tr><td>Glue<td><button>Order</button></table>",
        [
            ("table", "Stock", ""),
            ("row", "Name | Left", ""),
            ("row", "Nails | 7", ""),
            ("row", "Glue | [Order](REF button)", ""),
        ],
    ),
    "a list of short items is one row": ("<ul><li>One<li>Two<li>Three</ul>", [("list", "One | Two | Three", "")]),
    "a list with links has its links": (
        "<ul><li><a href=a>One</a><li>Two <a href=b>more</a></ul>",
        [("link", "One", ""), ("item", "Two [more](REF)", "")],
    ),
    "slots and shadow roots are in place": (
        "<div id=h><b slot=end>End</b>Middle</div>"
        "<script>document.querySelector('#h').attachShadow({mode: 'open'}).innerHTML"
        " = '<p>Start</p><slot></slot><p><slot name=end></slot></p><button>Go</button>'</script>",
        [("text", "Start", ""), ("text", "Middle", ""), ("text", "End", ""), ("button", "Go", "")],
    ),
    "closed shadow roots are opened": (
        "<x-box></x-box><script>customElements.define('x-box', class extends HTMLElement { constructor() { super();"
        " this.attachShadow({mode: 'closed'}).innerHTML = '<button>Closed</button>'; } })</script>",
        [("button", "Closed", "")],
    ),
    "elements with listeners in a shadow root are clickable, in closed and nested ones too": (
        "<x-open></x-open><x-closed></x-closed><script>for (const mode of ['open', 'closed']) customElements.define("
        "`x-${mode}`, class extends HTMLElement { constructor() { super(); const root = this.attachShadow({mode});"
        "root.innerHTML = `<div>Go ${mode}</div><p>Text</p><section></section>`;"
        "root.querySelector('div').addEventListener('click', () => 1);"
        "const inner = root.querySelector('section').attachShadow({mode}); inner.innerHTML = '<div>Inside</div>';"
        "inner.querySelector('div').addEventListener('click', () => 1) } })</script>",
        [
            ("click", "Go open", ""),
            ("text", "Text", ""),
            ("click", "Inside", ""),
            ("click", "Go closed", ""),
            ("text", "Text", ""),
            ("click", "Inside", ""),
        ],
    ),
    "owned elements follow their owner": (
        "<p id=o>Owned</p><div aria-owns=o>Owner</div><p>Last</p>",
        [("text", "Owner", ""), ("text", "Owned", ""), ("text", "Last", "")],
    ),
    "generated text is shown": (
        "<style>.q::before { content: 'Q: ' } .r::after { content: ' *' }</style>"
        "<p class=q>Why?</p><label class=r>Who</label>",
        [("text", "Q: Why?", ""), ("text", "Who *", "")],
    ),
    "live regions have their roles": (
        "<div role=alert>Failed</div><output>42</output><div role=log><p>a</p><p>b</p></div>",
        [("alert", "Failed", ""), ("status", "42", ""), ("log", "", ""), ("text", "a", ""), ("text", "b", "")],
    ),
    "rich text fields show their text": (
        "<div contenteditable aria-label=Note>Hello <b>you</b>"
        "</div><div role=textbox tabindex=0 aria-label=Role>x</div>",
        [("textbox", "Note", "=Hello you"), ("textbox", "Role", "=x")],
    ),
    "the text of an SVG is shown": (
        "<svg role=img aria-label=Chart></svg><svg width=50 height=20>"
        "<text y=15>Total</text></svg><svg><path d='M0 0'></path></svg>",
        [("img", "Chart", ""), ("text", "Total", "")],
    ),
    "any script and emoji are shown": (
        "<p dir=rtl>مرحبا <a href=a>بالعالم</a></p><button>👍🏽 Like</button>",
        [("text", "مرحبا [بالعالم](REF)", ""), ("button", "👍🏽 Like", "")],
    ),
    "collapsed details are not shown": (
        "<details><summary>More</summary>Inside</details><details open><summary>Less</summary>Shown</details>",
        [("button", "More", "collapsed"), ("button", "Less", "expanded"), ("text", "Shown", "")],
    ),
    "visible text with aria-hidden is shown": (
        "<a href=a><span aria-hidden=true>1.2</span> Chapter</a><button aria-label=Menu>Ada Lovelace</button>",
        [("link", "1.2 Chapter", ""), ("button", "Menu (Ada Lovelace)", "")],
    ),
    "a term and its definition share a row": (
        "<dl><dt>Well</dt><dd>A deep hole</dd></dl>",
        [("text", "Well: A deep hole", "")],
    ),
    "an empty cell is named by its column and row": (
        "<style>[role=gridcell] { cursor: pointer; display: inline-block; width: 90px; height: 20px }</style>"
        "<div role=grid><div role=row><b role=columnheader>Payee</b><b role=columnheader>Amount</b></div>"
        "<div role=row><div role=gridcell>Bakery</div><div role=gridcell><i class=view></i></div></div>"
        "<div role=row><div role=gridcell></div><div role=gridcell></div></div></div>",
        [
            ("row", "Payee | Amount", ""),
            ("row", "[Bakery](REF click) | [(Amount, Bakery)](REF click)", ""),
            ("row", "[(Payee, row 3)](REF click) | [(Amount, row 3)](REF click)", ""),
        ],
    ),
    "an editor without a name is named by its column and row": (
        "<table><tr><th colspan=2>Name<th>Price<tr><td>1<td>Nails<td><input value=7>"
        "<tr><td>2<td><textarea></textarea><td></table>",
        [
            ("row", "Name | Price", ""),
            ("row", "1 | Nails | [(Price, 1)](REF textbox =7)", ""),
            ("text", "2", ""),
            ("textbox", "(Name, 2)", ""),
        ],
    ),
    "in a table of plain boxes the header above names a cell": (
        "<style>.row, .head { display: flex } .row > *, .head > * { width: 90px; height: 20px }</style>"
        "<div><div class=head><div>Payee</div><div>Notes</div></div><div class=body>"
        "<div class=row><div style='cursor: pointer'></div><div><input></div></div>"
        "<div class=row><div style='cursor: pointer'></div><div><input aria-label=Own></div></div></div></div>",
        [
            ("text", "Payee", ""),
            ("text", "Notes", ""),
            ("click", "(Payee)", ""),
            ("textbox", "(Notes)", ""),
            ("click", "(Payee)", ""),
            ("textbox", "Own", ""),
        ],
    ),
    "the labels of a drawing in a clickable area have rows": (
        "<div tabindex=0 class=chart><svg width=300 height=99><g><rect width=90 height=30 /><text y=20>start</text></g>"
        "<g><rect y=40 width=90 height=30 /><text y=60>function 1</text></g></svg></div>"
        "<div tabindex=0><svg width=90 height=30><text y=20>Save</text></svg></div>",
        [("click", "(chart)", ""), ("text", "start", ""), ("text", "function 1", ""), ("click", "Save", "")],
    ),
    "a clickable entry is named by its first texts": (
        f"<div onclick='1'><div>Ada</div><div>Minutes</div><p>{'Long text of the message. ' * 9}</p></div>"
        "<div onclick='1'><button>Open</button><div>Flow 1</div></div>",
        [
            ("click", "Ada Minutes", ""),
            ("text", ("Long text of the message. " * 9).strip(), ""),
            ("click", "Flow 1", ""),
            ("button", "Open", ""),
        ],
    ),
    "a wrapper of one control is dropped when it has its name or its place": (
        "<div title=Save tabindex=0><button title=Save><svg></svg></button></div>"
        "<div title=Save onclick='1'><button title=Save><svg></svg></button></div>"
        "<div id=a style='width: 90px'><button style='width: 80px'>Cut</button></div>"
        "<div id=b style='width: 900px'><button style='width: 80px'>Paste</button></div>"
        "<script>for (const id of ['a', 'b']) document.getElementById(id).addEventListener('click', () => 1)</script>",
        [
            ("button", "Save", ""),
            ("click", "Save", ""),
            ("button", "Save", ""),
            ("button", "Cut", ""),
            ("click", "", ""),
            ("button", "Paste", ""),
        ],
    ),
    "a toolbar that handles the clicks of its buttons has no row": (
        "<div id=bar><button>Cut</button><button>Copy</button></div>"
        "<script>bar.addEventListener('click', () => 1)</script>",
        [("button", "Cut", ""), ("button", "Copy", "")],
    ),
    "separators, empty wrappers and guards of the focus are left out": (
        "<style>i { display: block; width: 9px; height: 9px }</style>"
        "<ul><li role=separator style='cursor: pointer'><i></i></ul><hr style='cursor: pointer'>"
        "<ul><li role=presentation tabindex=0 class='lm-Menu-item' data-type=separator><div></div></ul>"
        "<span style='cursor: pointer'></span><i tabindex=0 aria-hidden=true></i>"
        "<select aria-hidden=true style='opacity: 0'></select><span tabindex=0 aria-hidden=true></span>"
        "<i class=close style='cursor: pointer' aria-hidden=true></i>"
        "<div role=separator tabindex=0 aria-label=Split></div>",
        [("click", "(close)", ""), ("separator", "Split", "")],
    ),
    "a clickable card keeps its content": (
        "<div onclick='1'><h3>Card</h3><a href=a>Link</a></div>",
        [("click", "", ""), ("h3", "Card", ""), ("link", "Link", "")],
    ),
}


@pytest.mark.parametrize("case", CASES)
async def test_rows_of_a_snapshot(page: Page, sites: Sites, case: str) -> None:
    html, expected = CASES[case]
    view = await see(page, sites, html)
    known = {row.ref for row in view.all_rows()}
    rows = cells(view)
    for ref in sorted(known, key=len, reverse=True):
        rows = [(role, name.replace(f"]({ref}", "](REF"), states) for role, name, states in rows]
    assert rows == expected


async def test_a_password_stays_secret_when_the_page_reveals_it(page: Page, sites: Sites) -> None:
    await page.goto(sites.add("secret", "<input id=p type=password aria-label=Word value=hunter2>"))
    world = World(page)
    await take_snapshot(world)
    await page.evaluate("document.querySelector('#p').type = 'text'")
    view = await take_snapshot(world, SnapshotOptions(detail="full"))
    assert "hunter2" not in str(view)


async def test_the_focused_element_is_marked_also_in_a_shadow_root(page: Page, sites: Sites) -> None:
    await page.goto(sites.add("focus", "<div id=h></div><input aria-label=A>"))
    await page.evaluate(
        "document.querySelector('#h').attachShadow({mode: 'open'}).innerHTML = '<input aria-label=B>';"
        "document.querySelector('#h').shadowRoot.querySelector('input').focus()"
    )
    assert cells(await take_snapshot(World(page))) == [("textbox", "B", "focused"), ("textbox", "A", "")]


async def test_frames_follow_the_rows_of_their_elements(page: Page, sites: Sites) -> None:
    sites.add("leaf", "<button>Leaf</button>")
    sites.add("inner", "<p>Inner</p><iframe title=Deep src='http://c.test:{port}/leaf'></iframe><p>Inner end</p>")
    html = (
        "<p>Before</p><iframe src='http://b.test:{port}/inner'></iframe>"
        "<p>After</p><iframe srcdoc='<a href=x>Own</a>'></iframe>"
    )
    await page.goto(sites.add("outer", html))
    view = await take_snapshot(World(page))
    names = [row.name for row in view.rows if row.role != "iframe" or row.name]
    assert names == ["Before", "Inner", "Deep", "Leaf", "Inner end", "After", "Own"]
    assert len({row.ref for row in view.rows}) == len(view.rows)


async def test_refs_stay_with_their_elements(page: Page, sites: Sites) -> None:
    await page.goto(sites.add("stable", "<p>One</p><button>Two</button>"))
    world = World(page)
    before = {row.name: row.ref for row in (await take_snapshot(world)).rows}
    await page.evaluate("document.body.prepend(Object.assign(document.createElement('p'), {textContent: 'Zero'}))")
    after = {row.name: row.ref for row in (await take_snapshot(world)).rows}
    assert {name: after[name] for name in before} == before


async def test_unchanged_rows_are_not_sent_again_and_a_lost_response_does_no_harm(page: Page, sites: Sites) -> None:
    items = "".join(f"<p>Paragraph {number}</p><button>Button {number}</button>" for number in range(50))
    await page.goto(sites.add("long", items))
    world = World(page)
    await take_snapshot(world)
    frame = await world.main_frame()
    same = str(await world.call(frame, "snapshot", {"known": world.known_rows[frame.id].mark}))
    assert "Paragraph" not in same
    for change in ("document.querySelector('p').remove()", "document.body.append('The end')", "location.reload()"):
        await page.evaluate(change)
        await page.wait_for_load_state()
        # A lost response.
        await world.call(await world.main_frame(), "snapshot", {}, repeatable=True)
        view = await take_snapshot(world)
        world.known_rows.clear()
        assert view == await take_snapshot(world)


async def test_a_snapshot_of_one_element(page: Page, sites: Sites) -> None:
    await page.goto(sites.add("part", "<p>Out</p><form><button>In</button></form>"))
    world = World(page)
    form = await Elements(world).resolve(Selector(css="form"))
    view = await take_snapshot(world, SnapshotOptions(root=(form.frame, form.ref), boxes=True))
    assert [(row.name, row.box is not None) for row in view.rows] == [("In", True)]


async def test_a_document_without_an_element_is_empty(page: Page, sites: Sites) -> None:
    await page.goto(sites.add("emptied", "<button>Go</button><iframe srcdoc='<p>In the frame</p>'></iframe>"))
    world = World(page)
    await page.frames[1].evaluate("document.documentElement.remove()")
    assert "Go" in [row.name for row in (await take_snapshot(world)).rows]
    await page.evaluate("document.documentElement.remove()")
    assert (await take_snapshot(world)).rows == ()


async def test_full_detail_adds_urls(page: Page, sites: Sites) -> None:
    await page.goto(sites.add("full", "<a href='/there'>Go</a>"))
    assert [row.url for row in (await take_snapshot(World(page), SnapshotOptions(detail="full"))).rows] == ["/there"]


async def test_a_hundred_thousand_nodes_are_read_in_time_and_within_the_row_limit(page: Page, sites: Sites) -> None:
    await page.goto(sites.add("huge", "<main></main>"))
    await page.evaluate(
        "document.querySelector('main').innerHTML ="
        "Array.from({length: 25000}, (_, n) => `<div><span>"
        "<a href=#${n}>Link ${n}</a></span><p>Text ${n}</p></div>`).join('')"
    )
    await page.evaluate("document.body.offsetHeight")  # layout is not what is measured here
    world = World(page)
    view = await take_snapshot(world, timeout_ms=60_000)
    assert len(view.rows) <= MAX_ROWS
    assert view.rest > 40_000
    result = truncate(view)
    assert result.rows_left == len(view.rows) - len(result.snapshot.rows) + view.rest
    last = Cursor(view.document, len(view.rows) - 1, view.rows[-1].ref)
    later = await take_snapshot(world, SnapshotOptions(start=last))
    following = truncate(later, cursor=last.encode()).snapshot.rows
    assert later.skipped == len(view.rows) - 1
    assert view.rows[-1].name == "Link 2499"
    assert [row.name for row in following[:2]] == ["Text 2499", "Link 2500"]
