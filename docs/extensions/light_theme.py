# SPDX-License-Identifier: BSD-3-Clause
"""The styles and icons of the site without what no page uses.

The theme brings the rules of all Bootstrap and a font of 1,400 icons, half of the bytes of a page. A rule stays if
every class that one of its selectors asks for is a class of some page or a word in some script; a glyph stays if a rule
that stays names it.
"""

import logging
import re
from collections.abc import Iterator
from pathlib import Path

from fontTools import subset
from sphinx.application import Sphinx

QUOTED = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
COMMENT = re.compile(rf"({QUOTED})|/\*.*?\*/", re.DOTALL)
PIECE = re.compile(rf"(?:{QUOTED}|[^{{}};\"'])*[{{}};]", re.DOTALL)
CLASS = re.compile(r"\.(-?[A-Za-z_][\w-]*)")
INSIDE = re.compile(r"\([^()]*\)")
GROUPS = ("@media", "@supports")
GLYPH = re.compile(r'"(?:\\([ef][0-9a-f]{3})|([\ue000-\uf8ff]))"')
FONT = re.compile(r"url\(([^)]*fa-solid-900\.woff2)\)")


def setup(app: Sphinx) -> dict[str, bool]:
    """Lighten what has been copied, after all pages are written."""
    app.connect("builder-inited", forget)
    app.connect("build-finished", lighten, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def forget(app: Sphinx) -> None:
    """Remove the sheet of notebooks, which is copied only where there is none."""
    for sheet in (Path(app.outdir) / "_static").glob("mystnb.*.css"):
        sheet.unlink()


def lighten(app: Sphinx, exception: Exception | None) -> None:
    """Rewrite the style sheets, and the font of the icons."""
    if exception is not None or app.builder.format != "html":
        return
    site = Path(app.outdir)
    words = words_of(site)
    for sheet in sorted((site / "_static").rglob("*.css")):
        text = used(COMMENT.sub(r"\1", sheet.read_text(encoding="utf-8")), words)
        sheet.write_text(text, encoding="utf-8")
        for font in FONT.findall(text):
            keep_glyphs(
                sheet.parent / font, {int(code, 16) if code else ord(glyph) for code, glyph in GLYPH.findall(text)}
            )


def words_of(site: Path) -> set[str]:
    """Return the classes of all pages, and every word of the scripts, which may set one."""
    words: set[str] = set()
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for names in set(re.findall(r'class="([^"]*)"', text)):
            words.update(names.split())
        for script in re.findall(r"<script(?! src)[^>]*>(.+?)</script>", text, re.DOTALL):
            words.update(re.findall(r"[\w-]+", script))
    for script in (site / "_static").glob("**/*.js"):
        if "mathjax" not in script.parts and script.stem != "fontawesome":
            words.update(re.findall(r"[\w-]+", script.read_text(encoding="utf-8")))
    return words


def used(sheet: str, words: set[str]) -> str:
    """Return a style sheet without the rules that match nothing."""
    return "".join(_rules(iter(PIECE.findall(sheet)), words))


def _rules(pieces: Iterator[str], words: set[str]) -> Iterator[str]:
    """Yield the rules up to the end of a group, or of the sheet."""
    for piece in pieces:
        if piece.endswith("}"):
            return
        if piece.endswith(";"):
            yield piece
        elif piece.lstrip().startswith(GROUPS):
            inner = "".join(_rules(pieces, words))
            if inner:
                yield f"{piece}{inner}}}"
        elif piece.lstrip().startswith("@"):
            yield piece + "".join(_block(pieces))
        else:
            body = "".join(_block(pieces))
            kept = [each for each in _selectors(piece[:-1]) if set(CLASS.findall(_bare(each))) <= words]
            if kept:
                yield f"{','.join(kept)}{{{body}"


def _block(pieces: Iterator[str]) -> Iterator[str]:
    """Yield what is left of a block, with the brace that ends it."""
    depth = 1
    while depth:
        piece = next(pieces)
        depth += {"{": 1, "}": -1}.get(piece[-1], 0)
        yield piece


def _selectors(text: str) -> Iterator[str]:
    """Yield the selectors of a rule, which commas outside of brackets part."""
    depth, start = 0, 0
    for place, letter in enumerate(text):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(letter, 0)
        if letter == "," and not depth:
            yield text[start:place]
            start = place + 1
    yield text[start:]


def _bare(selector: str) -> str:
    """Return a selector without brackets: what is within ``:not()`` need not be there, nor all of ``:is()``."""
    while (shorter := INSIDE.sub("", selector)) != selector:
        selector = shorter
    return re.sub(r"\[[^\]]*\]", "", selector)


def keep_glyphs(font: Path, codes: set[int]) -> None:
    """Rewrite a font with these glyphs only."""
    logging.getLogger("fontTools").setLevel(logging.WARNING)
    options = subset.Options(flavor="woff2", layout_features=[], name_IDs=[])
    loaded = subset.load_font(str(font), options)
    chosen = subset.Subsetter(options)
    chosen.populate(unicodes=codes)
    chosen.subset(loaded)
    subset.save_font(loaded, str(font), options)
