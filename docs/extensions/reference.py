# SPDX-License-Identifier: BSD-3-Clause
"""What is public, and on whose page of the reference a member of a class stands."""

import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["MODULES", "Members", "listed", "members_of", "ours", "public", "unwrapped"]

PAGES = Path(__file__).parent.parent / "api"

MODULES = (
    "formulations",
    "qpkernels",
    *(
        f"formulations.{name}"
        for name in (
            "estimators",
            "exercises",
            "judging",
            "judging.testset",
            "lab.notebook",
            "language",
            "losses",
            "modelling",
            "modelling.incremental",
            "modelling.prediction",
            "models.relevance",
            "plots",
            "selection",
        )
    ),
    *(
        f"qpkernels.{name}"
        for name in (
            "diagnosis",
            "errors",
            "families.batch",
            "families.incremental",
            "families.paths",
            "files",
            "files.proofs",
            "gram",
            "kernels",
            "problems",
            "solvers",
            "solvers.repair",
        )
    ),
)
"""The public modules, the two packages first: a name that several have is listed under the first of them."""


def setup(app: "Sphinx") -> dict[str, bool]:
    """Give the members of a class to the templates of its page, while autosummary writes them at builder-inited."""
    context = {"members_of": members_of}
    app.connect("builder-inited", lambda app: app.config.autosummary_context.update(context), priority=400)
    # What is kept between builds holds the configuration, and no functions.
    app.connect("builder-inited", lambda app: app.config.autosummary_context.clear(), priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


@cache
def public() -> dict[str, Any]:
    """Return every public object by its name, each under the first module that has it."""
    found: dict[str, Any] = {}
    for module in MODULES:
        for name in import_module(module).__all__:
            value = getattr(import_module(module), name)
            if not any(each is value and other.endswith(f".{name}") for other, each in found.items()):
                found[f"{module}.{name}"] = value
    return found


def listed(page: str = "*") -> list[str]:
    """Return the names that a page lists, or all pages, as often as they do."""
    names, module = [], ""
    for file in sorted(PAGES.glob(f"{page}.md")):
        listing = False
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith(".. currentmodule::"):
                module = line.split()[-1]
            elif line.startswith(".. autosummary::"):
                listing = True
            elif line.startswith("```"):
                listing = False
            elif listing and line.strip() and not line.strip().startswith(":"):
                names.append(f"{module}.{line.strip()}")
    return names


def ours(value: object) -> bool:
    """Return whether something is defined in one of the two packages."""
    return str(getattr(value, "__module__", "")).split(".")[0] in ("qpkernels", "formulations")


def unwrapped(value: object) -> object:
    """Return the function of a method, whatever its kind."""
    return value.__func__ if isinstance(value, classmethod | staticmethod) else value


@dataclass(frozen=True)
class Members:
    """What the page of a class shows of its members, as names that autosummary takes.

    Attributes
    ----------
    own
        Names of those that stand in full on this page: what the class defines itself, and what it has of classes
        without a page.
    methods, attributes
        Those names once more, with the class.
    inherited
        By the class on whose page they stand.
    """

    own: tuple[str, ...]
    methods: tuple[str, ...]
    attributes: tuple[str, ...]
    inherited: dict[str, tuple[str, ...]]


def members_of(module: str, name: str) -> Members:
    """Return the members of a public class, in the order in which classes and sources have them."""
    kind = getattr(import_module(module), name)
    pages = {id(value): full for full, value in public().items() if inspect.isclass(value)}
    own: list[str] = []
    inherited: dict[str, list[str]] = {}
    for member, definer in _defined(kind):
        page = _page(kind, member, definer, pages)
        if page is kind:
            own.append(member)
        else:
            shown = pages[id(page)].removeprefix(f"{module}.")  # as autosummary wants it in the current module
            inherited.setdefault(pages[id(page)], []).append(f"~{shown}.{member}")
    methods = tuple(f"~{name}.{each}" for each in own if _is_method(kind, each))
    attributes = tuple(f"~{name}.{each}" for each in own if not _is_method(kind, each))
    return Members(tuple(own), methods, attributes, {page: tuple(names) for page, names in inherited.items()})


def _defined(kind: type) -> Iterator[tuple[str, type]]:
    seen = set()
    for definer in filter(ours, kind.__mro__):
        for name, value in vars(definer).items():
            shown = not name.startswith("_") or (name == "__call__" and isinstance(value, FunctionType))
            if shown and name not in seen and (_documents(value) or name in _attribute_docs(definer)):
                seen.add(name)
                yield name, definer


def _documents(value: object) -> bool:
    """Return whether it is a method or property, also one whose text a base class has."""
    return isinstance(unwrapped(value), FunctionType | property | cached_property)


def _page(kind: type, member: str, definer: type, pages: dict[int, str]) -> type:
    """Return the public class whose page has the member: its definer, or else the most basic one that inherits it."""
    if id(definer) in pages:
        return definer
    heirs = [each for each in kind.__mro__ if id(each) in pages and issubclass(each, definer)]
    same = [each for each in heirs if inspect.getattr_static(each, member) is vars(definer)[member]]
    return same[-1] if same else kind


def _is_method(kind: type, member: str) -> bool:
    return isinstance(unwrapped(inspect.getattr_static(kind, member)), FunctionType)


@cache
def _attribute_docs(definer: type) -> frozenset[str]:
    """Return the class attributes below which a text stands."""
    from sphinx.pycode import ModuleAnalyzer

    found = ModuleAnalyzer.for_module(sys.modules[definer.__module__].__name__).find_attr_docs()
    return frozenset(name for owner, name in found if owner == definer.__qualname__ and name in vars(definer))
