# SPDX-License-Identifier: BSD-3-Clause
"""The kernels that a page offers, and sums of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add

from formulations.lab.settings.choices import Chosen, MenuChoice, Slider
from qpkernels.kernels import RBF, Kernel, Laplacian, Linear, Matern, Polynomial

__all__ = ["KERNELS", "PARAMETRISATIONS", "KernelChoice", "kernel_of"]


@dataclass(frozen=True)
class KernelChoice(MenuChoice):
    """A kernel by its name.

    Attributes
    ----------
    make
        The kernel of the values of its sliders.
    """

    make: Callable[[Mapping[str, float]], Kernel] = field(kw_only=True)


_GAMMA = Slider("gamma", "gamma: larger is narrower", 1e-3, 1e4, 1)

_KERNELS = (
    KernelChoice("linear", "Linear", make=lambda _: Linear()),
    KernelChoice(
        "polynomial",
        "Polynomial",
        (
            Slider("degree", "degree", 1, 8, 2, "integer"),
            Slider("gamma", "factor of x'z", 0.01, 100, 1),
            Slider("coef0", "constant", 0, 10, 1, "linear"),
        ),
        make=lambda v: Polynomial(int(v["degree"]), gamma=v["gamma"], coef0=v["coef0"]),
    ),
    KernelChoice(
        "gaussian",
        "Gaussian",
        (_GAMMA,),
        make=lambda v: RBF(v["gamma"]),
    ),
    KernelChoice(
        "laplacian",
        "Laplacian",
        (_GAMMA,),
        make=lambda v: Laplacian(v["gamma"]),
    ),
    KernelChoice(
        "matern",
        "Matern",
        (
            Slider("length_scale", "length scale: larger is wider", 1e-2, 1e2, 1),
            Slider("nu", "smoothness: 0, 1 or 2 derivatives", 0, 2, 1, "integer"),
        ),
        make=lambda v: Matern(v["length_scale"], nu=0.5 + v["nu"]),
    ),
)

KERNELS: Mapping[str, KernelChoice] = {each.name: each for each in _KERNELS}
"""The kernels by name, in the order in which a page lists them."""

PARAMETRISATIONS: Mapping[str, tuple[float, float]] = {
    "gamma": (1.0, 1.0),
    "sigma": (0.5, -2.0),
    "c": (1.0, -2.0),
    "theta": (0.5, 1.0),
}
"""The width of a Gaussian kernel by other names: (a, p) with gamma = a value^p."""


def kernel_of(terms: Sequence[Chosen[KernelChoice]]) -> Kernel:
    """Return the sum of the kernels chosen."""
    return reduce(add, (term.choice.make(term.values) for term in terms))
