# SPDX-License-Identifier: BSD-3-Clause
r"""Which text describes a parameter: its own docstring's, or the one that this refers to or inherits.

A docstring says a thing once. ``As in :class:`Model``` refers to a class or function for parameters of the same names;
a method that overrides another takes its parameters; and a list of arguments in the Notes of a class says what an
argument is in all its methods, of subclasses too. The site shows the text everywhere, and the tests want one for each.
"""

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

__all__ = ["asked", "complete", "described", "entries", "parameters_of", "sections"]

Find = Callable[[str], str | None]
"""From the name of a parameter to its text."""

REFERENCE = re.compile(r"^As (?:in|of) :(?:class|func|meth):`~?([\w.]+)`\.?")
PARAMETERS = ("Parameters", "Other Parameters")


def sections(doc: str) -> list[tuple[str, list[str]]]:
    """Split a docstring at its underlined titles; what stands above the first has the title ""."""
    found: list[tuple[str, list[str]]] = [("", [])]
    lines = inspect.cleandoc(doc).splitlines()
    for number, line in enumerate(lines):
        if number + 1 < len(lines) and line and re.fullmatch(r"-{3,}", lines[number + 1]):
            found.append((line, []))
        elif not (number and found[-1][0] == lines[number - 1] and re.fullmatch(r"-{3,}", line)):
            found[-1][1].append(line)
    return found


def entries(lines: list[str]) -> list[tuple[tuple[str, ...], str]]:
    """Return names with their text, of a list in which names stand above an indented text."""
    found: list[tuple[tuple[str, ...], list[str]]] = []
    for line, following in zip(lines, [*lines, ""][1:], strict=True):
        head = line.partition(" : ")[0]
        if following.startswith("    ") and re.fullmatch(r"\*{0,2}\w+(, \*{0,2}\w+)*", head):
            found.append((tuple(name.strip("* ") for name in head.split(",")), []))
        elif found and (line.startswith("    ") or not line):
            found[-1][1].append(line)
    return [(names, inspect.cleandoc("\n".join(text)).strip()) for names, text in found]


def asked(value: Any) -> list[str]:
    """Return the names of the parameters that a function takes, or the constructor of a class."""
    parameters = list(inspect.signature(value).parameters)
    return [name for name in parameters if name not in ("self", "cls") and not name.startswith("_")]


@cache
def parameters_of(value: Any) -> dict[str, str]:
    """Return what the docstring of an object itself says of parameters, references followed."""
    doc = (vars(value).get("__doc__") if inspect.isclass(value) else value.__doc__) or ""
    found: dict[str, str] = {}
    for title, lines in sections(doc):
        if title in PARAMETERS or (title == "Attributes" and inspect.isclass(value)):
            for names, text in entries(lines):
                for name in names:
                    followed = _follow(text, name, value)
                    if followed:
                        found.setdefault(name.strip("_"), followed)
    return found


def described(value: Any, owner: type | None, name: str) -> str | None:
    """Return the text of a parameter of a class, a function, or a method of the class ``owner``."""
    return next((text for text in _texts(value, owner, name.strip("_")) if text), None)


def _texts(value: Any, owner: type | None, name: str) -> Iterator[str | None]:
    if inspect.isclass(value):
        for base in value.__mro__[:-1]:
            yield parameters_of(base).get(name)
            if inspect.isfunction(vars(base).get("__init__")):
                yield parameters_of(vars(base)["__init__"]).get(name)
        return
    yield parameters_of(value).get(name)
    for base in owner.__mro__[:-1] if owner else ():
        overridden = vars(base).get(value.__name__)
        overridden = getattr(overridden, "__func__", overridden)
        if inspect.isfunction(overridden):
            yield parameters_of(overridden).get(name)
    for base in owner.__mro__[:-1] if owner else ():
        yield _arguments(base).get(name)


@cache
def _arguments(kind: type) -> dict[str, str]:
    """Return what the Notes of a class say of arguments of its methods."""
    notes = [lines for title, lines in sections(vars(kind).get("__doc__") or "") if title == "Notes"]
    listed = [(names, text) for lines in notes for names, text in entries(lines)]
    found = {name: _follow(text, name, kind, arguments=True) for names, text in listed for name in names}
    return {name: text for name, text in found.items() if text}


def _follow(text: str, name: str, value: Any, arguments: bool = False) -> str | None:
    """Return a text, or that of the same parameter where the text refers to another object, with what it adds."""
    reference = REFERENCE.match(text)
    if not reference:
        return text or None
    target, owner = _resolve(reference.group(1), value)
    found = (_arguments(target).get(name) if arguments else None) or described(target, owner, name)
    rest = text[reference.end() :].strip(" ,;.")
    return None if found is None else f"{found}\n{rest[0].upper()}{rest[1:]}." if rest else found


def _resolve(path: str, near: Any) -> tuple[Any, type | None]:
    """Return what a reference in a docstring names, and the class that it is a method of.

    A name stands for a member of the same class, of the same module, of one of the two packages, or is a full one.
    """
    within = sys.modules[near.__module__]
    around = getattr(within, near.__qualname__.partition(".")[0], within)
    for start in (around, within, *(import_module(name) for name in ("formulations", "qpkernels"))):
        if hasattr(start, path.partition(".")[0]):
            return _descend(start, path.split("."))
    parts = path.split(".")
    length = next(n for n in range(len(parts) - 1, 0, -1) if _is_module(".".join(parts[:n])))
    return _descend(import_module(".".join(parts[:length])), parts[length:])


def _descend(found: Any, names: list[str]) -> tuple[Any, type | None]:
    owner = found
    for name in names:
        owner, found = found, getattr(found, name)
    return getattr(found, "__func__", found), owner if inspect.isclass(owner) else None


def _is_module(name: str) -> bool:
    """Return whether a module of that name can be imported."""
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def complete(doc: str, names: list[str], find: Find) -> str:
    """Return a docstring whose Parameters hold the texts that it refers to or inherits, one entry for each text."""
    parts = sections(doc)
    titles = [title for title, _ in parts]
    said = {name for title, lines in parts if title != "Notes" for each, _ in entries(lines) for name in each}
    lacking = [(name, text) for name in names if name not in said and (text := find(name))]
    if "Parameters" not in titles:
        if not lacking:
            return doc
        parts.insert(1, ("Parameters", []))
    shown = []
    for title, lines in parts:
        if title == "Parameters":
            heads = {name: _head(lines, name) for name in said}
            known = [
                (name, (find(name) or text) if REFERENCE.match(text) else text)
                for each, text in entries(lines)
                for name in each
            ]
            lines = _listed([(heads.get(name, name), text) for name, text in (*known, *lacking)])
        shown.append("\n".join([title, "-" * len(title), *lines] if title else lines).strip())
    return "\n\n".join(shown)


def _head(lines: list[str], name: str) -> str:
    """Return a name with its stars, as its entry has them."""
    stars = re.search(rf"(?:^|, )(\*{{1,2}}){name}\b", "\n".join(lines), re.MULTILINE)
    return f"{stars.group(1)}{name}" if stars else name


def _listed(texts: list[tuple[str, str]]) -> list[str]:
    """Write a list of parameters, neighbours of the same text together."""
    lines: list[str] = []
    heads: list[str] = []
    for number, (head, text) in enumerate(texts):
        heads.append(head)
        if number + 1 == len(texts) or texts[number + 1][1] != text:
            lines += [", ".join(heads), *(f"    {line}".rstrip() for line in text.splitlines())]
            heads = []
    return lines
