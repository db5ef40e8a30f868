"""The injected modules in a real page: two scripts, one instance of each module, and no name of the browser hidden."""

from __future__ import annotations

import re

from playwright.async_api import Page

from browser_pilot.page.injected_script import (
    LOADING_FUNCTIONS,
    PICKER_SCRIPT,
    full_source,
    loading_source,
    picker_script,
)

from .conftest import Sites

DECLARED = re.compile(r"^(?:async )?(?:function\*?|const|let|class) (\w+)", re.MULTILINE)
OPTIONS = "{ prefix: 'e', firstRef: 7 }"


async def test_a_loading_document_gets_the_first_functions_only(page: Page) -> None:
    names = await page.evaluate(f"Object.keys(({loading_source()})())")
    assert {*names} - {"shared"} == LOADING_FUNCTIONS
    assert len(loading_source()) * 10 < len(full_source())


async def test_the_second_script_uses_the_instances_of_the_first(page: Page, sites: Sites) -> None:
    """A function of the second script reports the watch that the first one started."""
    url = sites.add("hash", "<p>Text</p>")
    await page.goto(url)
    result = await page.evaluate(
        f"""async () => {{
            const api = ({loading_source()})();
            ({full_source()})(api, {OPTIONS});
            api.startWatch();
            location.hash = '#there';
            const {{ navigating, sameDocument }} = await api.scrollResult(null);
            return {{ navigating, sameDocument, shared: api.shared }};
        }}"""
    )
    assert result == {"navigating": f"{url}#there", "sameDocument": True, "shared": None}


async def test_refs_start_where_the_caller_says(page: Page) -> None:
    await page.set_content("<button>Go</button>")
    refs = await page.evaluate(
        f"""() => {{
            const api = ({loading_source()})();
            ({full_source()})(api, {OPTIONS});
            return JSON.parse(api.snapshot({{}})).rows.map(([ref]) => ref);
        }}"""
    )
    assert refs == ["e7"]


async def test_the_scripts_are_installed_once(page: Page) -> None:
    same = await page.evaluate(
        f"""() => {{
            const api = ({loading_source()})();
            ({full_source()})(api, {OPTIONS});
            const token = api.documentToken();
            ({full_source()})(({loading_source()})(), {OPTIONS});
            return token === api.documentToken() && ({loading_source()})() === api;
        }}"""
    )
    assert same is True


async def test_no_top_level_name_hides_a_name_of_the_browser(page: Page) -> None:
    """In one flat scope it would change what that name means in every other module."""
    names = DECLARED.findall(loading_source() + full_source())
    assert len(names) > 300
    assert await page.evaluate("(names) => names.filter((name) => name in globalThis)", names) == []


async def test_nothing_leaks_into_the_global_scope(page: Page) -> None:
    added = await page.evaluate(
        f"""() => {{
            const before = new Set(Object.getOwnPropertyNames(globalThis));
            ({full_source()})(({loading_source()})(), {OPTIONS});
            return Object.getOwnPropertyNames(globalThis).filter((name) => !before.has(name));
        }}"""
    )
    assert added == ["browserPilot"]


async def test_the_picker_script_reads_the_current_names(page: Page) -> None:
    await page.set_content("<button>Save <span id=what>draft</span></button><input placeholder=Mail>")
    names = await page.evaluate(
        f"""() => {{
            {picker_script()}
            const accname = globalThis.browserPilotAccname;
            const [button, field] = document.querySelectorAll('button, input');
            const before = accname.nameOf(button);
            document.querySelector('#what').style.display = 'none';
            return [before, accname.nameOf(button), accname.nameOf(field), accname.roleOf(field)];
        }}"""
    )
    assert names == ["Save draft", "Save", "Mail", "textbox"]


def test_the_pickers_script_is_the_one_generated_from_these_modules() -> None:
    assert PICKER_SCRIPT.read_text(encoding="utf-8") == picker_script(), "run `make docs`"
