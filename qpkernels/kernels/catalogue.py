# SPDX-License-Identifier: BSD-3-Clause
"""The names of kernels and their parameters, for the command line, estimators, the lab and files.

A kernel's class states its entry, and nobody else does.
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
    """A parameter by the name that it has in expressions.

    Attributes
    ----------
    name, others
        Its name, and further ones that it has elsewhere.
    words
        What it does.
    low, high, usual
        Values worth exploring, ends included, and where to begin; what the class takes may be more.
    scale
        ``log`` and ``linear`` are moved by equal ratios and differences, ``integer`` from one to the next.
    plus
        What the parameter is more than these values.
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
        Its one name, which is shown, and further ones that are understood.
    title
        In words.
    parameters
        In the order of values that come without a name.
    instead
        Parameters that state the first one by other numbers, such as a width: one of them, or none.
    by_data
        Whether the first parameter is 1 / (features * variance) where nothing is stated of it.
    takes
        What it takes in place of samples with features; empty: these.
    explored
        Whether its parameters have values to explore on a page.
    scikit_learn
        Its name there, with parameters gamma, degree and coef0; empty: it has none.
    libsvm
        Whether LIBSVM has it, by the same name and parameters.
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
        """All names of the kernel, that which is shown first."""
        return tuple(dict.fromkeys((self.name, *self.others, *filter(None, [self.scikit_learn]))))

    @cached_property
    def own(self) -> tuple[KernelParameter, ...]:
        """The parameters, without those that state the first one by other numbers."""
        return tuple(each for each in self.parameters if each.name not in self.instead)

    def parameter(self, name: str) -> str | None:
        """Return the name of a parameter that is called like this here or elsewhere, or None."""
        return next((each.name for each in self.parameters if name in (each.name, *each.others)), None)


_KERNELS: dict[str, type[Any]] = {}
_NAMED: dict[str, type[Any]] = {}

KERNELS: Mapping[str, type[Any]] = MappingProxyType(_KERNELS)
"""The class of each kernel that has an entry, by its name."""

NAMED: Mapping[str, type[Any]] = MappingProxyType(_NAMED)
"""The same by all names, in lower case."""


def register(kind: type[Any], entry: KernelEntry) -> None:
    """Let a kernel be known by its entry."""
    _KERNELS[entry.name] = kind
    _NAMED.update(dict.fromkeys(entry.names, kind))
