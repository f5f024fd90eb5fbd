# SPDX-License-Identifier: BSD-3-Clause
"""Kernels as text and arrays, so that a file can hold one without pickle.

Classes of this library are identified by their name alone, so that they may move between modules. Other classes are
identified by their module too, so that two classes with the same name can be told apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qpkernels.errors import FileFormatError, ParameterError
from qpkernels.kernels.kernel import Kernel, SampleFunction

__all__ = [
    "kernel_from_spec",
    "kernel_to_spec",
]


def kernel_to_spec(kernel: Kernel, arrays: list[NDArray[Any]]) -> dict[str, Any]:
    """Return the kernel as a JSON object; arrays among its fields are appended to ``arrays`` and named by position.

    Raises
    ------
    ParameterError
        If a field holds something that a file cannot, such as a Python function.
    """
    return {"kernel": _name(type(kernel)), **_fields(kernel, arrays)}


def kernel_from_spec(spec: dict[str, Any], arrays: Sequence[NDArray[Any]]) -> Kernel:
    """Return the kernel that :func:`kernel_to_spec` wrote.

    Raises
    ------
    FileFormatError
        If no imported kernel class, or function class, has that name.
    """
    values = {name: _value(value, arrays) for name, value in spec.items() if name != "kernel"}
    kernel: Kernel = _class(spec["kernel"], Kernel, "kernel")(**values)
    return kernel


def _fields(owner: Any, arrays: list[NDArray[Any]]) -> dict[str, Any]:
    if not is_dataclass(owner):
        raise ParameterError(f"{owner!r} is no dataclass, so its parameters are not known; make it a frozen dataclass.")
    values = {field.name: getattr(owner, field.name) for field in fields(owner)}
    if "kernel" in values:
        raise ParameterError(f"the field 'kernel' of {type(owner).__name__} takes the name of its class; rename it.")
    return {name: _plain(value, f"{name} of {type(owner).__name__}", arrays) for name, value in values.items()}


def _plain(value: Any, name: str, arrays: list[NDArray[Any]]) -> Any:
    """Return a field as JSON takes it."""
    if isinstance(value, Kernel):
        return kernel_to_spec(value, arrays)
    if isinstance(value, SampleFunction):
        return {"function": _name(type(value)), "fields": _fields(value, arrays)}
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, list | tuple):
        return [_plain(item, name, arrays) for item in value]
    plain = value.item() if isinstance(value, np.generic) else value
    if plain is None or isinstance(plain, bool | int | float | str):
        return plain
    advice = (
        "write the function as a frozen dataclass that derives from SampleFunction, or a kernel that is one from Kernel"
        if callable(value)
        else "let the fields of a kernel be numbers, text, arrays and kernels"
    )
    raise ParameterError(f"a file cannot hold {value!r}, the {name}, without pickle; {advice}.")


def _value(value: Any, arrays: Sequence[NDArray[Any]]) -> Any:
    if isinstance(value, list):
        return tuple(_value(item, arrays) for item in value)
    if not isinstance(value, dict):
        return value
    if "kernel" in value:
        return kernel_from_spec(value, arrays)
    if "function" in value:
        values = {name: _value(inner, arrays) for name, inner in value["fields"].items()}
        return _class(value["function"], SampleFunction, "function")(**values)
    return arrays[value["array"]]


def _class(name: str, parent: type[Any], word: str) -> type[Any]:
    classes = {_name(kind): kind for kind in _subclasses(parent)}
    if name not in classes:
        known = sorted(each for each in classes if not each.startswith("_"))
        raise FileFormatError(
            f"the file holds a {word} {name!r}, but the {word}s imported so far are "
            f"{', '.join(known)}; import the module that defines it first."
        )
    return classes[name]


def _name(kind: type[Any]) -> str:
    own = kind.__module__.startswith("qpkernels.")
    return kind.__name__ if own else f"{kind.__module__}.{kind.__qualname__}"


def _subclasses(kind: type[Any]) -> Iterator[type[Any]]:
    for child in kind.__subclasses__():
        yield child
        yield from _subclasses(child)
