# SPDX-License-Identifier: BSD-3-Clause
"""The exercises of Learn that have a number for an answer, in the order of the chapters."""

from __future__ import annotations

import numpy as np

from formulations.exercises.exercise import Exercise, Exercises
from formulations.exercises.judges import (
    Eigenpairs,
    Extreme,
    HandCorrections,
    NoKernel,
    Precisions,
    SmallestBound,
    UnitInterval,
)
from formulations.exercises.models import OfModel
from formulations.models.classification.margins.hard_margin import HardMargin
from formulations.models.classification.margins.nu_margin import NuMargin
from formulations.models.classification.margins.soft_margin import SoftMargin
from formulations.models.classification.separation.perceptron import Perceptron
from formulations.models.regression.ridge.interpolation import Interpolation
from formulations.models.regression.tubes.soft import SoftTube
from formulations.models.regression.tubes.sparse_approximation import SparseApproximation
from formulations.models.relevance.regression import RelevanceRegression
from qpkernels import RBF, Polynomial
from qpkernels.arrays import Matrix
from qpkernels.errors import ParameterError
from qpkernels.kernels.function_kernel import as_kernel

__all__ = ["exercises"]

_POINTS, _SIGNS = np.array([[0.0, 2.0], [2.0, 0.0], [-1.0, -1.0]]), np.array([1.0, 1.0, -1.0])
"""The three points of the chapter on the margin."""

_PAIR = np.array([[-1.0], [1.0]])
"""Two samples of one coordinate, with labels or targets -1 and 1."""

_APART, _TARGETS = np.arange(4.0)[:, None], np.array([2.0, -2.0, 0.5, -0.5])
"""Samples so far apart for the kernel below that K = I, and targets that add up to 0."""

_NARROW = RBF(gamma=1e4)

_RATIO = (3.0 - np.sqrt(5.0)) / 2.0
"""Ratio of one eigenvalue to the one before, for exp(-(x - z)^2 / 2) with the density N(0, 1)."""

_WEIGHTS = {"w": "the weight of each coordinate", "b": "the intercept"}


def _least(X: Matrix, Z: Matrix) -> Matrix:
    return np.minimum(X, Z.T)


def _greatest(X: Matrix, Z: Matrix) -> Matrix:
    return np.maximum(X, Z.T)


_MINIMUM, _MAXIMUM = as_kernel(_least), as_kernel(_greatest)


def _with(sample: list[float]) -> HardMargin:
    return HardMargin(np.vstack([_POINTS, sample]), np.append(_SIGNS, 1.0))


def _is_hard_at(C: float) -> bool:
    hard = HardMargin(_PAIR, [-1, 1]).solve(tol=1e-9)
    return SoftMargin(_PAIR, [-1, 1], C=C).certify((hard.beta, hard.intercept)).holds(1e-6)


def _is_possible(nu: float) -> bool:
    try:
        NuMargin(np.arange(10.0)[:, None], [1, 1, 1, -1, -1, -1, -1, -1, -1, -1], nu=nu)
    except ParameterError:
        return False
    return True


exercises = Exercises(
    (
        Exercise(
            "corrections",
            "perceptron",
            "warm-up",
            r"Take $x_1 = 1$, $x_2 = 3$ with $y = +1$ and $x_3 = 0$ with $y = -1$: samples with a single coordinate. "
            r"Run the single-sample rule from $a = 0$ with $\eta = 1$ by hand. Which samples are corrected, in which "
            r"order, and where does it end?",
            {
                "corrections": "the numbers of the samples in the order in which they are added, such as [1, 2, 1]",
                "alpha": "how often each sample is added",
                "a": "(b, w) at the end",
            },
            HandCorrections(Perceptron([[1.0], [3.0], [0.0]], [1, 1, -1])),
        ),
        Exercise(
            "kernel-perceptron",
            "perceptron",
            "standard",
            r"The corners of a square, $x_1 = (1, 1)$, $x_2 = (1, -1)$, $x_3 = (-1, 1)$, $x_4 = (-1, -1)$, with "
            r"$y = (1, -1, -1, 1)$: no line separates them. Run the single-sample rule with $\langle x, z\rangle^2$ in "
            r"the place of the inner product. How often is each sample added?",
            {
                "corrections": "the numbers of the samples in the order in which they are added",
                "alpha": "how often each sample is added",
            },
            HandCorrections(
                Perceptron(
                    [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]],
                    [1, -1, -1, 1],
                    Polynomial(degree=2, coef0=0.0),
                )
            ),
        ),
        Exercise(
            "smallest-bound",
            "perceptron",
            "challenge",
            r"Take $x_1 = (0, 2)$ and $x_2 = (2, 0)$ with $y = +1$, and $x_3 = (-1, -1)$ with $y = -1$. Which "
            r"$a^\star = (b, w_1, w_2)$ proves the smallest bound on the number of corrections, and what is it?",
            {"a": "(b, w_1, w_2), of any length"},
            SmallestBound(_SIGNS[:, None] * np.column_stack([np.ones(3), _POINTS])),
        ),
        Exercise(
            "beyond-the-margin",
            "margin",
            "warm-up",
            r"Add the sample $x_4 = (3, 3)$ with $y = +1$ to the three points. Does the line move? Answer before you "
            r"compute.",
            _WEIGHTS,
            OfModel(lambda: _with([3.0, 3.0])),
        ),
        Exercise(
            "within-the-margin",
            "margin",
            "warm-up",
            r"And if you add $x_4 = (\tfrac12, \tfrac12)$ with $y = +1$ in its place?",
            _WEIGHTS,
            OfModel(lambda: _with([0.5, 0.5])),
        ),
        Exercise(
            "hulls",
            "duality",
            "standard",
            r"Take $x_1 = 1$, $x_2 = 3$ with $y = +1$ and $x_3 = -2$ with $y = -1$: samples with a single coordinate. "
            r"Find $w$, $b$ and $\alpha$ by the hulls, and check that primal and dual values agree.",
            {"alpha": "the multiplier of each sample", **_WEIGHTS},
            OfModel(lambda: HardMargin([[1.0], [3.0], [-2.0]], [1, 1, -1])),
        ),
        Exercise(
            "every-cost",
            "soft-margin",
            "standard",
            r"Samples $x_1 = -1$ ($y = -1$) and $x_2 = 1$ ($y = +1$), of one coordinate. Solve the soft margin for "
            r"every $C > 0$ by its dual.",
            {
                "alpha": "the multiplier of each sample, as a function of C",
                "w": "the weight, as a function of C",
                "b": "the intercept, as a function of C or a number",
            },
            OfModel(lambda C: SoftMargin(_PAIR, [-1, 1], C=C), ({"C": 0.2}, {"C": 0.5}, {"C": 3.0})),
        ),
        Exercise(
            "cost-of-the-hard-margin",
            "soft-margin",
            "warm-up",
            r"From which $C$ on is that the answer of the hard margin?",
            {"C": "a number"},
            Extreme("C", _is_hard_at, "least", "the hard margin is optimal"),
        ),
        Exercise(
            "no-kernel",
            "kernels",
            "warm-up",
            r"Is $\max(x, z)$ on $[0, 1]$ a kernel? Find samples that tell.",
            {"samples": "numbers in [0, 1], whose matrix is no matrix of a kernel"},
            NoKernel(_MAXIMUM),
        ),
        Exercise(
            "least-norm",
            "representer",
            "standard",
            r"The kernel $\min(x, z)$ on $[0, 1]$ belongs to the functions with $f(0) = 0$ and "
            r"$\|f\|^2 = \int_0^1 f'(x)^2\,dx$. Which of them has $f(\tfrac12) = f(1) = 1$ and the smallest norm?",
            {"beta": "the coefficients of k(1/2, .) and k(1, .)"},
            OfModel(lambda: Interpolation([[0.5], [1.0]], [1.0, 1.0], _MINIMUM)),
        ),
        Exercise(
            "share-of-the-trace",
            "mercer",
            "warm-up",
            r"The eigenvalues of $\exp(-\tfrac12(x - z)^2)$ with the density $N(0, 1)$ add up to 1. How many of the "
            r"largest does it take for 99.9 % of that?",
            {"n": "a whole number"},
            Extreme(
                "n", lambda n: bool(_RATIO**n <= 1e-3), "least", "the first n add up to at least 99.9 %", is_count=True
            ),
        ),
        Exercise(
            "eigenfunctions",
            "mercer",
            "standard",
            r"Find the eigenvalues and eigenfunctions of $\min(x, z)$ on $[0, 1]$ with the uniform density. "
            r"(Differentiate $\int_0^1 \min(x, z)\,u(z)\,dz = \lambda\,u(x)$ twice.)",
            {
                "eigenvalue": "as a function of t = 1, 2, ..., the largest first",
                "eigenfunction": "as a function of t and x, of any length; x is an array",
            },
            Eigenpairs(UnitInterval(_MINIMUM)),
        ),
        Exercise(
            "flat-line",
            "tube",
            "standard",
            r"Samples $x_1 = -1$ and $x_2 = 1$ with targets $y_1 = -1$ and $y_2 = 1$, a linear function, and "
            r"$0 \le \varepsilon < 1$. Find the $w$ of the soft tube for every $C > 0$. What is $b$?",
            {
                "beta": "the coefficient of each sample, as a function of C and epsilon",
                "w": "the weight, as a function of C and epsilon",
                "b": "the intercept, as a function of C and epsilon or a number",
            },
            OfModel(
                lambda C, epsilon: SoftTube(_PAIR, [-1.0, 1.0], C=C, epsilon=epsilon),
                ({"C": 0.1, "epsilon": 0.2}, {"C": 3.0, "epsilon": 0.2}, {"C": 3.0, "epsilon": 0.0}),
            ),
        ),
        Exercise(
            "soft-threshold",
            "sparsity",
            "standard",
            r"Solve F1 for $K = I$. Which coefficients are 0, and what happened to the others?",
            {"a": "the coefficients, as a function of the array y and of epsilon"},
            OfModel(
                lambda y, epsilon: SparseApproximation(_APART, y, _NARROW, epsilon=epsilon),
                ({"y": _TARGETS, "epsilon": 1.0}, {"y": np.array([-0.3, 4.0, 1.0, -2.5]), "epsilon": 0.25}),
            ),
        ),
        Exercise(
            "largest-nu",
            "sparsity",
            "warm-up",
            r"Among 10 samples, 3 have $y_i = +1$ and 7 have $y_i = -1$. What is the largest $\nu$ for which the dual "
            r"of the nu-machine has a feasible point? And of any numbers?",
            {"nu": "a number, for 3 and 7 samples"},
            Extreme("nu", _is_possible, "largest", "the dual has a feasible point"),
        ),
        Exercise(
            "relevant-targets",
            "relevance",
            "challenge",
            r"Let $\Phi = I$ (no constant, and samples so far apart that $K = I$) and $\sigma^2 = 1$. Which weights "
            r"are 0, and what are the others? Take $t = (2, -2, \tfrac12, -\tfrac12)$, and compare the soft "
            r"threshold of the chapter on sparsity.",
            {"mu": "the mean of each weight", "alpha": "the precision of each weight; numpy.inf where the weight is 0"},
            Precisions(RelevanceRegression(_APART, _TARGETS, _NARROW, noise=1.0)),
        ),
    )
)
"""All of them by name."""
