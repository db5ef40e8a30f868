"""The bundler joins ES modules in the order of their imports, and refuses what it cannot join."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import pytest

from browser_pilot.page.module_bundler import BundleError, Module, collect_modules, join, parse_module, shared_names


def collect(files: Mapping[str, str], entry: str = "main.js", loaded: tuple[Module, ...] = ()) -> tuple[Module, ...]:
    def read(path: str) -> str:
        if path not in files:
            raise FileNotFoundError(path)
        return files[path]

    return collect_modules(entry, read, loaded=loaded)


def paths(modules: tuple[Module, ...]) -> list[str]:
    return [module.path for module in modules]


def test_each_module_comes_once_and_after_its_imports() -> None:
    modules = collect(
        {
            "main.js": "import { b } from './folder/b.js';\nimport { a } from './a.js';\nexport const main = a + b;\n",
            "folder/b.js": "import { a } from '../a.js';\nexport const b = a;\n",
            "a.js": "export const a = 1;\n",
        }
    )
    assert paths(modules) == ["a.js", "folder/b.js", "main.js"]
    assert join(modules) == "const a = 1;\n\nconst b = a;\n\nconst main = a + b;\n"


def test_imports_may_span_lines_and_all_allowed_exports_are_found() -> None:
    module = parse_module(
        "x.js",
        "import {\n  one, two,\n  three,\n} from './y.js';\n"
        "export function f() {}\nexport async function g() {}\nexport function* h() {}\n"
        "export class C {}\nexport const K = 1;\nlet hidden = 2;\nfunction inner() {}\n",
    )
    assert module.imports == {"y.js": ("one", "two", "three")}
    assert module.exports == {"f", "g", "h", "C", "K"}
    assert module.declared == ("f", "g", "h", "C", "K", "hidden", "inner")
    assert "export" not in module.body and "import" not in module.body


def test_comments_on_lines_of_their_own_are_dropped_and_casts_kept() -> None:
    source = (
        "// About the module.\n/** One line. @param {X} x */\nexport function f(x) {\n  // Why.\n"
        "  /** @type {A} */ (x).a();\n  /**\n   * Lines. \n   */\n  const url = 'http://b'; // kept\n}\n"
    )
    assert parse_module("x.js", source).body == (
        "function f(x) {\n  /** @type {A} */ (x).a();\n  const url = 'http://b'; // kept\n}\n"
    )


def test_a_missing_module_is_named_with_its_importer() -> None:
    with pytest.raises(BundleError, match=r"no module folder/gone\.js, imported by main\.js"):
        collect({"main.js": "import { a } from './folder/gone.js';\n"})


def test_an_unknown_export_is_refused() -> None:
    with pytest.raises(BundleError, match=r"main\.js: a\.js does not export secret"):
        collect(
            {"main.js": "import { a, secret } from './a.js';\n", "a.js": "export const a = 1;\nconst secret = 2;\n"}
        )


def test_a_cycle_is_refused() -> None:
    with pytest.raises(BundleError, match=r"Cyclic import: a\.js -> b\.js -> a\.js"):
        collect(
            {
                "main.js": "import { a } from './a.js';\n",
                "a.js": "import { b } from './b.js';\nexport function a() {}\n",
                "b.js": "import { a } from './a.js';\nexport function b() {}\n",
            }
        )


@pytest.mark.parametrize("second", ["const same = 2;\n", "function same() {}\n", "export class same {}\n"])
def test_a_name_that_two_modules_declare_is_refused(second: str) -> None:
    with pytest.raises(BundleError, match=r"main\.js: same is already declared in a\.js"):
        collect({"main.js": f"import {{ a }} from './a.js';\n{second}", "a.js": "export const a = 1;\nlet same = 1;\n"})


@pytest.mark.parametrize(
    "statement",
    [
        "export let shared = 1;",
        "export default function f() {}",
        "export { a };",
        "export * from './a.js';",
        "import a from './a.js';",
        "import * as a from './a.js';",
        "import { a as b } from './a.js';",
        "import { a } from 'package';",
        "import './a.js';",
        "var old = 1;",
        "const { a } = b;",
    ],
)
def test_other_forms_are_refused(statement: str) -> None:
    with pytest.raises(BundleError, match="not supported"):
        parse_module("x.js", f"{statement}\n")


class TestSecondStage:
    FILES: ClassVar[Mapping[str, str]] = {
        "first.js": "import { both } from './both.js';\nexport const first = both;\n",
        "second.js": "import { only } from './only.js';\nimport { both } from './both.js';\nexport const second = 1;\n",
        "both.js": "export const both = {};\nexport const unused = 1;\n",
        "only.js": "export const only = 1;\n",
    }

    def test_a_module_of_the_first_stage_is_not_instantiated_again(self) -> None:
        first = collect(self.FILES, "first.js")
        assert paths(collect(self.FILES, "second.js", loaded=first)) == ["only.js", "second.js"]

    def test_only_what_is_imported_is_shared(self) -> None:
        first = collect(self.FILES, "first.js")
        assert shared_names(collect(self.FILES, "second.js", loaded=first), first) == ("both",)

    def test_a_name_of_the_first_stage_cannot_be_declared_again(self) -> None:
        files = {**self.FILES, "only.js": "export const only = 1;\nconst first = 2;\n"}
        with pytest.raises(BundleError, match=r"only\.js: first is already declared in first\.js"):
            collect(files, "second.js", loaded=collect(files, "first.js"))
