# SPDX-License-Identifier: BSD-3-Clause
"""The modules of a page as one, and its style sheets as one, for hosts that load a single file of each.

Each module becomes a function, called once, after those that it imports:

::

    const $paint = (() => { ...; return { CanvasPainter, colour }; })();
    const $picture = (() => { const { colour } = $paint; ...; return { drawPicture }; })();
    export default $picture;

Only the ways to import and export that the page uses are known, and any other is refused: ``import { a, b as c } from
"./x.js";``, ``import "./x.js";``, and ``export`` before a function, a class or a const, each at the beginning of a
line. Comments that have lines of their own are left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from qpkernels.errors import FileFormatError

__all__ = ["join_modules", "join_styles"]

_STYLE = re.compile(r'^<link rel="stylesheet" href="([^"]+)">$', re.MULTILINE)
_IMPORT = re.compile(r'^import (?:\{(?P<names>[^{}]*)\} from )?"(?P<source>\.[^"]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:(?:async )?function\*?|class|const) (?P<name>\w+))", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*(?://[^\n]*|/\*\*(?:[^*]|\*(?!/))*\*/)[ \t]*\n", re.MULTILINE)
_OTHER = re.compile(r"^[ \t]*(?:import\b|export\b).*|\bimport\s*\(.*|\bimport\.meta\b.*", re.MULTILINE)


def join_modules(folder: Path, entry: str) -> str:
    """Return one ES module whose default export is the object of all that the module ``entry`` of a folder exports."""
    bodies: dict[str, str] = {}
    _add(folder, PurePosixPath(entry), bodies, ())
    return "\n".join([*bodies.values(), f"export default {_variable(PurePosixPath(entry))};", ""])


def join_styles(folder: Path) -> str:
    """Return the style sheets that ``index.html`` in a folder links, one after the other as there."""
    page = (folder / "index.html").read_text(encoding="utf-8")
    return "\n".join((folder / sheet).read_text(encoding="utf-8") for sheet in _STYLE.findall(page))


def _add(folder: Path, path: PurePosixPath, bodies: dict[str, str], importers: tuple[PurePosixPath, ...]) -> None:
    """Add a module after those that it imports, once."""
    if path in importers:
        circle = " -> ".join(map(str, (*importers[importers.index(path) :], path)))
        raise FileFormatError(f"modules must not import each other in a circle, but {circle} do.")
    if str(path) in bodies:
        return
    try:
        text = (folder / path).read_text(encoding="utf-8")
    except OSError:
        importer = importers[-1] if importers else "the page"
        raise FileFormatError(f"{importer} imports {path}, which is not in {folder}.") from None
    sources = {match["source"]: _resolved(path, match["source"]) for match in _IMPORT.finditer(text)}
    for source in sources.values():
        _add(folder, source, bodies, (*importers, path))
    bodies[str(path)] = _wrapped(path, text, sources)


def _wrapped(path: PurePosixPath, text: str, sources: Mapping[str, PurePosixPath]) -> str:
    """Return a module as the result of a function."""

    def binding(match: re.Match[str]) -> str:
        if match["names"] is None:
            return ""
        names = re.sub(r"\s+as\s+", ": ", match["names"])
        return f"const {{{names}}} = {_variable(sources[match['source']])};"

    exports = [match["name"] for match in _EXPORT.finditer(text)]
    body = _COMMENT.sub("", _EXPORT.sub("", _IMPORT.sub(binding, text)))
    if other := _OTHER.search(body):
        raise FileFormatError(
            f"{path} must import and export as formulations/lab/joining.py says, but has {other[0].strip()!r}."
        )
    return f"// {path}\nconst {_variable(path)} = (() => {{\n{body}\nreturn {{ {', '.join(exports)} }};\n}})();\n"


def _resolved(importer: PurePosixPath, source: str) -> PurePosixPath:
    parts: list[str] = []
    for part in (importer.parent / source).parts:
        if part == ".." and parts:
            parts.pop()
        else:
            parts.append(part)
    return PurePosixPath(*parts)


def _variable(path: PurePosixPath) -> str:
    return "$" + re.sub(r"\W", "_", str(path.with_suffix("")))
