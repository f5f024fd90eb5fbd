# SPDX-License-Identifier: BSD-3-Clause
"""The exercises of Learn that have a number for an answer, in the order of the chapters."""

from __future__ import annotations

import numpy as np

from formulations.exercises.exercise import Exercise, Exercises
from formulations.exercises.judges import (
    Computed,
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
from formulations.models.regression.ridge.least_squares import LeastSquares
from formulations.models.regression.tubes.hard import HardTube
from formulations.models.regression.tubes.soft import SoftTube
from formulations.models.regression.tubes.sparse_approximation import SparseApproximation
from formulations.models.relevance.regression import RelevanceRegression
from qpkernels import RBF, Polynomial
from qpkernels.arrays import Matrix
from qpkernels.errors import InfeasibleError, ParameterError
from qpkernels.kernels.function_kernel import as_kernel

__all__ = ["exercises"]

_POINTS, _SIGNS = np.array([[0.0, 2.0], [2.0, 0.0], [-1.0, -1.0]]), np.array([1.0, 1.0, -1.0])
"""The three points of the chapter on the margin."""

_PAIR = np.array([[-1.0], [1.0]])
"""Two samples of one coordinate, with labels or targets -1 and 1."""

_APART, _TARGETS = np.arange(4.0)[:, None], np.array([2.0, -2.0, 0.5, -0.5])
"""Samples so far apart for the kernel below that K = I, and targets that add up to 0."""

_NARROW = RBF(gamma=1e4)

_FIVE = np.array([0.0, 1.0, 0.5, 2.0, 1.2])
"""Targets of the samples 0 to 4 in the chapter on the tube."""

_TEN = np.array(
    [[-2, 1], [-2, -1], [-1, 0.5], [-1.5, 2], [0, -1], [0.5, 1], [1.5, 0], [1, 2], [2, 1], [2.5, -1]], dtype=float
)
"""Samples of the chapter on sparsity, of which the first five have the label -1."""

_TEN_SIGNS = np.repeat([-1.0, 1.0], 5)

_BAND = RelevanceRegression(_APART, [4.0, -4.0, 1.0, -1.0], _NARROW, noise=4.0)
"""Samples at which the precisions of the weights are 1/12, 1/12 and twice infinity."""

_RATIO = (3.0 - np.sqrt(5.0)) / 2.0
"""Ratio of one eigenvalue to the one before, for exp(-(x - z)^2 / 2) with the density N(0, 1)."""

_SQUARE = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
"""The corners of a square, in rows: x_1 and x_4 are opposite."""

_DIAGONALS = np.array([1.0, -1.0, -1.0, 1.0])
"""Labels of these corners that no line separates."""

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


def _is_near_at(C: float) -> bool:
    machine = LeastSquares(_APART, [1.0, -1.0, 0.5, -0.5], _NARROW, C=C)
    return bool(np.abs(machine.y - machine.solve().decision).max() <= 0.1)


def _is_reached(v: float) -> bool:
    found = Interpolation([[0.0], [1.0]], [0.0, v], RBF(gamma=float(np.log(2.0)))).solve(tol=1e-9)
    return found.function.squared_norm <= 1.0


def _is_promised_by(m: float) -> bool:
    half = (
        np.arange(1000) + 0.5
    )  # the eigenvalues of min(x, z) are 1 / (half pi)^2, and min(x, x)^2 has the integral 1/3
    return bool((1.0 / 3.0 - np.sum((half * np.pi) ** -4.0)) / m <= 0.01**2)


def _is_constant_at(epsilon: float) -> bool:
    tube = SoftTube(np.arange(5.0)[:, None], _FIVE, C=10.0, epsilon=epsilon)
    return tube.certify((np.zeros(5), 0.5 * (_FIVE.min() + _FIVE.max()))).holds(1e-6)


def _holds_squares(epsilon: float) -> bool:
    try:
        HardTube(np.arange(5.0)[:, None], np.arange(5.0) ** 2, epsilon=epsilon).solve()
    except InfeasibleError:
        return False
    return True


def _are_enough(n: float) -> bool:
    return n >= SoftMargin(_TEN, _TEN_SIGNS, C=10.0).solve(tol=1e-9).support.indices.size


def _is_relevant(t: float) -> bool:
    return RelevanceRegression(_APART, [t, -t, 0.0, 0.0], _NARROW, noise=4.0).solve().n_relevance > 0


exercises = Exercises(
    (
        Exercise(
            "corrections",
            "perceptron",
            "warm-up",
            r"Take $x_1 = 1$, $x_2 = 3$ with $y = +1$ and $x_3 = 0$ with $y = -1$: samples with a single coordinate. "
            r"Run the single-sample rule from $a = 0$ with $\eta = 1$ by hand. Which samples does it add, in which "
            r"order, and with which $a$ does it end?",
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
            r"No line separates the corners of a square, $x_1 = (1, 1)$, $x_2 = (1, -1)$, $x_3 = (-1, 1)$, "
            r"$x_4 = (-1, -1)$, with the labels $y = (1, -1, -1, 1)$. Run the single-sample rule with "
            r"$\langle x, z\rangle^2$ in place of the inner product. How often is each sample added?",
            {
                "corrections": "the numbers of the samples in the order in which they are added",
                "alpha": "how often each sample is added",
            },
            HandCorrections(Perceptron(_SQUARE, _DIAGONALS, Polynomial(degree=2, coef0=0.0))),
        ),
        Exercise(
            "smallest-bound",
            "perceptron",
            "challenge",
            r"Take $x_1 = (0, 2)$ and $x_2 = (2, 0)$ with $y = +1$, and $x_3 = (-1, -1)$ with $y = -1$. Which "
            r"$a^\star = (b, w_1, w_2)$ proves the smallest bound on the number of corrections, and how small is it?",
            {"a": "(b, w_1, w_2), of any length"},
            SmallestBound(_SIGNS[:, None] * np.column_stack([np.ones(3), _POINTS])),
        ),
        Exercise(
            "beyond-the-margin",
            "margin",
            "warm-up",
            r"Add the sample $x_4 = (3, 3)$ with $y = +1$ to the three points. Does the line move? Answer before you "
            r"look, and give $w$ and $b$ with the new sample.",
            _WEIGHTS,
            OfModel(lambda: _with([3.0, 3.0])),
        ),
        Exercise(
            "within-the-margin",
            "margin",
            "standard",
            r"Now add $x_4 = (\tfrac12, \tfrac12)$ with $y = +1$ to the three points instead. Find $w$ and $b$. Which "
            r"samples are support vectors?",
            _WEIGHTS,
            OfModel(lambda: _with([0.5, 0.5])),
        ),
        Exercise(
            "turned-line",
            "margin",
            "challenge",
            r"Add $x_4 = (1, -1)$ with $y = +1$ to the three points, so that they are no longer symmetric. Guess which "
            r"samples are support vectors, solve three equations for $w$ and $b$, and check the fourth sample.",
            _WEIGHTS,
            OfModel(lambda: _with([1.0, -1.0])),
        ),
        Exercise(
            "four-points",
            "duality",
            "warm-up",
            r"Take $x_1 = (1, 1)$, $x_2 = (1, -1)$ and $x_4 = (3, 0)$ with $y = +1$, and $x_3 = (-1, 0)$ with "
            r"$y = -1$. Which points of the two hulls are closest to each other? Find $\alpha$ from them.",
            {"alpha": "the multiplier of each sample", **_WEIGHTS},
            OfModel(lambda: HardMargin([[1.0, 1.0], [1.0, -1.0], [-1.0, 0.0], [3.0, 0.0]], [1, 1, -1, 1])),
        ),
        Exercise(
            "hulls",
            "duality",
            "standard",
            r"Take $x_1 = 1$, $x_2 = 3$ with $y = +1$ and $x_3 = -2$ with $y = -1$: samples with a single coordinate. "
            r"Find $w$, $b$ and $\alpha$ from the hulls, and check that the primal and the dual value agree.",
            {"alpha": "the multiplier of each sample", **_WEIGHTS},
            OfModel(lambda: HardMargin([[1.0], [3.0], [-2.0]], [1, 1, -1])),
        ),
        Exercise(
            "moving-corner",
            "duality",
            "challenge",
            r"Take $x_1 = (1, -1)$ and $x_2 = (1, t)$ with $y = +1$, and $x_3 = (-1, 0)$ with $y = -1$. Find $\alpha$ "
            r"for every $t > -1$.",
            {"alpha": "the multiplier of each sample, as a function of t"},
            OfModel(
                lambda t: HardMargin([[1.0, -1.0], [1.0, t], [-1.0, 0.0]], [1, 1, -1]),
                ({"t": -0.5}, {"t": 0.5}, {"t": 2.0}),
            ),
        ),
        Exercise(
            "cost-of-the-hard-margin",
            "soft-margin",
            "warm-up",
            r"Take two samples with a single coordinate, $x_1 = -1$ with $y = -1$ and $x_2 = 1$ with $y = +1$. From "
            r"which $C$ on is the answer of the hard margin, $w = 1$ and $b = 0$, also that of the soft margin?",
            {"C": "a number"},
            Extreme("C", _is_hard_at, "least", "the hard margin is optimal"),
        ),
        Exercise(
            "every-cost",
            "soft-margin",
            "standard",
            r"Solve the soft margin of the same two samples for every $C > 0$ by its dual. Which $b$ are optimal?",
            {
                "alpha": "the multiplier of each sample, as a function of C",
                "w": "the weight, as a function of C",
                "b": "the intercept, as a function of C or a number",
            },
            OfModel(lambda C: SoftMargin(_PAIR, [-1, 1], C=C), ({"C": 0.2}, {"C": 0.5}, {"C": 3.0})),
        ),
        Exercise(
            "mislabelled",
            "soft-margin",
            "challenge",
            r"Take $x_1 = (1, 1)$ and $x_2 = (1, -1)$ with $y = +1$, and $x_3 = (-1, 1)$, $x_4 = (-1, -1)$ and "
            r"$x_5 = (2, 0)$ with $y = -1$. The last label is a mistake. Find $w$ and $b$ for every $C > 0$. From "
            r"which $C$ on does the line ignore the mistake?",
            {
                "w": "the two weights, as a function of C",
                "b": "the intercept, as a function of C",
            },
            OfModel(
                lambda C: SoftMargin([*_SQUARE, [2.0, 0.0]], [1, 1, -1, -1, -1], C=C),
                ({"C": 0.3}, {"C": 0.8}, {"C": 4.0}),
            ),
        ),
        Exercise(
            "no-kernel",
            "kernels",
            "warm-up",
            r"Show that $\max(x, z)$ on $[0, 1]$ is not a kernel: find samples whose matrix has a negative eigenvalue.",
            {"samples": "numbers in [0, 1], whose matrix is no matrix of a kernel"},
            NoKernel(_MAXIMUM),
        ),
        Exercise(
            "exclusive-or",
            "kernels",
            "standard",
            r"Take the corners of a square, $x_1 = (1, 1)$, $x_2 = (1, -1)$, $x_3 = (-1, 1)$ and $x_4 = (-1, -1)$, "
            r"with $y = (1, -1, -1, 1)$, and the hard margin with the kernel $\langle x, z\rangle^2$. Find an optimal "
            r"$\alpha$. Is it the only one?",
            {"alpha": "the multiplier of each sample"},
            OfModel(lambda: HardMargin(_SQUARE, _DIAGONALS, Polynomial(degree=2, coef0=0.0))),
        ),
        Exercise(
            "gaussian-corners",
            "kernels",
            "challenge",
            r"Take the same corners and labels, and the hard margin with the Gaussian kernel. Find $\alpha$ for every "
            r"$\gamma > 0$.",
            {"alpha": "the multiplier of each sample, as a function of gamma"},
            OfModel(
                lambda gamma: HardMargin(_SQUARE, _DIAGONALS, RBF(gamma=gamma)),
                ({"gamma": 0.1}, {"gamma": 0.5}, {"gamma": 2.0}),
            ),
        ),
        Exercise(
            "height-of-a-bump",
            "representer",
            "warm-up",
            r"Let $K = I$, as if the samples were far apart. Fit least squares with $C$ to the targets "
            r"$1, -1, \tfrac12, -\tfrac12$. From which $C$ on does the function come within 0.1 of all of them?",
            {"C": "a number"},
            Extreme("C", _is_near_at, "least", "no residual is above 0.1 in size"),
        ),
        Exercise(
            "least-norm",
            "representer",
            "standard",
            r"The space of the kernel $\min(x, z)$ on $[0, 1]$ consists of functions with $f(0) = 0$, and their norm "
            r"is $\|f\|^2 = \int_0^1 f'(x)^2\,dx$. Which of them has $f(\tfrac12) = f(1) = 1$ and the smallest norm?",
            {"beta": "the coefficients of k(1/2, .) and k(1, .)"},
            OfModel(lambda: Interpolation([[0.5], [1.0]], [1.0, 1.0], _MINIMUM)),
        ),
        Exercise(
            "largest-value",
            "representer",
            "challenge",
            r"A Gaussian kernel has $k(0, 1) = \tfrac12$. A function of its space has $\|f\| \le 1$ and $f(0) = 0$. "
            r"How large can $f(1)$ be?",
            {"value": "a number"},
            Extreme("value", _is_reached, "largest", "a function of norm at most 1 reaches it"),
        ),
        Exercise(
            "share-of-the-trace",
            "mercer",
            "warm-up",
            r"The eigenvalues of $\exp(-\tfrac12(x - z)^2)$ with the density $N(0, 1)$ add up to 1. How many of the "
            r"largest do you need for 99.9 % of the sum?",
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
            "promised-samples",
            "mercer",
            "challenge",
            r"You estimate the eigenvalues of $\min(x, z)$ with the uniform density on $[0, 1]$ from the matrix of $m$ "
            r"samples. From which $m$ on does the theorem promise "
            r"$\mathrm E\sum_t(\hat\lambda_t - \lambda_t)^2 \le 0.01^2$? (You need not add up the squares of the "
            r"eigenvalues: their sum is an integral of $k^2$.)",
            {"m": "a whole number"},
            Extreme("m", _is_promised_by, "least", "the bound of the theorem is at most 0.01^2", is_count=True),
        ),
        Exercise(
            "wide-tube",
            "tube",
            "warm-up",
            r"Take the samples $x = 0, 1, 2, 3, 4$ with the targets $0, 1, \tfrac12, 2, \tfrac65$. From which "
            r"$\varepsilon$ on does the soft tube have no support vector? Which function is it then?",
            {"epsilon": "a number"},
            Extreme("epsilon", _is_constant_at, "least", "no sample is a support vector"),
        ),
        Exercise(
            "flat-line",
            "tube",
            "standard",
            r"Take $x_1 = -1$ and $x_2 = 1$ with the targets $y_1 = -1$ and $y_2 = 1$, a linear function, and "
            r"$0 \le \varepsilon < 1$. Find $w$ and $b$ of the soft tube for every $C > 0$.",
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
            "thin-tube",
            "tube",
            "challenge",
            r"What is the smallest $\varepsilon$ for which a line has a hard tube that holds $(0, 0)$, $(1, 1)$, "
            r"$(2, 4)$, $(3, 9)$ and $(4, 16)$? Prove your answer with three weights.",
            {"epsilon": "a number"},
            Extreme("epsilon", _holds_squares, "least", "a line has a hard tube that holds all samples"),
        ),
        Exercise(
            "samples-that-stay",
            "sparsity",
            "warm-up",
            r"Take the ten samples of the lab below, and the soft margin with $C = 10$ and a linear kernel. Delete "
            r"as many samples as you can without moving the line. How many stay?",
            {"n": "a whole number"},
            Extreme("n", _are_enough, "least", "n samples have the same machine as all ten", is_count=True),
        ),
        Exercise(
            "soft-threshold",
            "sparsity",
            "standard",
            r"Solve the penalty form of the sparse approximation for $K = I$. Which coefficients are 0, and what "
            r"happens to the others?",
            {"a": "the coefficients, as a function of the array y and of epsilon"},
            OfModel(
                lambda y, epsilon: SparseApproximation(_APART, y, _NARROW, epsilon=epsilon),
                ({"y": _TARGETS, "epsilon": 1.0}, {"y": np.array([-0.3, 4.0, 1.0, -2.5]), "epsilon": 0.25}),
            ),
        ),
        Exercise(
            "largest-nu",
            "sparsity",
            "challenge",
            r"Among 10 samples, 3 have $y_i = +1$ and 7 have $y_i = -1$. What is the largest $\nu$ for which the "
            r"dual of the nu-machine has a feasible point? What is it for $m_+$ and $m_-$ samples?",
            {"nu": "a number, for 3 and 7 samples"},
            Extreme("nu", _is_possible, "largest", "the dual has a feasible point"),
        ),
        Exercise(
            "relevant-from",
            "relevance",
            "warm-up",
            r"Let $\Phi = I$ (no constant, and samples so far apart that $K = I$) and $\sigma^2 = 4$. How large must "
            r"a target be in size for its weight to be other than 0?",
            {"t": "a number above 0"},
            Extreme("t", _is_relevant, "least", "the weight of a target t is not 0"),
        ),
        Exercise(
            "width-of-the-band",
            "relevance",
            "standard",
            r"Let $\Phi = I$ and $\sigma^2 = 4$ again. The first sample has the target $t_1 = 4$, and its weight has "
            r"the precision $\alpha_1 = \tfrac1{12}$. What are the mean and the variance of a new target at $x_1$? "
            r"What is the variance far away from all samples?",
            {
                "mean": "the mean at x_1",
                "variance": "the variance at x_1",
                "far": "the variance far away",
            },
            Computed(
                {
                    "mean": lambda: _BAND.solve().mean(_APART[:1])[0],
                    "variance": lambda: _BAND.solve().variance(_APART[:1])[0],
                    "far": lambda: _BAND.solve().variance([[100.0]])[0],
                }
            ),
        ),
        Exercise(
            "relevant-targets",
            "relevance",
            "challenge",
            r"Let $\Phi = I$ and $\sigma^2 = 1$. Find the precisions and the weights for the targets "
            r"$t = (2, -2, \tfrac12, -\tfrac12)$, and compare with the soft threshold of the chapter on sparsity.",
            {"mu": "the mean of each weight", "alpha": "the precision of each weight; numpy.inf where the weight is 0"},
            Precisions(RelevanceRegression(_APART, _TARGETS, _NARROW, noise=1.0)),
        ),
    )
)
"""All of them by name."""
