# SPDX-License-Identifier: BSD-3-Clause
"""The parameters of a kernel by name, and the same kernel with other values of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from qpkernels.arrays import shown
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.kernels.base.kernel import Kernel

__all__ = ["parameters_of", "with_parameters"]


def parameters_of(kernel: Kernel) -> dict[str, Any]:
    """Return the parameters of a kernel, those of kernels in it under their name and two underscores.

    ``RBF(0.1) + Linear()`` has ``left``, ``left__gamma`` and ``right``.
    """
    found: dict[str, Any] = {}
    # Fields that it is made with: others follow from these.
    names: list[str] = [each.name for each in fields(kernel) if each.init] if is_dataclass(kernel) else []
    for name in names:
        found[name] = value = getattr(kernel, name)
        if isinstance(value, Kernel):
            found |= {f"{name}__{inner}": each for inner, each in parameters_of(value).items()}
    return found


def with_parameters(kernel: Kernel, changes: Mapping[str, Any]) -> Kernel:
    """Return the kernel with other values of its parameters, named as :func:`parameters_of` names them.

    Raises
    ------
    ParameterError
        If it has no such parameter, or does not take the value.
    """
    known, own, inner = parameters_of(kernel), dict[str, Any](), dict[str, dict[str, Any]]()
    for name, value in changes.items():
        first, _, rest = name.partition("__")
        if first not in known or (rest and not isinstance(changes.get(first, known[first]), Kernel)):
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise ParameterError(f"the kernel {kernel!r} has no parameter {name!r}; {has}.")
        if rest:
            inner.setdefault(first, {})[rest] = value
        else:
            own[first] = value
    own |= {name: with_parameters(own.get(name, known[name]), rest) for name, rest in inner.items()}
    try:
        return replace(kernel, **own) if own else kernel  # type: ignore[type-var]
    except (ShapeError, TypeError) as error:
        raise ParameterError(f"{kernel!r} does not take {shown(own)}: {error}") from error
