# SPDX-License-Identifier: BSD-3-Clause
r"""Docstrings are plain text: what reStructuredText would take for markup in them is written as it stands.

They state problems as one writes them at a terminal, |r|^p, a'YKYa and beta_ among them. Markup that they do use is
``literal``, :role:`text`, directives, and blocks after ``::``; all else is escaped.
"""

import re

from sphinx.application import Sphinx

MARKUP = re.compile(r"``.+?``|:[a-z:]+:`[^`]+`|`[^`]+`_+|\.\. \S+::", re.DOTALL)
ELSEWHERE = re.compile(r":(?:ref|term):`([^`<]*?)\s*(?:<[^`>]*>)?`")
"""Links into the documentation of scikit-learn, in the docstrings of methods that estimators inherit from it."""

ITEM = re.compile(r"\s*\* ")
SPECIAL = re.compile(r"(?<!\\)([*|`]|(?<=\w)_(?!\w))")


def setup(app: Sphinx) -> dict[str, bool]:
    """Escape docstrings before numpydoc reads them."""
    app.connect("autodoc-process-docstring", escape, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def escape(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Escape the lines of a docstring in place, but for literal blocks, examples and names of parameters."""
    del app, what, name, obj, options
    literal: int | None = None
    example = False
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if literal is not None and line.strip() and indent <= literal:
            literal = None
        example = bool(line.strip()) and (example or line.lstrip().startswith(">>>"))  # with what it prints
        if literal is None and not example:
            lines[number] = escaped(ELSEWHERE.sub(r"\1", line))
        if literal is None and line.rstrip().endswith("::"):
            literal = indent


def escaped(line: str) -> str:
    """Return a line whose special characters stand for themselves, markup and the marks of lists left as they are."""
    item = ITEM.match(line)
    at = item.end() if item else 0
    parts = [line[:at]]
    for markup in MARKUP.finditer(line, at):
        parts += [SPECIAL.sub(r"\\\1", line[at : markup.start()]), markup.group()]
        at = markup.end()
    return "".join([*parts, SPECIAL.sub(r"\\\1", line[at:])])
