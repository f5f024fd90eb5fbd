# SPDX-License-Identifier: BSD-3-Clause
"""Certificates: the primal above, the dual below, and the gap between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from formulations.displays.base import Display
from formulations.displays.style import BLUE, GREEN, GREY, VERMILLION, ink_of, tinted
from formulations.modelling import Solution
from qpkernels.arrays import Vector, check_positive, shown
from qpkernels.errors import ParameterError
from qpkernels.problems import Certificate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CertificateDisplay"]

_ROUNDING = 1e-13
"""Share of the optimum below which a distance from it is mostly rounding, and not worth a decade of the axis."""

_LABELS = 5.0
"""Labels on each side of zero, at most."""


@dataclass(kw_only=True, eq=False, repr=False)
class CertificateDisplay(Display):
    """The values of primal and dual of answers to one problem, as shares of the optimum above and below it.

    :meth:`from_solution` and :meth:`from_certificates` make one. The optimum lies between every dual value and every
    primal value; zero is the middle of the best of both. The axis is logarithmic on both sides, and linear around
    zero. An answer whose ends lie within the green band has a gap of the tolerance at most.

    Attributes
    ----------
    names
        What the answers are called.
    primal, dual
        (value - optimum) / |optimum| of each answer, shape (n,).
    tol
        The gap, as a share of the optimum, up to which an answer counts as optimal.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> from formulations.displays import CertificateDisplay
    >>> solution = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], C=1.0).solve(tol=1e-6)
    >>> display = CertificateDisplay.from_solution(solution).plot()
    >>> print((display.primal - display.dual).max() <= 1e-6)
    True
    """

    _panel_size: ClassVar[tuple[float, float]] = (5.6, 4.0)

    names: tuple[str, ...]
    primal: Vector
    dual: Vector
    tol: float

    @classmethod
    def from_solution(cls, solution: Solution) -> Self:
        """Read the certificate of an answer, at the tolerance that it was asked for.

        Parameters
        ----------
        solution
            What ``solve`` returned.

        Raises
        ------
        ParameterError
            If this is none, or its values are no numbers.
        """
        if not isinstance(solution, Solution):
            raise ParameterError(f"a Solution was expected, but {shown(solution)} came.")
        return cls.from_certificates({solution.solver: solution.certificate}, tol=solution.tol)

    @classmethod
    def from_certificates(cls, certificates: Mapping[str, Certificate], *, tol: float = 1e-6) -> Self:
        """Hold the certificates of answers to one problem beside each other.

        Parameters
        ----------
        certificates
            Certificates by the names of the answers.
        tol
            Above 0: the relative gap that the band shows.

        Raises
        ------
        ParameterError
            If there is none, or its values are no numbers.
        """
        several = dict(certificates) if isinstance(certificates, Mapping) else {}
        if not several or not all(isinstance(each, Certificate) for each in several.values()):
            raise ParameterError(
                f"certificates by their names were expected, as in {{'smo': solution.certificate}}, but "
                f"{shown(certificates)} came."
            )
        primal = np.array([each.primal_value for each in several.values()])
        dual = np.array([each.dual_value for each in several.values()])
        if not (np.isfinite(primal).all() and np.isfinite(dual).all()):
            raise ParameterError("a certificate without finite values of primal and dual is not drawn; leave it out.")
        optimum = 0.5 * (float(primal.min()) + float(dual.max()))
        scale = abs(optimum) or 1.0
        return cls(
            names=tuple(several),
            primal=(primal - optimum) / scale,
            dual=(dual - optimum) / scale,
            tol=check_positive(tol, "tol"),
        )

    def _draw(self, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        places = np.arange(len(self.names))
        half = 0.5 * self.tol
        ax.axhspan(-half, half, color=tinted(GREEN, 0.16), linewidth=0, label=f"gap of {self.tol:g}", zorder=0)
        ax.axhline(0.0, color=GREY, linewidth=0.8, zorder=1)
        ax.vlines(places, self.dual, self.primal, color=ink_of(ax), linewidth=1.4, label="gap", zorder=2)
        ax.plot(places, self.primal, "v", color=VERMILLION, markersize=9, label="primal value", zorder=3)
        ax.plot(places, self.dual, "^", color=BLUE, markersize=9, label="dual value", zorder=3)
        reach = 4.0 * max(float(np.abs(self.primal).max()), float(np.abs(self.dual).max()), self.tol)
        ax.set_yscale("symlog", linthresh=self._linear(), linscale=1.0)
        ax.set(ylim=(-reach, reach), xlim=(-0.6, len(places) - 0.4), ylabel="(value - optimum) / |optimum|")
        ax.set_yticks(_ticks(self._linear(), reach))
        ax.set_xticks(places, self.names)

    def _linear(self) -> float:
        """Return the size within which the axis is linear: that of the least distance from the optimum."""
        sizes = np.abs(np.concatenate([self.primal, self.dual]))
        return min(0.1 * self.tol, max(float(sizes[sizes > 0].min(initial=self.tol)), _ROUNDING))


def _ticks(linear: float, reach: float) -> Vector:
    """Return zero and powers of ten on both sides of it, so far from each other that their labels have room."""
    length = 1.0 + float(np.log10(reach / linear))  # of a side of the axis, in decades: the linear part takes one
    step = int(np.ceil(length / _LABELS))
    least = np.log10(linear) + step - 1.0
    powers = 10.0 ** np.arange(np.floor(np.log10(reach)), least - 1e-9, -step)
    return np.concatenate([-powers, [0.0], powers[::-1]])
