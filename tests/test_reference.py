# SPDX-License-Identifier: BSD-3-Clause
"""The reference is complete: every public name has its place, and every parameter says what it is."""

from __future__ import annotations

import enum
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from together import together

ROOT = Path(__file__).parent.parent


def extension(name: str) -> ModuleType:
    """Return a module of the site's extensions, which import one another as they do under Sphinx."""
    folder = ROOT / "docs" / "extensions"
    spec = importlib.util.spec_from_file_location(f"extensions_of_site_{name}", folder / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


reference, parameters = extension("reference"), extension("parameters")
PUBLIC: dict[str, Any] = reference.public()
CALLED = {name: value for name, value in PUBLIC.items() if inspect.isclass(value) or inspect.isfunction(value)}


def methods(kind: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the public methods of a class that are defined here, in its own order of resolution."""
    for name in dict.fromkeys(name for base in kind.__mro__ for name in vars(base)):
        method = reference.unwrapped(inspect.getattr_static(kind, name))
        if inspect.isfunction(method) and reference.ours(method) and (name[0] != "_" or name == "__call__"):
            yield name, method


def is_constructed(kind: type) -> bool:
    """Whether a user makes objects of it by parameters that are ours."""
    ours = any("__init__" in vars(base) for base in kind.__mro__ if reference.ours(base))
    plain = issubclass(kind, enum.Enum) or getattr(kind, "_is_protocol", False) or inspect.isabstract(kind)
    return not plain and (ours or "_fields" in vars(kind))


def undescribed(value: Any) -> list[str]:
    """Return what takes a parameter of which no docstring says what it is."""
    found = [] if inspect.isclass(value) and not is_constructed(value) else [(value, None, "")]
    if inspect.isclass(value):
        found += [(method, value, f".{name}") for name, method in methods(value)]
    return [
        f"{label}({name})"
        for each, owner, label in found
        for name in parameters.asked(each)
        if parameters.described(each, owner, name) is None
    ]


def test_the_pages_list_every_public_name_once() -> None:
    listed = reference.listed()
    assert sorted(listed) == sorted(set(listed))
    assert sorted(listed) == sorted(PUBLIC)


@together("name", CALLED)
def test_every_parameter_is_described(name: str) -> None:
    assert undescribed(CALLED[name]) == []
