# SPDX-License-Identifier: BSD-3-Clause
"""The kernels that a page offers, and sums of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add

from formulations.lab.settings.choices import Chosen, MenuChoice, Slider
from qpkernels.kernels import Kernel
from qpkernels.kernels.catalogue import KERNELS as ALL
from qpkernels.kernels.catalogue import KernelEntry

__all__ = ["KERNELS", "KernelChoice", "kernel_of"]


@dataclass(frozen=True)
class KernelChoice(MenuChoice):
    """A kernel by its name.

    Attributes
    ----------
    entry
        What is stated of it.
    """

    entry: KernelEntry = field(kw_only=True)

    def make(self, values: Mapping[str, float]) -> Kernel:
        """Return the kernel of the values of its sliders."""
        made: Kernel = ALL[self.name].named(**{each.name: each.value(values[each.name]) for each in self.entry.own})
        return made


def _choice(entry: KernelEntry) -> KernelChoice:
    sliders = (Slider(each.name, each.words, each.low, each.high, each.usual, each.scale) for each in entry.own)
    return KernelChoice(entry.name, entry.title, tuple(sliders), others=entry.names[1:], entry=entry)


_EXPLORED = sorted((kind.entry for kind in ALL.values() if kind.entry.explored), key=lambda entry: len(entry.own))

KERNELS: Mapping[str, KernelChoice] = {entry.name: _choice(entry) for entry in _EXPLORED}
"""The kernels by name, in the order in which a page lists them: those with few parameters first."""


def kernel_of(terms: Sequence[Chosen[KernelChoice]]) -> Kernel:
    """Return the sum of the kernels chosen."""
    return reduce(add, (term.choice.make(term.values) for term in terms))
