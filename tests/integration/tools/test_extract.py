"""``browser_extract``: rows of tables, lists and cards, over pages, into the result or a file."""

from __future__ import annotations

import csv
import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from browser_pilot.audit_log.database import AuditLogFiles
from browser_pilot.audit_log.reader import AuditLogReader, AuditQuery
from tests.clients import call, fail, http_client
from tests.conftest import HubWith
from tests.hub_process import HubProcess
from tests.integration.approvals.simulated_users import SimulatedUser, asking_client, form_response
from tests.sites import Site, serving

pytestmark = pytest.mark.browser

NEXT = {"role": "button", "name": "Next"}
# As DataTables renders it: 57 rows, ten at a time, with buttons for the pages.
DATA_TABLE = """<!doctype html><html lang=en><title>Staff</title><h1>Staff</h1>
<table id=staff><thead><tr><th>Name<th>Office<th>Salary<th>Start date</thead><tbody></tbody></table>
<nav><button id=previous>Previous</button> <button id=next>Next</button></nav><script>
let page = 0;
const draw = () => {
  const rows = Array.from({ length: 57 }, (_, n) => n).slice(page * 10, page * 10 + 10);
  document.querySelector('tbody').innerHTML = rows.map((n) => `<tr><td>Person ${n}<td>Office ${n % 3}<td>$${n + 1},500
    <td>${String(n % 28 + 1).padStart(2, '0')}.11.2026</tr>`).join('');
  next.setAttribute('aria-disabled', page === 5);
};
next.onclick = () => { if (page < 5) { page++; draw(); } };
draw();
</script></html>"""
SHOP = """<!doctype html><html lang=en><title>Coffee</title><nav><ul><li>Home<li>Shop<li>About<li>Help</ul></nav>
<h1>Coffee</h1><div class=grid>{cards}</div></html>"""
CARD = """<article class="card"><a href="/coffee/{n}"><img src="/{n}.png" alt=""></a><h3>{name}</h3>
<p class=price>{price} €</p><span class=stock>{stock}</span></article>"""
COFFEES = [("Espresso", "2,50", "yes"), ("Lungo", "2,80", "no"), ("Cappuccino", "3,20", "yes"), ("Mocha", "3,90", "no")]
CARDS = "".join(CARD.format(n=n, name=name, price=price, stock=stock) for n, (name, price, stock) in enumerate(COFFEES))
DOCS = """<!doctype html><html lang=en><title>Index</title><h1>Index</h1><ul>{items}</ul></html>"""
LARGE = (
    """<!doctype html><html lang=en><title>Large</title><table><tr><th>Id<th>Name<th>City<th>Value</tr>{rows}</table>"""
)
SMALL_TABLE = "<table><tr><th>A<th>B</tr><tr><td>1<td>2</tr></table>"
TWO = f"<!doctype html><html lang=en><title>Two</title>{SMALL_TABLE}{SMALL_TABLE}</html>"
FEED = """<!doctype html><html lang=en><title>Feed</title><div id=feed></div><script>
let count = 0;
const more = () => { for (let n = 0; n < 20 && count < 70; n++) feed.insertAdjacentHTML('beforeend',
  `<div class=post style="height: 90px"><h2>Post ${++count}</h2><p>Text of post ${count}</p></div>`); };
more();
addEventListener('scroll', () => { if (scrollY + innerHeight > document.body.scrollHeight - 50) more(); });
</script></html>"""


@pytest.fixture(scope="module")
def data_site() -> Generator[Site]:
    rows = "".join(f"<tr><td>{n}<td>Name {n}<td>City {n % 50}<td>{n * 7}</tr>" for n in range(5_471))
    items = "".join(f"<li><a href=/docs/{n}>Chapter {n}</a></li>" for n in range(12))
    pages: dict[str, Any] = {
        "/table": DATA_TABLE,
        "/shop": SHOP.format(cards=CARDS),
        "/docs": DOCS.format(items=items),
        "/large": LARGE.format(rows=rows),
        "/two": TWO,
        "/feed": FEED,
        "/text": "<!doctype html><html lang=en><title>Text</title><p>Only text</p></html>",
    }
    with serving(pages) as site:
        yield site


async def extracted(hub: HubProcess, url: str, **arguments: Any) -> dict[str, Any]:
    async with http_client(hub, query="?tools=full") as client:
        await call(client, "browser_navigate", url=url)
        return await call(client, "browser_extract", **arguments)


async def test_a_table_of_57_rows_on_six_pages(hub_without_rate_limit: HubProcess, data_site: Site) -> None:
    types = {"Salary": "number", "Start date": "date"}
    found = await extracted(hub_without_rate_limit, data_site.url("/table"), next=NEXT, types=types)
    assert (found["total"], found["pages"], len(found["rows"])) == (57, 6, 57)
    assert found["rows"][0] == {"Name": "Person 0", "Office": "Office 0", "Salary": 1500, "Start date": "2026-11-01"}
    assert found["rows"][56]["Name"] == "Person 56"
    limited = await extracted(hub_without_rate_limit, data_site.url("/table"), next=NEXT, max_pages=2)
    assert (limited["total"], limited["pages"]) == (20, 2)
    assert "There is more" in limited["cut"]


async def test_cards_by_fields_by_example_and_alone(hub_without_rate_limit: HubProcess, data_site: Site) -> None:
    url = data_site.url("/shop")
    schema = {
        "name": "h3",
        "price": {"css": ".price", "type": "number"},
        "link": {"css": "a", "type": "url"},
        "in_stock": {"css": ".stock", "type": "boolean"},
    }
    by_fields = await extracted(hub_without_rate_limit, url, schema=schema)
    expected = [
        {
            "name": name,
            "price": float(price.replace(",", ".")),
            "link": f"{data_site.url('/coffee/')}{n}",
            "in_stock": stock == "yes",
        }
        for n, (name, price, stock) in enumerate(COFFEES)
    ]
    assert by_fields["rows"] == expected
    example = {"name": "Espresso", "price": "2,50 €"}
    by_example = await extracted(hub_without_rate_limit, url, example=example, types={"price": "number"})
    assert by_example["rows"] == [{"name": one["name"], "price": one["price"]} for one in expected]
    alone = await extracted(hub_without_rate_limit, url)
    assert [row["title"] for row in alone["rows"]] == [name for name, *_ in COFFEES]
    assert [row["price"] for row in alone["rows"]] == [f"{price} €" for _, price, _ in COFFEES]
    assert alone["rows"][0]["url"] == data_site.url("/coffee/0")


async def test_a_documentation_index(hub_without_rate_limit: HubProcess, data_site: Site) -> None:
    found = await extracted(hub_without_rate_limit, data_site.url("/docs"))
    assert found["rows"] == [{"link": f"Chapter {n}", "url": data_site.url(f"/docs/{n}")} for n in range(12)]


async def test_a_page_that_loads_more_when_it_is_scrolled(hub_without_rate_limit: HubProcess, data_site: Site) -> None:
    found = await extracted(hub_without_rate_limit, data_site.url("/feed"), scrolls=10)
    assert [row["title"] for row in found["rows"]] == [f"Post {n}" for n in range(1, 71)]
    once = await extracted(hub_without_rate_limit, data_site.url("/feed"))
    assert once["total"] == 20


@pytest.mark.parametrize("form", ["csv", "json", "jsonl"])
async def test_a_table_of_5471_rows_as_a_file(hub_without_rate_limit: HubProcess, data_site: Site, form: str) -> None:
    async with http_client(hub_without_rate_limit, query="?tools=full") as client:
        await call(client, "browser_navigate", url=data_site.url("/large"))
        saved = await call(client, "browser_extract", file=f"../large.{form}", types={"Value": "number"})
    assert saved["total"] == 5_471
    path = Path(saved["path"])
    assert path.name.startswith("large") and path.suffix == f".{form}"
    text = path.read_text(encoding="utf-8")
    path.unlink()
    if form == "csv":
        rows: list[Any] = list(csv.DictReader(text.splitlines()))
        assert rows[-1] == {"Id": "5470", "Name": "Name 5470", "City": "City 20", "Value": "38290"}
    else:
        rows = json.loads(text) if form == "json" else [json.loads(line) for line in text.splitlines()]
        assert rows[-1] == {"Id": "5470", "Name": "Name 5470", "City": "City 20", "Value": 38290}
    assert len(rows) == 5_471


async def test_a_large_table_within_the_token_limit(hub_without_rate_limit: HubProcess, data_site: Site) -> None:
    async with http_client(hub_without_rate_limit, query="?tools=full") as client:
        await call(client, "browser_navigate", url=data_site.url("/large"))
        found = await call(client, "browser_extract")
    assert found["total"] == 5_471
    assert len(found["rows"]) + found["rows_left"] == 5_471
    assert len(str(found)) < 8_000 * 8


async def test_what_is_not_clear_is_an_error_that_says_what_to_give(
    hub_without_rate_limit: HubProcess, data_site: Site
) -> None:
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("/two", {}, "several tables"),
        ("/text", {}, "no table or list"),
        ("/shop", {"example": {"name": "Latte"}}, "nothing on the page reads"),
        ("/shop", {"rows": "article[["}, "not a valid selector"),
        ("/shop", {"file": "rows.exe"}, "not the name of a CSV"),
    ]
    async with http_client(hub_without_rate_limit, query="?tools=full") as client:
        for path, arguments, message in cases:
            await call(client, "browser_navigate", url=data_site.url(path))
            error = await fail(client, "browser_extract", **arguments)
            assert message in error["message"], error
            assert error["suggestions"]


async def test_each_click_on_the_pager_is_authorized_and_recorded(hub_with: HubWith, data_site: Site) -> None:
    hub = hub_with('[policy]\napproval_timeout_s = 60\n[policy.domains."127.0.0.1"]\nwrite = "ask"\n')
    person = SimulatedUser([form_response("Allow once"), form_response("Deny")])
    async with asking_client(hub, person, query="?tools=full") as client:
        await call(client, "browser_navigate", url=data_site.url("/table"))
        found = await call(client, "browser_extract", next=NEXT)
    assert (found["total"], found["pages"]) == (20, 2)
    assert found["incomplete"].startswith("APPROVAL_DENIED")
    assert len(person.forms) == 2
    clicks = AuditLogReader(AuditLogFiles.in_home(hub.home)).search(AuditQuery(tool="browser_click"))
    assert sorted(str((one.outcome or {}).get("status")) for one in clicks) == ["ok", "refused"]
