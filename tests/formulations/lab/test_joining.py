# SPDX-License-Identifier: BSD-3-Clause
"""Modules as one: what each exports reaches whoever imports it. A browser runs the page's in page/test_notebook.py."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

import formulations.lab
from formulations.lab.joining import join_modules, join_styles
from qpkernels.errors import FileFormatError


def write(folder: Path, modules: Mapping[str, str]) -> Path:
    for name, text in modules.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_a_module_stands_once_and_after_those_that_it_imports(tmp_path: Path) -> None:
    modules = {
        "main.js": 'import { draw } from "./draw/draw.js";\nimport { colour as ink } from "./paint.js";\n'
        "export function render() {\n  return draw(ink);\n}\n",
        "draw/draw.js": 'import { colour } from "../paint.js";\nexport const draw = (x) => x + colour;\n',
        "paint.js": 'export const colour = "red";\n',
    }
    joined = join_modules(write(tmp_path, modules), "main.js")
    assert joined == (
        '// paint.js\nconst $paint = (() => {\nconst colour = "red";\n\nreturn { colour };\n})();\n\n'
        "// draw/draw.js\nconst $draw_draw = (() => {\nconst { colour } = $paint;\nconst draw = (x) => x + colour;\n\n"
        "return { draw };\n})();\n\n"
        "// main.js\nconst $main = (() => {\nconst { draw } = $draw_draw;\nconst { colour: ink } = $paint;\n"
        "function render() {\n  return draw(ink);\n}\n\nreturn { render };\n})();\n\n"
        "export default $main;\n"
    )


def test_all_ways_to_export_and_import_are_read(tmp_path: Path) -> None:
    modules = {
        "main.js": 'import {\n  A,\n  b as c,\n} from "./x.js";\nimport "./effect.js";\nexport class Main {}\n',
        "x.js": "export class A {}\nexport async function b() {}\nexport function* d() {}\n",
        "effect.js": 'window.effect = "import and export";\n',
    }
    joined = join_modules(write(tmp_path, modules), "main.js")
    assert "return { A, b, d };" in joined
    assert "const {\n  A,\n  b: c,\n} = $x;" in joined
    assert joined.index("window.effect") < joined.index("const $main")
    assert "return { Main };" in joined


@pytest.mark.parametrize(
    "line",
    [
        'import whole from "./x.js";',
        'import * as all from "./x.js";',
        'import { a } from "https://elsewhere.example/x.js";',
        "  import { a } from './x.js';",
        "export default function () {}",
        "export let counter = 0;",
        'export { a } from "./x.js";',
        'const late = await import("./x.js");',
        "const here = import.meta.url;",
    ],
)
def test_any_other_way_is_refused_with_its_line(line: str, tmp_path: Path) -> None:
    write(tmp_path, {"main.js": f"const before = 1;\n{line}\n", "x.js": "export const a = 1;\n"})
    with pytest.raises(FileFormatError, match=r"main\.js must import and export as .*has") as refused:
        join_modules(tmp_path, "main.js")
    assert line.strip().removeprefix("const late = await ").removeprefix("const here = ") in str(refused.value)


def test_a_circle_is_refused_with_its_modules(tmp_path: Path) -> None:
    modules = {
        "main.js": 'import "./a.js";\n',
        "a.js": 'import { b } from "./b.js";\n',
        "b.js": 'import { a } from "./a.js";\n',
    }
    with pytest.raises(FileFormatError, match=r"circle, but a\.js -> b\.js -> a\.js do"):
        join_modules(write(tmp_path, modules), "main.js")


def test_a_module_that_is_missing_is_named_with_its_importer(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"main\.js imports lost/x\.js, which is not in"):
        join_modules(write(tmp_path, {"main.js": 'import "./lost/x.js";\n'}), "main.js")


def test_every_style_sheet_of_the_page_stands_once_and_in_order() -> None:
    page = Path(formulations.lab.__file__).parent / "page"
    joined = join_styles(page)
    sheets = {path.name: path.read_text() for path in page.rglob("*.css")}
    places = [joined.index(sheets[name]) for name in ("base.css", "plane.css", "panels.css", "views.css")]
    assert places == sorted(places)
    assert len(joined) == sum(map(len, sheets.values())) + len(sheets) - 1


def test_the_page_loads_all_its_modules_at_once() -> None:
    page = Path(formulations.lab.__file__).parent / "page"
    imported = re.findall(r"^// (\S+\.js)$", join_modules(page, "main.js"), re.MULTILINE)
    preloaded = re.findall(r'<link rel="modulepreload" href="([^"]+)">', (page / "index.html").read_text())
    assert preloaded == sorted(set(imported) - {"main.js"})
