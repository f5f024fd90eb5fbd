# SPDX-License-Identifier: BSD-3-Clause
r"""Answers on integral operators: whether a function is an eigenfunction, and its eigenvalue number t in order of size.

With T u(x) = int k(x, z) u(z) p(z) dz and any u other than 0, there is an eigenvalue within ||T u - l u|| / ||u|| of l:
that is the certificate of a pair (l, u). The integrals are sums over the nodes of Gauss, where k has a kink at z = x
on both sides of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from formulations.exercises.exercise import Answers, at, number, vector
from formulations.exercises.verdict import Verdict
from qpkernels import Mercer
from qpkernels.arrays import Matrix, Vector
from qpkernels.kernels import Kernel

__all__ = ["Eigenpairs", "UnitInterval"]

_NODES = 32
"""Nodes of Gauss on each side of a kink."""

_TOL = 1e-6
"""Residual of an eigenfunction, as a share of its eigenvalue."""

_NEAR = 0.02
"""Share of an eigenvalue within which that of a matrix is the same one."""

_POINTS = 400
"""Points of the matrix whose spectrum tells which eigenvalue is number t."""


@dataclass(frozen=True, eq=False)
class UnitInterval:
    """The operator of a kernel on [0, 1] with the uniform density, whose kernel may have a kink at x = z.

    Attributes
    ----------
    kernel
        The kernel, of samples of one feature.
    """

    kernel: Kernel

    @cached_property
    def nodes(self) -> tuple[Vector, Vector]:
        """Nodes and weights of Gauss on [0, 1]."""
        x, weights = np.polynomial.legendre.leggauss(_NODES)
        return 0.5 * (x + 1.0), 0.5 * weights

    def applied(self, u: Callable[[Vector], Vector]) -> Vector:
        """Return T u at the nodes."""
        x, weights = self.nodes
        sides: list[Matrix] = [np.outer(x, x), x[:, None] + np.outer(1.0 - x, x)]
        found = np.zeros(x.size)
        for z, length in zip(sides, (x, 1.0 - x), strict=True):
            values = np.stack([self.kernel.matrix(x[i : i + 1, None], z[i][:, None])[0] for i in range(x.size)])
            found += length * ((values * u(z.ravel()).reshape(z.shape)) @ weights)
        return found

    def spectrum(self) -> Vector:
        """Return the eigenvalues of K / m at equidistant points, the largest first."""
        points = (np.arange(_POINTS) + 0.5) / _POINTS
        return np.asarray(Mercer(self.kernel, points[:, None]).eigenvalues / _POINTS)


@dataclass(frozen=True, eq=False)
class Eigenpairs:
    """Judges eigenvalues, as a function of t = 1, 2, ..., and eigenfunctions, as one of t and x.

    Attributes
    ----------
    operator
        The operator.
    count
        How many pairs are looked at.
    """

    operator: UnitInterval
    count: int = 4

    def __call__(self, answers: Answers) -> Verdict:
        """Judge the first pairs by their residuals, and their numbers by the spectrum of a matrix."""
        spectrum = self.operator.spectrum()
        for t in range(1, self.count + 1):
            value = (
                number(at(answers["eigenvalue"], "eigenvalue", {"t": t}), "eigenvalue")
                if "eigenvalue" in answers
                else None
            )
            if "eigenfunction" in answers:
                verdict = self._function(t, answers["eigenfunction"], value)
                if verdict is not None:
                    return verdict
            if value is not None and abs(value - spectrum[t - 1]) > _NEAR * spectrum[t - 1]:
                return Verdict(
                    False, f"the eigenvalue of t = {t} cannot be {value:.4g}: that of a matrix is {spectrum[t - 1]:.4g}"
                )
        given = " and ".join(f"{letter}s" for letter in ("eigenvalue", "eigenfunction") if letter in answers)
        proved = (
            ""
            if "eigenfunction" in answers
            else f", to {_NEAR:.0%} of those of a matrix: the eigenfunctions would prove them"
        )
        return Verdict(True, f"the first {self.count} {given} are right{proved}")

    def _function(self, t: int, function: Any, value: float | None) -> Verdict | None:
        """Return what is wrong with the eigenfunction, or its eigenvalue; None: nothing."""

        def u(x: Vector) -> Vector:
            return vector(at(lambda t: function(t, x), "eigenfunction", {"t": t}), "eigenfunction", x.size, "as x has")

        x, weights = self.operator.nodes
        values, image = u(x), self.operator.applied(u)
        size = float(np.abs(values).max())
        if size == 0.0:
            return Verdict(False, f"the eigenfunction of t = {t} is 0, which is none")
        values, image = values / size, image / size
        squares = float(weights @ values**2)
        own = float(weights @ (values * image)) / squares
        residual = float(np.sqrt(weights @ (image - own * values) ** 2 / squares))
        if residual > _TOL * abs(own):
            return Verdict(
                False,
                f"the function of t = {t} is no eigenfunction: what the operator makes of it differs from each of its "
                f"multiples by {residual / abs(own):.1%} at least",
            )
        if value is not None and abs(value - own) > _TOL * abs(own):
            return Verdict(False, f"the function of t = {t} is an eigenfunction, but its eigenvalue is not {value:.6g}")
        expected = self.operator.spectrum()[t - 1]
        if abs(own - expected) > _NEAR * expected:
            return Verdict(
                False,
                f"the function of t = {t} is an eigenfunction, of the eigenvalue {own:.4g}, but that is not number "
                f"{t} in order of size",
            )
        return None
