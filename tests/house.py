# SPDX-License-Identifier: BSD-3-Clause
"""The shape of the two packages in numbers, and the limits that these keep: python -m tests.house prints both.

A limit is tightened when less is reached; it is raised for a reason alone, which the commit states.
"""

from __future__ import annotations

import ast
import importlib
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.base import BaseEstimator

from formulations import SoftMargin
from formulations.modelling import Model
from qpkernels.kernels import Kernel
from qpkernels.kernels.catalogue import KERNELS
from qpkernels.solvers import Solver, registered_solvers

__all__ = ["LIMITS", "measured"]

ROOT = Path(__file__).parent.parent
PACKAGES = ("qpkernels", "formulations")

LIMITS: dict[str, int] = {
    "cases of the tests": 13_311,
    "files, without those of kernels, models and solvers": 350,
    "lines, without theirs": 85_165,
    "circles of files": 0,
    "classes above a class": 7,
    "names of several classes": 10,
    "files called base.py": 0,
    "compiled functions": 90,
    "rooms of qpkernels": 10,
    "tiers of qpkernels": 8,
    "rooms of formulations": 12,
    "tiers of formulations": 9,
    "names of formulations, without models": 45,
    "names in the reference, without kernels, models, solvers and estimators": 258,
    "public attributes of a model": 46,
    "public attributes of a solution": 31,
    "calls of SoftMargin(X, y, k).solve()": 182,
    "files of SoftMargin(X, y, k).solve()": 34,
    "changes of file of SoftMargin(X, y, k).solve()": 119,
    'calls of SoftMargin(X, y, k).dual.solve("clarabel")': 363,
    'files of SoftMargin(X, y, k).dual.solve("clarabel")': 41,
    'changes of file of SoftMargin(X, y, k).dual.solve("clarabel")': 208,
    "calls of SVC().fit(X, y)": 245,
    "files of SVC().fit(X, y)": 40,
    "changes of file of SVC().fit(X, y)": 156,
}
"""What there may be at most."""


@cache
def trees() -> dict[str, ast.Module]:
    """Return the parsed files of both packages by the names of their modules."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


@cache
def imports() -> dict[str, set[str]]:
    """Return the modules of this project that each of them imports, also for types alone and inside functions."""
    return {module: set(_imports(tree)) - {module} for module, tree in trees().items()}


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in trees() else node.module for name in names if node.module in trees())
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in trees())


def lines(module: str) -> int:
    """Return how many lines the file of a module has."""
    place = ROOT.joinpath(*module.split("."))
    # A folder that is no package any more may be there still, with what was compiled of it.
    path = place.with_suffix(".py") if place.with_suffix(".py").exists() else place / "__init__.py"
    return path.read_text(encoding="utf-8").count("\n")


def circles() -> list[list[str]]:
    """Return the groups of modules that import each other, directly or on a way through others."""
    modules = list(trees())
    number = {module: place for place, module in enumerate(modules)}
    edges = np.array([(number[module], number[other]) for module in modules for other in imports()[module]]).T
    graph = coo_array((np.ones(edges.shape[1]), edges), shape=(len(modules), len(modules)))
    _, group = connected_components(graph, connection="strong")
    members = [[modules[place] for place in np.flatnonzero(group == label)] for label in range(group.max() + 1)]
    return [each for each in members if len(each) > 1]


@cache
def classes() -> list[ast.ClassDef]:
    """Return all classes."""
    return [node for tree in trees().values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]


def deepest() -> tuple[int, str]:
    """Return how many classes of this project are above the class that has most, and its name."""
    # Scripts for the programs of others are files of this project, and no modules of it.
    modules = [importlib.import_module(name) for name in trees() if ".loaders." not in name]
    kinds = {value for module in modules for value in vars(module).values() if isinstance(value, type)}
    lines = ([each for each in kind.__mro__ if each.__module__.startswith(PACKAGES)] for kind in kinds)
    return max((len(line) - 1, line[0].__name__) for line in lines if line)


def compiled_functions() -> Iterator[str]:
    """Yield the functions that numba compiles."""
    for tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and re.search(
                r"\b(compiled|vectorised)\b", " ".join(map(ast.unparse, node.decorator_list))
            ):
                yield node.name


def tiers(package: str) -> list[str]:
    """Return the tiers of a package as the import contract states them, the rooms of each divided by ``|``."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (layers,) = (contract["layers"] for contract in contracts if contract.get("containers") == [package])
    return list(layers)


@cache
def additions() -> frozenset[type]:
    """Return the kernels, models, solvers and estimators: there may be more of these, each in its file.

    What stands beside them may not grow with them, and that is limited.
    """
    estimators = importlib.import_module("formulations.estimators")
    public = importlib.import_module("formulations.public")
    kinds = (Kernel, Model, Solver, BaseEstimator)
    values = [getattr(module, name) for module in (estimators, public) for name in module.__all__]
    values += [*KERNELS.values(), *map(type, registered_solvers())]
    return frozenset(value for value in values if isinstance(value, type) and issubclass(value, kinds))


def public_names(package: str) -> list[str]:
    """Return the names of a package that the reference lists, each once, without the additions."""
    sys.path.append(str(ROOT / "docs"))
    modules = importlib.import_module("extensions.reference").MODULES
    names = (importlib.import_module(name).__all__ for name in modules if name.split(".")[0] == package)
    return sorted({name for each in names for name in each} - {kind.__name__ for kind in additions()})


def walks() -> dict[str, int]:
    """Return the calls, the files and the changes of file of each walk."""
    from benchmarks.walk import walks

    return {f"{unit} of {action}": count for action, found in walks().items() for unit, count in found.items()}


def attributes() -> dict[str, int]:
    """Return how many public attributes a model and its solution have."""
    model = SoftMargin([[0.0], [1.0]], [-1, 1])
    shown = {"a model": model, "a solution": model.solve()}
    return {
        f"public attributes of {name}": len([each for each in dir(thing) if not each.startswith("_")])
        for name, thing in shown.items()
    }


def measured() -> dict[str, int]:
    """Return the number that each limit but that of the tests' cases is set to."""
    names = Counter(kind.name for kind in classes())
    shared = trees().keys() - {kind.__module__ for kind in additions()}
    found = {
        "files, without those of kernels, models and solvers": len(shared),
        "lines, without theirs": sum(lines(name) for name in shared),
        "circles of files": len(circles()),
        "classes above a class": deepest()[0],
        "names of several classes": sum(count > 1 for count in names.values()),
        "files called base.py": len([path for package in PACKAGES for path in (ROOT / package).rglob("base.py")]),
        "compiled functions": len(list(compiled_functions())),
    }
    for package in PACKAGES:
        found[f"rooms of {package}"] = sum(len(tier.split("|")) for tier in tiers(package))
        found[f"tiers of {package}"] = len(tiers(package))
    models = {kind.__name__ for kind in additions() if issubclass(kind, Model)}
    found["names of formulations, without models"] = len(set(importlib.import_module("formulations").__all__) - models)
    found["names in the reference, without kernels, models, solvers and estimators"] = sum(
        len(public_names(package)) for package in PACKAGES
    )
    return found | attributes() | walks()


if __name__ == "__main__":
    for name, count in measured().items():
        print(f"{name:72} {count:7} of at most {LIMITS.get(name, 0):7}")
