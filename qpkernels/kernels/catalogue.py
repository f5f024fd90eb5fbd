# SPDX-License-Identifier: BSD-3-Clause
"""The names of kernels and their parameters, for the command line, estimators, the lab and files.

The class of a kernel states its entry, and no other place does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

__all__ = ["KERNELS", "NAMED", "KernelEntry", "KernelParameter", "register"]


@dataclass(frozen=True)
class KernelParameter:
    """A parameter of a kernel, with the name that it has in expressions.

    Attributes
    ----------
    name, others
        Its name, and further names that it has elsewhere.
    words
        What it does.
    low, high, usual
        The range of values worth exploring, ends included, and where to begin. The class may accept more values than
        these.
    scale
        A parameter moves by equal ratios if this is ``log``, by equal differences if it is ``linear``, and from one
        integer to the next if it is ``integer``.
    plus
        The amount by which the parameter exceeds these values.
    """

    name: str
    words: str = ""
    low: float = 0.0
    high: float = 0.0
    usual: float = 0.0
    scale: Literal["log", "linear", "integer"] = "log"
    plus: float = 0.0
    others: tuple[str, ...] = ()

    def value(self, explored: float) -> float:
        """Return the parameter for one of the values to explore."""
        return int(explored) if self.scale == "integer" and not self.plus else explored + self.plus


@dataclass(frozen=True)
class KernelEntry:
    """The name of a kernel, and its parameters.

    Attributes
    ----------
    name, others
        The name that is shown, and further names that are understood.
    title
        The name of the kernel in words.
    parameters
        The parameters, in the order in which values without a name are read.
    instead
        Parameters that state the first one in another way, such as a width. At most one of them may be given.
    by_data
        Whether the first parameter defaults to 1 / (features * variance).
    takes
        The kind of sample that it takes; if empty, it takes samples with features.
    explored
        Whether its parameters have values to explore on a page.
    scikit_learn
        Its name in scikit-learn, with parameters gamma, degree and coef0; empty if it has none.
    libsvm
        Whether LIBSVM has this kernel under the same name and with the same parameters.
    """

    name: str
    title: str
    parameters: tuple[KernelParameter, ...] = ()
    instead: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    by_data: bool = False
    takes: str = ""
    explored: bool = False
    scikit_learn: str = ""
    libsvm: bool = False

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All names of the kernel; the first one is shown."""
        return tuple(dict.fromkeys((self.name, *self.others, *filter(None, [self.scikit_learn]))))

    @cached_property
    def own(self) -> tuple[KernelParameter, ...]:
        """The parameters, without those that state the first one in another way."""
        return tuple(each for each in self.parameters if each.name not in self.instead)

    def parameter(self, name: str) -> str | None:
        """Return the name of the parameter that has this name here or elsewhere, or None."""
        return next((each.name for each in self.parameters if name in (each.name, *each.others)), None)


_KERNELS: dict[str, type[Any]] = {}
_NAMED: dict[str, type[Any]] = {}

KERNELS: Mapping[str, type[Any]] = MappingProxyType(_KERNELS)
"""The class of each kernel that has an entry, by its name."""

NAMED: Mapping[str, type[Any]] = MappingProxyType(_NAMED)
"""The same classes by all their names, in lower case."""


def register(kind: type[Any], entry: KernelEntry) -> None:
    """Register a kernel under the names of its entry."""
    _KERNELS[entry.name] = kind
    _NAMED.update(dict.fromkeys(entry.names, kind))
