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
        'const $paint=(()=>{const colour="red";return{colour};})();\n'
        "const $draw_draw=(()=>{const{colour}=$paint;const draw=(x)=>x+colour;return{draw};})();\n"
        "const $main=(()=>{const{draw}=$draw_draw;const{colour:ink}=$paint;"
        "function render(){return draw(ink);}\nreturn{render};})();\n"
        "export default $main;\n"
    )


@pytest.mark.parametrize(
    ("code", "short"),
    [
        ("a = b + +c - -d; // why", "a=b+ +c- -d;"),
        ('x = a / b / c;\ny = a.replace(/[/ ]+ \'/g, "-");', 'x=a/b/c;y=a.replace(/[/ ]+ \'/g,"-");'),
        ("s = `two  words // ${f({ a: `${b}  c` })}`;", "s=`two  words // ${f({ a: `${b}  c` })}`;"),
        ('const f = (x) => {\n  return  x;\n}\nf("a  /* b */")', 'const f=(x)=>{return x;}\nf("a  /* b */")'),
    ],
)
def test_what_is_left_out_means_nothing(code: str, short: str, tmp_path: Path) -> None:
    assert short in join_modules(write(tmp_path, {"main.js": f"{code}\n"}), "main.js")


def test_all_ways_to_export_and_import_are_read(tmp_path: Path) -> None:
    modules = {
        "main.js": 'import {\n  A,\n  b as c,\n} from "./x.js";\nimport "./effect.js";\nexport class Main {}\n',
        "x.js": "export class A {}\nexport async function b() {}\nexport function* d() {}\n",
        "effect.js": 'window.effect = "import and export";\n',
    }
    joined = join_modules(write(tmp_path, modules), "main.js")
    assert "return{A,b,d};" in joined
    assert "const{A,b:c,}=$x;" in joined
    assert joined.index("window.effect") < joined.index("const $main")
    assert "return{Main};" in joined


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
    first = [".qp-lab{", ".qp-lab .lab-status{", ".qp-lab button,", ".qp-lab .lab-diagram{"]
    places = [joined.index(each) for each in first]
    assert places == sorted(places)
    sheets = "".join(path.read_text() for path in page.rglob("*.css"))
    assert joined.count("{") == sheets.count("{")
    assert 'content:"answer to the problem before"' in joined
    assert "calc(78vh * 4 / 3)" in joined
    assert "/*" not in joined


def test_the_page_loads_all_its_modules_at_once() -> None:
    page = Path(formulations.lab.__file__).parent / "page"
    imported = re.findall(r"^const \$(\w+)=\(\(\)=>", join_modules(page, "main.js"), re.MULTILINE)
    preloaded = re.findall(r'<link rel="modulepreload" href="([^"]+)">', (page / "index.html").read_text())
    assert preloaded == sorted(preloaded)
    assert sorted(re.sub(r"\W", "_", name.removesuffix(".js")) for name in preloaded) == sorted({*imported} - {"main"})
