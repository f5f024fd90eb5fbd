# SPDX-License-Identifier: BSD-3-Clause
"""The formulas of the textbooks, each with its page, its code and its test: the lines of ``concordance.tsv``.

A line has the document, the place of the formula in it, what the formula is about, the page with its heading, the
object of the code by its dotted name, the test as ``file::function`` below ``tests``, and a note. Code and test may be
left empty, and the note then says why. To add a formula, add a line.
"""

import ast
import inspect
import re
from csv import DictReader
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from pkgutil import resolve_name

__all__ = ["DOCUMENTS", "ROOT", "ROWS", "Row", "headings", "place_of_test", "source_of"]

ROOT = Path(__file__).parents[2]
"""The repository."""

DOCS = ROOT / "docs"

DOCUMENTS = ("notebook", "lecture", "survey", "chapter")
"""The words for the documents in the table; the page has their subjects."""


@dataclass(frozen=True)
class Row:
    """A formula, and where it is found here."""

    document: str
    place: str
    formula: str
    page: str
    code: str
    test: str
    note: str


def _rows() -> tuple[Row, ...]:
    with (DOCS / "extensions" / "concordance.tsv").open(encoding="utf-8", newline="") as lines:
        return tuple(Row(**line) for line in DictReader(lines, delimiter="\t"))


ROWS = _rows()


@cache
def headings(page: str) -> dict[str, str]:
    """Return the headings of a page, its title first, by their anchors."""
    text = re.sub(r"^```.*?^```", "", (DOCS / page).read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    found = re.findall(r"^#{1,3} (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-"): heading for heading in found}


def source_of(code: str) -> tuple[Path, int]:
    """Return the file of an object and its line, from 1.

    Raises
    ------
    ImportError, AttributeError
        If there is no such object.
    """
    found = resolve_name(code)
    if isinstance(found, property | cached_property):
        found = found.fget if isinstance(found, property) else found.func
    found = inspect.unwrap(found)
    return Path(inspect.getsourcefile(found) or ""), inspect.getsourcelines(found)[1]


@cache
def _functions(file: Path) -> dict[str, int]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {each.name: each.lineno for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)}


def place_of_test(test: str) -> tuple[Path, int]:
    """Return the file of a test, named as ``file::function`` below ``tests``, and its line, from 1.

    Raises
    ------
    FileNotFoundError, KeyError
        If there is no such file, or no such function in it.
    """
    file, _, name = test.partition("::")
    path = ROOT / "tests" / file
    return path, _functions(path)[name]
