# SPDX-License-Identifier: BSD-3-Clause
"""The modules of a page as one, and its style sheets as one, for hosts that load a single file of each.

Each module becomes a function, called once, after those that it imports:

::

    const $paint = (() => { ...; return { CanvasPainter, colour }; })();
    const $picture = (() => { const { colour } = $paint; ...; return { drawPicture }; })();
    export default $picture;

Only the ways to import and export that the page uses are known, and any other is refused: ``import { a, b as c } from
"./x.js";``, ``import "./x.js";``, and ``export`` before a function, a class or a const, each at the beginning of a
line. Comments, and white space that means nothing, are left out; the rest of the code is as it was written. A slash
begins a regular expression where an operand is due, and divides elsewhere.
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
_TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<space>\s+)"
    r"|(?P<whole>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')"
    r"|(?P<pattern>/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*)|(?P<word>[\w$]+)|(?P<other>.)",
    re.DOTALL,
)
_PLAIN_LETTER = re.compile(r"(?<!\\)\\u(00[a-f][0-9a-f]|0[1-9a-f][0-9a-f]{2}|2[12][0-9a-f]{2}|20[13-9][0-9a-f])")
_PATTERN_AFTER = "(,=:[!&|?{};"
"""What a regular expression may follow, in place of an operand before a division."""
_ENDLESS, _ENDED = frozenset("{([,;:?=&|<>*!"), frozenset(")]},;:?.=&|<>*")
"""What a line may not end with, or begin with, so that the one beside it does not go on."""
_OTHER = re.compile(r"^[ \t]*(?:import\b|export\b).*|\bimport\s*\(.*|\bimport\.meta\b.*", re.MULTILINE)


def join_modules(folder: Path, entry: str) -> str:
    """Return one ES module whose default export is the object of all that the module ``entry`` of a folder exports."""
    bodies: dict[str, str] = {}
    _add(folder, PurePosixPath(entry), bodies, ())
    return "\n".join([*bodies.values(), f"export default {_variable(PurePosixPath(entry))};", ""])


def join_styles(folder: Path) -> str:
    """Return the style sheets that ``index.html`` in a folder links, one after the other as there, without comments."""
    page = (folder / "index.html").read_text(encoding="utf-8")
    sheets = "\n".join((folder / sheet).read_text(encoding="utf-8") for sheet in _STYLE.findall(page))
    joined = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", sheets, flags=re.DOTALL))
    return re.sub(r" ?([{};,]) ?|(?<=:) ", r"\1", joined).replace("}", "}\n")


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
    wrapped = f"const {_variable(path)} = (() => {{\n{body}\nreturn {{ {', '.join(exports)} }};\n}})();"
    return _PLAIN_LETTER.sub(lambda match: chr(int(match[1], 16)), _shortened(wrapped))


def _shortened(text: str) -> str:
    """Return code without comments, and without white space where its two sides are apart all the same."""
    parts, gap, place = list[str](), "", 0
    while place < len(text):
        if text[place] == "`":
            token = text[place : _end_of_template(text, place)]
        else:
            match = _TOKEN.match(text, place)
            assert match is not None
            token = match[0]
            if match.lastgroup in ("comment", "space"):
                gap, place = gap + (match[0] if match.lastgroup == "space" else " "), match.end()
                continue
            if match.lastgroup == "pattern" and parts and parts[-1][-1] not in _PATTERN_AFTER and parts[-1] != "return":
                token = "/"
        if parts and gap:
            parts.append(_separator(parts[-1][-1], token[0], "\n" in gap))
        parts.append(token)
        gap, place = "", place + len(token)
    return "".join(parts)


def _separator(before: str, after: str, is_line: bool) -> str:
    """Return what must stand between two characters between which there was a space, or the end of a line."""
    if is_line:
        return "" if before in _ENDLESS or after in _ENDED else "\n"
    apart = not (before.isalnum() or before in "_$") or not (after.isalnum() or after in "_$")
    return "" if apart and not (before == after and before in "+-") else " "


def _end_of_template(text: str, place: int) -> int:
    """Return where a template ends that begins at a place, with the expressions in it."""
    place, depth = place + 1, 0
    while depth or text[place] != "`":
        if text[place] == "\\":
            place += 1
        elif text.startswith("${", place):
            depth, place = depth + 1, place + 1
        elif depth and text[place] == "{":
            depth += 1
        elif depth and text[place] == "}":
            depth -= 1
        elif depth and text[place] == "`":
            place = _end_of_template(text, place) - 1
        place += 1
    return place + 1


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
