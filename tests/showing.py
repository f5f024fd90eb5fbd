# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of displays share: HTML that is read, and LaTeX that is balanced."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

__all__ = ["check_bundle", "check_latex", "check_repr", "read_html"]

_VOID = {"br", "hr", "img", "input", "meta", "link"}


class _Reader(HTMLParser):
    """Keeps the open tags, all tags, and the text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.text: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read_html(html: str) -> str:
    """Return the text of HTML whose tags are balanced, small, without scripts, resources or fixed backgrounds."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert not reader.open
    assert not reader.tags & {"script", "style", "link", "img", "iframe", "object"}
    for name, value in reader.attributes:
        assert not name.startswith("on")
        assert name not in ("src", "href")
        assert "background" not in (value or "")
        assert name != "fill" or value == "currentColor"
    assert len(html) < 100_000
    return "".join(reader.text)


def check_latex(latex: str) -> None:
    """Refuse braces, environments or dollars without a partner, and what Unicode was left over."""
    bare = re.sub(r"\\[{}]", "", latex)
    depth = 0
    for letter in bare:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        assert depth >= 0
    assert depth == 0
    assert latex.count("\\begin{") == latex.count("\\end{")
    assert latex.count("$") == 2
    assert latex.isascii()


def check_repr(value: Any) -> None:
    """Refuse a repr of more than a line, or of more than 200 letters, or with an array."""
    line = repr(value)
    assert "\n" not in line
    assert len(line) < 200
    assert "array(" not in line
    assert " object at 0x" not in line


def check_bundle(value: Any, *, maths: bool) -> str:
    """Check what a notebook gets; return the text of its HTML."""
    bundle = value._repr_mimebundle_(include=None, exclude=None)
    assert bundle["text/plain"] == str(value)
    assert ("text/latex" in bundle) == maths
    if maths:
        check_latex(bundle["text/latex"])
    return read_html(bundle["text/html"])
