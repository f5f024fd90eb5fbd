# SPDX-License-Identifier: BSD-3-Clause
"""Judges of answers that are no answers to a model: numbers, corrections, eigenfunctions, samples and precisions.

With T u(x) = int k(x, z) u(z) p(z) dz and any u other than 0, there is an eigenvalue within ||T u - l u|| / ||u|| of l:
that is the certificate of a pair (l, u). The integrals are sums over the nodes of Gauss, where k has a kink at z = x
on both sides of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from formulations.exercises.exercise import Answers, Verdict, all_of, at, number, vector
from formulations.models.classification.margins.hard_margin import HardMargin
from formulations.models.classification.separation.perceptron import BatchPerceptron, Perceptron, mistake_bound
from formulations.models.relevance.regression import RelevanceRegression
from qpkernels import Mercer
from qpkernels.arrays import Matrix, Vector, check_count, finite_vector
from qpkernels.arrays.checks import float_vector
from qpkernels.errors import NonFiniteError, ShapeError
from qpkernels.kernels import Kernel

__all__ = [
    "Computed",
    "Eigenpairs",
    "Extreme",
    "HandCorrections",
    "NoKernel",
    "Precisions",
    "SmallestBound",
    "UnitInterval",
]

_TOL = 1e-6
"""Share of the smallest bound, an eigenvalue or a mean, and slope of the evidence, within which it is right."""

_BESIDE = 1e-4
"""Share of a number by which it is moved to see that what holds there does not hold beside it."""


@dataclass(frozen=True, eq=False)
class Extreme:
    """Judges whether a property holds at a number, and no longer just beside it.

    Attributes
    ----------
    letter
        What the number is called.
    holds
        The property, which holds on one side of the number that is looked for.
    which
        Whether that is the least or the largest at which it holds.
    words
        The property, as a clause that follows "at C = 0.5".
    is_count
        Whether the number is an integer of at least 1.
    """

    letter: str
    holds: Callable[[float], bool]
    which: Literal["least", "largest"]
    words: str
    is_count: bool = False

    def __call__(self, answers: Answers) -> Verdict:
        """Judge the number, and one beside it."""
        came = answers[self.letter]
        value = float(check_count(came, self.letter)) if self.is_count else number(came, self.letter)
        name = f"{self.letter} = {value:g}"
        if not value > 0.0:
            return Verdict(False, f"{self.letter} is above 0, and {value:g} is not")
        # A number with four digits is right: both sides of it are looked at, not the number itself.
        step = 1.0 if self.is_count else _BESIDE * value
        outwards = step if self.which == "largest" else -step
        inwards = 0.0 if self.is_count else -outwards
        if not self.holds(value + inwards):
            return Verdict(False, f"at {name} it is not so that {self.words}")
        if value + outwards > 0.0 and self.holds(value + outwards):
            beside = "a larger" if self.which == "largest" else "a smaller"
            return Verdict(False, f"at {name} it is so that {self.words}, but {beside} {self.letter} will do as well")
        return Verdict(True, f"{name} is right: it is the {self.which} at which {self.words}")


@dataclass(frozen=True, eq=False)
class Computed:
    """Judges numbers beside those that the library computes, each by its letter."""

    values: Mapping[str, Callable[[], float]]

    def __call__(self, answers: Answers) -> Verdict:
        """Compute what is asked."""
        return all_of(self._judged(letter, number(value, letter)) for letter, value in answers.items())

    def _judged(self, letter: str, value: float) -> Verdict:
        # A number with four digits is right.
        is_right = bool(np.isclose(value, self.values[letter](), rtol=_BESIDE, atol=0.0))
        return Verdict(is_right, f"{letter} is {'right' if is_right else f'not {value:g}'}")


@dataclass(frozen=True, eq=False)
class HandCorrections:
    """Judges the corrections of a perceptron made by hand, or how often each sample was added, or what it ends with."""

    rule: Perceptron

    def __call__(self, answers: Answers) -> Verdict:
        """Compare with the corrections that the rule makes."""
        m = len(self.rule)
        parts = []
        if "corrections" in answers:
            parts.append(self._sequence(finite_vector(answers["corrections"], "corrections")))
        if "alpha" in answers:
            parts.append(self._ends("alpha", vector(answers["alpha"], "alpha", m, "one for each sample")))
        if "a" in answers:
            size = self.rule.start.size
            parts.append(self._ends("a", vector(answers["a"], "a", size, "b and one for each feature")))
        return all_of(parts)

    def _sequence(self, found: np.ndarray) -> Verdict:
        right = [each.sample + 1 for each in self.rule.corrections()]
        for k, (his, its) in enumerate(zip(found, right, strict=False), 1):
            if his != its:
                came = f"x_{int(his)}" if his == int(his) else f"{his:g}, which is no sample"
                return Verdict(False, f"correction {k} is not of {came}")
        if found.size < len(right):
            return Verdict(False, "all of these corrections are right, but more follow")
        if found.size > len(right):
            return Verdict(False, f"the first {len(right)} corrections are right, and there are no more")
        return Verdict(True, f"all {len(right)} corrections are right")

    def _ends(self, letter: str, values: np.ndarray) -> Verdict:
        y = self.rule.y
        right = self._part(self.rule, letter)
        if np.allclose(values, right, atol=1e-9):
            return Verdict(True, f"{letter} is right")
        misreadings = {
            f"this is the {letter} of the batch rule: correct one sample after another": self._part(
                BatchPerceptron(self.rule.data, y), letter
            )
        }
        if letter == "alpha":
            misreadings["this is beta = y alpha: alpha counts corrections, and is nowhere below 0"] = y * right
        else:
            misreadings["this is (w, b), but a = (b, w) begins with b"] = np.roll(right, -1)
        words = next((w for w, wrong in misreadings.items() if np.allclose(values, wrong, atol=1e-9)), None)
        if words is None and letter == "alpha" and values.sum() != right.sum():
            words = f"the rule makes another number of corrections than the {values.sum():g} of this alpha"
        return Verdict(False, words or f"the rule does not end with this {letter}")

    @staticmethod
    def _part(rule: Perceptron | BatchPerceptron, letter: str) -> np.ndarray:
        run = rule.solve()
        return np.asarray(run.alpha if letter == "alpha" else run.weights)


@dataclass(frozen=True, eq=False)
class SmallestBound:
    """Judges an a = (b, w) by the bound on the mistakes that it proves, against the smallest there is.

    That is the hard margin in generalised coordinates z_i = y_i (1, x_i), without an intercept, by its dual value.
    """

    points: np.ndarray

    def __call__(self, answers: Answers) -> Verdict:
        """Compute the bound of ``a``."""
        a = vector(answers["a"], "a", self.points.shape[1], "b and one for each feature")
        a = a / (np.abs(a).max() or 1.0)  # a bound does not depend on the length
        margins = self.points @ a
        worst = int(np.argmin(margins))
        if not margins[worst] > 0.0:
            return Verdict(False, f"a does not separate: a'z_{worst + 1} = {margins[worst]:.4g} is not above 0")
        signs = np.where(np.arange(len(self.points)) == 0, 1.0, -1.0)
        proof = HardMargin(signs[:, None] * self.points, signs, fit_intercept=False).solve(tol=1e-9).certificate
        longest = float(np.einsum("ij,ij->i", self.points, self.points).max())
        bound, least = mistake_bound(self.points, a), 2.0 * longest * proof.dual_value
        if bound <= least * (1.0 + _TOL):
            return Verdict(True, f"a is right: its bound is {bound:.6g}, and no other has a smaller one", proof)
        return Verdict(False, f"a separates, and its bound is {bound:.4g}, but there is an a with a smaller one", proof)


_NODES = 32
"""Nodes of Gauss on each side of a kink."""

_NEAR = 0.02
"""Share of an eigenvalue within which that of a matrix is the same one."""

_POINTS = 400
"""Points of the matrix whose spectrum tells which eigenvalue is number t."""


@dataclass(frozen=True, eq=False)
class UnitInterval:
    """The operator of a kernel on [0, 1] with the uniform density, whose kernel may have a kink at x = z."""

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
    """Judges eigenvalues, as a function of t = 1, 2, ..., and eigenfunctions, as one of t and x: the first few."""

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
            return Verdict(False, f"the eigenfunction of t = {t} is 0, which is not an eigenfunction")
        values, image = values / size, image / size
        squares = float(weights @ values**2)
        own = float(weights @ (values * image)) / squares
        residual = float(np.sqrt(weights @ (image - own * values) ** 2 / squares))
        if residual > _TOL * abs(own):
            return Verdict(
                False,
                f"the function of t = {t} is not an eigenfunction: its image under the operator differs from all its "
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


@dataclass(frozen=True, eq=False)
class NoKernel:
    """Judges ``samples`` in [0, 1] whose matrix is to have a negative eigenvalue, which proves that k is no kernel."""

    kernel: Kernel

    def __call__(self, answers: Answers) -> Verdict:
        """Compute the spectrum of the matrix."""
        samples = finite_vector(answers["samples"], "samples")
        if not samples.size or samples.min() < 0.0 or samples.max() > 1.0:
            return Verdict(False, "the samples are to be in [0, 1]")
        spectrum = Mercer(self.kernel, samples[:, None])
        if spectrum.is_psd:
            return Verdict(False, "the matrix of these samples has no negative eigenvalue, which proves nothing")
        return Verdict(
            True, f"right: the matrix of these samples has the eigenvalue {spectrum.smallest_eigenvalue:.4g}"
        )


@dataclass(frozen=True, eq=False)
class Precisions:
    """Judges precisions ``alpha`` by the slopes of the evidence, and means ``mu`` by those where it is stationary.

    The machine is a regression of known noise, whose constant is irrelevant.
    """

    machine: RelevanceRegression

    def __call__(self, answers: Answers) -> Verdict:
        """Compute the posterior."""
        return all_of(
            self._alpha(value) if letter == "alpha" else self._mean(value) for letter, value in answers.items()
        )

    def _alpha(self, value: object) -> Verdict:
        alpha, m = float_vector(value, "alpha"), len(self.machine)
        if alpha.size != m:
            raise ShapeError(f"alpha must have {m} entries, one for each sample, but it has {alpha.size}.")
        if np.isnan(alpha).any():
            raise NonFiniteError("alpha may hold infinity, for a weight of 0, but no NaN.")
        if not (alpha > 0.0).all():
            return Verdict(False, f"alpha_{int(np.argmin(alpha)) + 1} is a precision, and not above 0")
        machine = self.machine
        here = machine.likelihood.posterior(np.append(np.inf, alpha), machine.first_noise, None)
        if here.stationarity.holds(_TOL):
            return Verdict(True, f"alpha is right: {here.stationarity}")
        back, _ = here.returning
        if here.stationarity.pruned > _TOL:
            i = int(np.argmax(back))
            return Verdict(
                False, f"the evidence would rise if alpha_{i} were finite" if i else "the constant is missing"
            )
        i = int(here.kept[np.argmax(np.abs(here.gradient))])
        slope = float(np.abs(here.gradient).max())
        return Verdict(False, f"the evidence is not stationary: its slope in ln alpha_{i} is {slope:.2g} in size")

    def _mean(self, value: object) -> Verdict:
        machine = self.machine
        mu = vector(value, "mu", len(machine), "one for each sample")
        right = machine.gram.values(machine.solve().mean)
        if np.allclose(mu, right, atol=_TOL * float(np.abs(right).max())):
            return Verdict(True, "mu is right: the means where the evidence is stationary")
        i = int(np.argmax(np.abs(mu - right)))
        nought = "is not 0" if mu[i] == 0.0 else "is 0" if abs(right[i]) < _TOL else f"is not {mu[i]:.4g}"
        return Verdict(False, f"mu_{i + 1} {nought}")
