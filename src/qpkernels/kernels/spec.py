# SPDX-License-Identifier: BSD-3-Clause
"""Kernels as text and arrays, so that a file can hold one without pickle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qpkernels.errors import ParameterError
from qpkernels.kernels.base import Kernel

__all__ = ["kernel_from_spec", "kernel_to_spec"]


def kernel_to_spec(kernel: Kernel, arrays: list[NDArray[Any]]) -> dict[str, Any]:
    """Return the kernel as a JSON object; arrays among its fields are appended to ``arrays`` and named by position."""
    spec: dict[str, Any] = {"kernel": type(kernel).__name__}
    for field in fields(kernel):  # type: ignore[arg-type]
        value = getattr(kernel, field.name)
        if isinstance(value, Kernel):
            spec[field.name] = kernel_to_spec(value, arrays)
        elif isinstance(value, np.ndarray):
            spec[field.name] = {"array": len(arrays)}
            arrays.append(value)
        else:
            spec[field.name] = value.item() if isinstance(value, np.generic) else value
    return spec


def kernel_from_spec(spec: dict[str, Any], arrays: Sequence[NDArray[Any]]) -> Kernel:
    """Return the kernel that :func:`kernel_to_spec` wrote.

    Raises
    ------
    ParameterError
        If no imported kernel class has that name.
    """
    classes = {kind.__name__: kind for kind in _subclasses(Kernel)}  # type: ignore[type-abstract]
    if spec["kernel"] not in classes:
        raise ParameterError(
            f"the file holds a kernel {spec['kernel']!r}, but the kernels imported so far are "
            f"{', '.join(sorted(classes))}; import the module that defines it first."
        )
    values = {name: _value(value, arrays) for name, value in spec.items() if name != "kernel"}
    return classes[spec["kernel"]](**values)


def _value(value: Any, arrays: Sequence[NDArray[Any]]) -> Any:
    if isinstance(value, dict):
        return arrays[value["array"]] if "array" in value else kernel_from_spec(value, arrays)
    return value


def _subclasses(kind: type[Kernel]) -> Iterator[type[Kernel]]:
    for child in kind.__subclasses__():
        yield child
        yield from _subclasses(child)
