# SPDX-License-Identifier: BSD-3-Clause
"""The Matern kernel, from the exponential (nu = 1/2) to the Gaussian (nu infinite)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gamma, inf, prod
from typing import Any

import numpy as np
import scipy

from qpkernels.arrays import Matrix, Vector, check_positive, is_sparse
from qpkernels.arrays.exact_text import exact_text
from qpkernels.arrays.intervals import ELEMENTARY, UNDERFLOW, UNIT
from qpkernels.errors import ParameterError
from qpkernels.kernels.arithmetic import Arithmetic, Value
from qpkernels.kernels.catalogue import KernelEntry, KernelParameter
from qpkernels.kernels.derivatives import Axes, chain, check_axes, of_squared_distances
from qpkernels.kernels.enclosed import EnclosedMatrix, EnclosedRows, enclosed_distances, enclosed_negative_squares
from qpkernels.kernels.kernel import Kernel, Samples
from qpkernels.kernels.products import distances
from qpkernels.kernels.rbf import RBF

__all__ = [
    "Matern",
]

_LARGEST_NU = 1000.0
"""The recurrence takes nu steps."""

_VANISHING = 1e3
"""exp of minus this is 0 in float64."""


@dataclass(frozen=True)
class Matern(Kernel):
    r"""Matern kernel :math:`\frac{2^{1-\nu}}{\Gamma(\nu)} x^\nu K_\nu(x)` with :math:`x = \sqrt{2\nu}\,\|x-z\|/\ell`.

    K_nu is the modified Bessel function of the second kind. With t = ||x - z|| / l: exp(-t) for nu = 1/2, (1 + sqrt(3)
    t) exp(-sqrt(3) t) for 3/2, (1 + sqrt(5) t + 5/3 t^2) exp(-sqrt(5) t) for 5/2, and exp(-t^2 / 2) for nu = inf.

    Parameters
    ----------
    length_scale
        l, above 0: the distance beyond which samples no longer resemble each other. Raising it widens the kernel.
    nu
        Above 0 and at most 1000, or ``math.inf``. Raising it makes f smoother: f has the derivatives of order below nu.

    Raises
    ------
    ParameterError
        If a parameter is outside its range.

    Notes
    -----
    Source: Rasmussen and Williams, Gaussian Processes for Machine Learning (2006), section 4.2.1.

    Examples
    --------
    >>> from qpkernels import Matern
    >>> for nu in (0.5, 1.5, 2.5):
    ...     print(nu, Matern(length_scale=1.0, nu=nu)([[0.0]], [[0.5], [2.0]]).round(3))
    0.5 [[0.607 0.135]]
    1.5 [[0.785 0.14 ]]
    2.5 [[0.829 0.139]]
    """

    length_scale: float = 1.0
    nu: float = 1.5
    entry = KernelEntry(
        "matern",
        "Matern",
        (
            KernelParameter("length_scale", "length scale: larger is wider", 1e-2, 1e2, 1.0, others=("length",)),
            KernelParameter("nu", "smoothness: 0, 1 or 2 derivatives", 0, 2, 1, "integer", plus=0.5),
        ),
        explored=True,
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "length_scale", check_positive(self.length_scale, "length_scale"))
        nu = np.inf if isinstance(self.nu, float) and self.nu == np.inf else check_positive(self.nu, "nu")
        if _LARGEST_NU < nu < np.inf:
            raise ParameterError(
                f"nu must be at most {_LARGEST_NU:g}, or math.inf for the limit, the Gaussian kernel, but {nu:g} came."
            )
        object.__setattr__(self, "nu", nu)
        if nu == np.inf:
            # A length whose square leaves float64 is refused here, not with the first samples.
            RBF.from_sigma(self.length_scale)

    def formula(self, x: str = "x", z: str = "z") -> str:
        """Return it with exp for nu = 1/2 and inf, else with M_nu(t) = 2^(1-nu) / Gamma(nu) t^nu K_nu(t)."""
        distance = f"||{x} - {z}||"
        if self.nu == np.inf:
            return f"exp(-{distance}^2 / {2.0 * self.length_scale**2:g})"
        scaled = distance if self.length_scale == 1 else f"{distance} / {self.length_scale:g}"
        return f"exp(-{scaled})" if self.nu == 0.5 else f"M_({self.nu:g})(sqrt({2.0 * self.nu:g}) {scaled})"

    @property
    def positive_semidefinite(self) -> bool:
        return True

    @property
    def takes_sparse(self) -> bool:
        return True

    def portable(self) -> dict[str, Any]:
        square = Fraction(self.length_scale) ** 2
        if self.nu == inf:
            return {"name": "rbf", "gamma": exact_text(1 / (2 * square))}
        if self.nu not in (0.5, 1.5, 2.5):
            return super().portable()
        return {"name": "matern", "nu": f"{round(2 * self.nu)}/2", "gamma": exact_text(round(2 * self.nu) / square)}

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        if self.nu == np.inf:
            return RBF.from_sigma(self.length_scale).matrix(X, Z)
        with np.errstate(over="ignore"):
            return self.at_distances(distances(X, Z))

    def at_distances(self, lengths: Matrix) -> Matrix:
        """Return the values for samples at these distances, for a finite nu; ``lengths`` is overwritten.

        Parameters
        ----------
        lengths
            Distances of at least 0, in any shape, already scaled.
        """
        lengths /= self.length_scale
        lengths *= np.sqrt(2.0 * self.nu)
        return _matern(self.nu, np.minimum(lengths, _VANISHING, out=lengths))

    def computed(self, by: Arithmetic[Value]) -> Value:
        """Return the values for nu = 1/2, 3/2, 5/2 and inf; any other nu needs Bessel functions."""
        if self.nu == np.inf:
            return RBF.from_sigma(self.length_scale).computed(by)
        if self.nu not in _CLOSED:
            return super().computed(by)
        t = by.affine(by.distances("euclidean"), float(np.sqrt(2.0 * self.nu)) / self.length_scale, 0.0)
        falling = by.exp(by.affine(t, -1.0, 0.0))
        if self.nu == 0.5:
            return falling
        rising = t if self.nu == 1.5 else by.times(by.affine(t, 1 / 3, 1.0), t)
        return by.times(by.affine(rising, 1.0, 1.0), falling)

    def enclosed(self, X: Samples, Z: Samples) -> EnclosedRows:
        """Return the rows for nu = 1/2, 3/2, 5/2 and inf and dense samples; Bessel functions have no bounds."""
        if self.nu == np.inf:
            gamma = RBF.from_sigma(self.length_scale).gamma
            squares = enclosed_negative_squares(X, Z, np.full(X.shape[1], gamma))
            # 1 / (2 l^2) is rounded twice.
            return lambda part: squares(part).within(3.0 * UNIT).exp()
        if self.nu not in _CLOSED or is_sparse(X) or is_sparse(Z):
            raise self._no_enclosure()
        lengths = enclosed_distances(X, Z, "euclidean")

        def rows(part: slice) -> EnclosedMatrix:
            near = lengths(part)
            # The factor sqrt(2 nu) / l is rounded three times.
            factor = float(np.sqrt(2.0 * self.nu)) / self.length_scale
            return _enclosed_matern(self.nu, near.scaled(factor).within(4.0 * UNIT))

        return rows

    def diagonal(self, X: Samples) -> Vector:
        return np.ones(X.shape[0])

    @property
    def smoothness(self) -> float:
        """The largest integer below nu."""
        return self.nu if self.nu == np.inf else int(np.ceil(self.nu)) - 1

    def derivative(self, X: Samples, Z: Samples, left: Axes, right: Axes) -> Matrix:
        r"""Return the derivative by way of M_nu as a function of q = t^2, t = sqrt(2 nu) ||x - z|| / l.

        As d/dq (t^nu K_nu(t)) = -1/2 t^(nu-1) K_(nu-1)(t), derivatives of M_nu are multiples of M_(nu-1), M_(nu-2), ...
        until the index is 0 or less and they are infinite at 0. There, factors t from the first derivatives of q,
        dq/dx_a = 2 sqrt(2 nu) / l t e_a with the unit vector e = (x - z) / ||x - z||, make the product tend to 0:
        with n blocks for N axes there are 2 n - N of them, and 2 nu > N.
        """
        if self.nu == np.inf:
            return RBF.from_sigma(self.length_scale).derivative(X, Z, left, right)
        check_axes(X, Z, left, right)
        if max(len(left), len(right)) > self.smoothness:
            return super().derivative(X, Z, left, right)
        if not left and not right:
            return self.matrix(X, Z)
        root, axes = np.sqrt(2.0 * self.nu) / self.length_scale, len(left) + len(right)
        t = root * distances(X, Z)
        factors = of_squared_distances(X, Z, np.full(X.shape[1], root**2))

        def directed(left: Axes, right: Axes) -> Any:
            factor = factors(left, right)
            if len(left) + len(right) > 1:
                return factor
            return np.divide(factor, t, out=np.zeros_like(t), where=t > 0.0)

        return chain(lambda order: _matern_profile(self.nu, t, order, 2 * order - axes), directed, left, right)

    def frequencies(self, generator: np.random.Generator, count: int, features: int) -> Matrix:
        """Return draws of a multivariate t distribution with 2 nu degrees of freedom and the scale 1 / l."""
        normal = generator.standard_normal((count, features)) / self.length_scale
        if self.nu == np.inf:
            return normal
        return np.asarray(normal / np.sqrt(generator.chisquare(2.0 * self.nu, (count, 1)) / (2.0 * self.nu)))


_CLOSED = (0.5, 1.5, 2.5)
"""The orders at which M_nu is a polynomial times exp(-x)."""


def _enclosed_matern(nu: float, x: EnclosedMatrix) -> EnclosedMatrix:
    """Return M_nu of a closed form.

    Rather than term by term, an error e of x is carried over as a whole: M_nu falls, by a share of 1 at most for each
    unit of x, so that M_nu(x +- e) is within exp(e) of M_nu(x).
    """
    values = _matern_of_low_order(nu, x.values)
    # Eight roundings of positive terms, and one exponential.
    share = np.expm1(x.errors) * (1.0 + ELEMENTARY) + 2.0 * ELEMENTARY
    return EnclosedMatrix(values, values * share + UNDERFLOW)


def _matern(nu: float, x: Matrix) -> Matrix:
    r"""Return M_nu(x) = 2^(1-nu) / Gamma(nu) x^nu K_nu(x) for x >= 0.

    The recurrence of K_nu becomes M_(nu+1) = M_nu + x^2 / (4 nu (nu-1)) M_(nu-1), in which nothing cancels and nothing
    overflows, as K_nu itself does for large nu.
    """
    if nu <= 3.0:
        return _matern_of_low_order(nu, x)
    order = nu - np.ceil(nu) + 2.0
    below, value = _matern_of_low_order(order, x), _matern_of_low_order(order + 1.0, x)
    quarter = 0.25 * x**2
    for step in range(1, round(nu - order)):
        at = order + step
        below, value = value, value + quarter / (at * (at - 1.0)) * below
    return value


def _matern_of_low_order(nu: float, x: Matrix) -> Matrix:
    """Return M_nu for 0 < nu <= 3."""
    if nu == 0.5:
        return np.exp(-x)
    if nu == 1.5:
        return np.asarray((1.0 + x) * np.exp(-x))
    if nu == 2.5:
        return np.asarray((1.0 + x + x**2 / 3.0) * np.exp(-x))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        values = np.asarray(2.0 ** (1.0 - nu) / scipy.special.gamma(nu) * x**nu * scipy.special.kv(nu, x))
    # K_nu is infinite at 0, and beyond float64 close to it, where M_nu is 1 to the last digit.
    values[~np.isfinite(values)] = 1.0
    return values


def _matern_profile(nu: float, t: Matrix, order: int, factors: int) -> Matrix:
    """Return t^f d^n/dq^n M_nu for q = t^2, of f factors and the order n, with its limit at 0."""
    low, index = np.minimum(t, _VANISHING), nu - order
    if index > 0.0:
        scale = prod(-0.25 / (nu - step) for step in range(1, order + 1))
        return np.asarray(scale * low**factors * _matern(index, low))
    # t^-a K_a is t^-2a times the multiple 2^(a-1) Gamma(a) of M_a, and K_0 has a multiple of its own.
    scale = (-0.5) ** order * 2.0 ** (1.0 - nu) / gamma(nu)
    if index < 0.0:
        scale *= 2.0 ** (-index - 1.0) * gamma(-index)
        return np.asarray(scale * low ** (factors + 2.0 * index) * _matern(-index, low))
    bessel = scipy.special.k0(low)
    bessel[low == 0.0] = 0.0
    return np.asarray(scale * low**factors * bessel)
