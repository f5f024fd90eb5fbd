# SPDX-License-Identifier: BSD-3-Clause
"""The tables of the concordance, and pages of the sources that they lead to, with an anchor at each line.

``{concordance} survey`` is the table of a document. The pages of sources that Sphinx makes itself have neither tests
nor anchors of lines.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from sphinx.application import Sphinx

from extensions.concordance import DOCUMENTS, ROOT, ROWS, Row, headings, place_of_test, source_of
from extensions.model_pages import MarkdownDirective


def setup(app: Sphinx) -> dict[str, bool]:
    """Know the directive, and add the pages."""
    app.add_directive("concordance", Concordance)
    app.connect("html-collect-pages", source_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class Concordance(MarkdownDirective):
    """The formulas of a document, each with its page, code and test."""

    required_arguments = 1

    def text(self) -> str:
        """Return the table."""
        (document,) = self.arguments
        if document not in DOCUMENTS:
            raise self.error(f"one of {', '.join(DOCUMENTS)} is expected, but {document} came.")
        lines = [line(row) for row in ROWS if row.document == document]
        return "\n".join(("| place | formula | page | code | test |", "|---|---|---|---|---|", *lines))


def line(row: Row) -> str:
    """Return the line of a formula, in Markdown."""
    page, _, anchor = row.page.partition("#")
    title, *_ = headings(page).values()
    code = link(source_of(row.code), ".".join(row.code.split(".")[-2:])) if row.code else ""
    test = link(place_of_test(row.test), row.test.partition("::")[2]) if row.test else ""
    formula = f"{row.formula}; {row.note}" if row.note else row.formula
    return f"| {row.place} | {formula} | [{title}: {headings(page)[anchor]}]({row.page}) | {code} | {test} |"


def link(place: tuple[Path, int], text: str) -> str:
    """Return a link to a line of a source, which a page at the top of the site shows."""
    file, number = place
    breakable = re.sub(r"(?<=[._])", "\u200b", text)
    return f'<a href="{page_of(file)}.html#line-{number}">`{breakable}`</a>, line {number}'


def page_of(file: Path) -> str:
    """Return the page that shows a source."""
    return f"_modules/source/{file.relative_to(ROOT).with_suffix('').as_posix()}"


def source_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield a page for each source that the tables name, as Sphinx asks for it."""
    del app
    files = {source_of(row.code)[0] for row in ROWS if row.code} | {
        place_of_test(row.test)[0] for row in ROWS if row.test
    }
    shown: HtmlFormatter[str] = HtmlFormatter(linenos="inline", lineanchors="line", cssclass="highlight")
    for file in sorted(files):
        name = file.relative_to(ROOT).as_posix()
        body = highlight(file.read_text(encoding="utf-8"), PythonLexer(), shown)
        yield page_of(file), {"title": name, "body": f"<h1>{name}</h1>{body}"}, "page.html"
