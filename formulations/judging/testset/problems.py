# SPDX-License-Identifier: BSD-3-Clause
"""The problems of the set: machines of all sizes, hard and impossible ones, and those of published benchmarks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from scipy.sparse import csc_array, csr_array, diags_array, eye_array, hstack, vstack

from formulations import (
    ChebyshevFit,
    HardMargin,
    HardTube,
    Huber,
    LeastAbsoluteFit,
    LinearProgramMachine,
    NuMargin,
    NuTube,
    OneClass,
    Quantile,
    SoftMargin,
    SoftTube,
    SquaredHinge,
)
from formulations.modelling import Dual, Form, Model
from qpkernels.arrays import Matrix, Vector
from qpkernels.files import load_dataset, read, scale_features
from qpkernels.files.datasets import one_versus_rest
from qpkernels.kernels import RBF, Kernel, Linear, Polynomial
from qpkernels.problems import Block, ConeProgram, Nonnegative

__all__ = ["OSQP_FEATURES", "Entry", "clarabel_linear", "clarabel_svm", "entries", "osqp_svm"]


@dataclass(frozen=True, eq=False)
class Entry:
    """A problem of the set.

    Attributes
    ----------
    name
        Name of its file: letters, digits and underscores.
    family
        The purpose of the problem.
    most_variables
        Its number of variables, or a bound of it, which is known before the problem is stated.
    description
        A description in one line.
    state
        A callable that returns it as a quadratic program.

    Examples
    --------
    >>> from formulations.judging.testset import entries
    >>> entry = entries()[0]
    >>> print(entry.name, entry.family)
    soft_margin_dual_10 margins
    """

    name: str
    family: str
    most_variables: int
    description: str
    state: Callable[[], ConeProgram]

    @classmethod
    def of_file(cls, path: Path) -> Entry:
        """Return a quadratic program in a file as a problem that joins the set.

        Parameters
        ----------
        path
            A file in a format of :data:`qpkernels.files.FORMATS`.
        """
        program, name = read(path), re.sub(r"\W", "_", path.stem)
        return cls(name, "from a file", program.q.size, f"read from {path.name}", lambda: program)

    def program(self) -> ConeProgram:
        """Return the program, which has the name of the entry."""
        return replace(self.state(), name=self.name)


def entries(max_variables: int = 5000) -> list[Entry]:
    """Return the problems that have at most the given number of variables.

    Parameters
    ----------
    max_variables
        Problems with more variables are left out.

    Examples
    --------
    >>> from formulations.judging.testset import entries
    >>> small = entries(max_variables=100)
    >>> print(len(small) > 0, all(entry.most_variables <= 100 for entry in small))
    True True
    """
    families = (margins, tubes, linear_machines, degenerate, scaled, nearly_singular, impossible, published)
    found = [entry for family in families for entry in family()]
    return [entry for entry in found if entry.most_variables <= max_variables]


@dataclass(frozen=True, eq=False)
class FormOf:
    """A form of a model: duals in the variables of the textbook, others as solvers get them.

    ``data`` returns the samples, and their labels or targets.
    """

    model: Callable[..., Model[Any]]
    data: Callable[[], tuple[Any, ...]]
    form: str
    kernel: Kernel | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self) -> ConeProgram:
        """State the form in matrices."""
        form: Form = self.model(*self.data(), self.kernel, **self.parameters).forms[self.form]
        return form.lower().matrices("textbook" if isinstance(form, Dual) else "lowered")


Labelled: TypeAlias = tuple[Matrix, Vector]
"""Samples, shape (m, d), and labels or targets, shape (m,)."""


def clouds(m: int, features: int = 4, distance: float = 1.0, share: float = 0.5) -> Labelled:
    """Return two Gaussian clouds, their centres that far apart in each feature, and a share of the samples positive."""
    rng = np.random.default_rng(m)
    y = np.where(np.arange(m) < max(1, round(share * m)), 1.0, -1.0)
    return rng.normal(size=(m, features)) + 0.5 * distance * y[:, None], y


def separable(m: int, features: int = 9) -> Labelled:
    """Return two clouds with a gap between them along the first feature."""
    X, y = clouds(m, features)
    X[:, 0] = y * (0.3 + np.abs(X[:, 0]))
    return X, y


def contradiction(m: int) -> Labelled:
    """Return separable samples, the first of them twice: in each class once."""
    X, y = separable(m - 1)
    return np.vstack([X, X[:1]]), np.append(y, -y[0])


def curve(m: int) -> Labelled:
    """Return samples of sin(x) + noise with heavy tails, x in [0, 6]."""
    rng = np.random.default_rng(m)
    x = np.sort(rng.uniform(0.0, 6.0, m))
    return x[:, None], np.sin(x) + 0.1 * rng.standard_t(3, m)


def far_from_origin(m: int) -> tuple[Matrix]:
    """Return one cloud without labels, off the origin."""
    return (np.random.default_rng(m).normal(size=(m, 3)) + np.array([2.5, 1.0, 0.5]),)


def bundled_classes(name: str, positive: float, most: int) -> Labelled:
    """Return at most so many samples of a bundled set, taken evenly, scaled to [-1, 1], one class against the rest."""
    dataset = load_dataset(name)
    chosen = np.unique(np.linspace(0, len(dataset.y) - 1, min(most, len(dataset.y))).astype(int))
    return scale_features(dataset.X)[chosen], one_versus_rest(dataset.y, positive)[chosen]


def bundled_targets(most: int) -> Labelled:
    """Return at most so many samples of diabetes, features in [-1, 1], targets in units of their standard deviation."""
    dataset = load_dataset("diabetes")
    y = (dataset.y - dataset.y.mean()) / dataset.y.std()
    return scale_features(dataset.X)[:most], y[:most]


def margins() -> Iterator[Entry]:
    """Yield machines of two classes, and of one, in primal and dual."""
    for m in (10, 30, 100, 300, 1000):
        data = partial(clouds, m)
        yield _entry("margins", f"soft_margin_dual_{m}", m, SoftMargin, data, "dual", RBF(0.5), C=1.0)
        yield _entry("margins", f"squared_hinge_dual_{m}", m, SquaredHinge, data, "dual", RBF(0.5), C=1.0)
        yield _entry("margins", f"soft_margin_primal_{m}", m + 5, SoftMargin, data, "primal", C=1.0)
    for m in (2400, 4900):
        yield _entry("margins", f"soft_margin_primal_{m}", m + 5, SoftMargin, partial(clouds, m), "primal", C=1.0)
    for m in (10, 100, 300):
        data = partial(separable, m)
        yield _entry("margins", f"hard_margin_primal_{m}", 10, HardMargin, data, "primal")
        yield _entry("margins", f"hard_margin_dual_{m}", m, HardMargin, data, "dual", RBF(0.5))
        data = partial(clouds, m)
        yield _entry("margins", f"nu_margin_primal_{m}", m + 6, NuMargin, data, "primal", nu=0.4)
        yield _entry("margins", f"nu_margin_dual_{m}", m, NuMargin, data, "dual", RBF(0.5), nu=0.4)
        lone = partial(far_from_origin, m)
        yield _entry("margins", f"one_class_dual_{m}", m, OneClass, lone, "dual", RBF(0.5), nu=0.2)
    cancer = partial(bundled_classes, "breast-cancer", 1, 569)
    yield _entry("margins", "breast_cancer_dual", 569, SoftMargin, cancer, "dual", RBF(1 / 30), C=1.0)
    yield _entry("margins", "breast_cancer_primal", 600, SoftMargin, cancer, "primal", C=1.0)
    digits = partial(bundled_classes, "digits", 8, 900)
    yield _entry("margins", "digits_dual", 900, SoftMargin, digits, "dual", Polynomial(3, 1 / 64, 1.0), C=10.0)


def tubes() -> Iterator[Entry]:
    """Yield regressions."""
    for m in (10, 30, 100, 300):
        data = partial(curve, m)
        yield _entry("tubes", f"soft_tube_dual_{m}", 2 * m, SoftTube, data, "dual", RBF(1.0), C=1.0, epsilon=0.1)
        yield _entry("tubes", f"nu_tube_dual_{m}", 2 * m, NuTube, data, "dual", RBF(1.0), C=1.0, nu=0.3)
        yield _entry("tubes", f"quantile_dual_{m}", m, Quantile, data, "dual", RBF(1.0), C=1.0, tau=0.9)
        yield _entry("tubes", f"huber_dual_{m}", m, Huber, data, "dual", RBF(1.0), C=1.0, delta=0.1)
    for m in (100, 442):
        data = partial(bundled_targets, m)
        yield _entry("tubes", f"diabetes_primal_{m}", 2 * m + 11, SoftTube, data, "primal", C=1.0, epsilon=0.1)
        yield _entry("tubes", f"diabetes_dual_{m}", 2 * m, SoftTube, data, "dual", RBF(0.1), C=1.0, epsilon=0.1)
    yield _entry("tubes", "hard_tube_dual_30", 60, HardTube, partial(curve, 30), "dual", RBF(5.0), epsilon=0.5)


def linear_machines() -> Iterator[Entry]:
    """Yield linear programs: the machine with few coefficients, and two fits."""
    for m in (10, 100, 300):
        data = partial(clouds, m)
        yield _entry("linear", f"lp_svm_primal_{m}", 2 * m + 1, LinearProgramMachine, data, "primal", RBF(0.5), C=1.0)
        yield _entry("linear", f"lp_svm_dual_{m}", m, LinearProgramMachine, data, "dual", RBF(0.5), C=1.0)
    diabetes = partial(bundled_targets, 442)
    yield _entry("linear", "least_absolute_fit", 900, LeastAbsoluteFit, diabetes, "primal")
    yield _entry("linear", "chebyshev_fit", 460, ChebyshevFit, diabetes, "primal")


def degenerate() -> Iterator[Entry]:
    """Yield problems whose optimum is not unique, or whose active constraints depend on each other."""
    yield _entry("degenerate", "duplicates_dual_100", 100, SoftMargin, _duplicates, "dual", RBF(0.5), C=1.0)
    yield _entry("degenerate", "duplicates_primal_100", 105, SoftMargin, _duplicates, "primal", C=1.0)
    yield _entry("degenerate", "rank_one_dual_100", 100, SoftMargin, _one_feature, "dual", Linear(), C=1.0)
    yield _entry("degenerate", "constant_feature_primal_100", 106, SoftMargin, _constant, "primal", C=1.0)
    yield _entry("degenerate", "four_corners_dual", 40, SoftMargin, _corners, "dual", Polynomial(2, 1.0, 1.0), C=100.0)
    yield _entry("degenerate", "duplicates_lp_svm", 201, LinearProgramMachine, _duplicates, "primal", RBF(0.5), C=1.0)


def scaled() -> Iterator[Entry]:
    """Yield problems whose numbers differ by many orders of magnitude."""
    for name, cost in (("small", 1e-6), ("large", 1e4)):
        data = partial(clouds, 100)
        yield _entry("scaled", f"cost_{name}_dual_100", 100, SoftMargin, data, "dual", RBF(0.5), C=cost)
        yield _entry("scaled", f"cost_{name}_primal_100", 105, SoftMargin, data, "primal", C=cost)
    yield _entry("scaled", "units_primal_100", 105, SoftMargin, _units, "primal", C=1.0)
    yield _entry("scaled", "units_dual_100", 100, SoftMargin, _units, "dual", Linear(), C=1e-6)
    rare = partial(clouds, 300, share=0.01)
    yield _entry("scaled", "rare_class_dual_300", 300, SoftMargin, rare, "dual", RBF(0.5), C=_rare_costs())
    yield _entry("scaled", "large_targets_dual_100", 200, SoftTube, _large, "dual", RBF(1.0), C=1e3, epsilon=1e3)


def nearly_singular() -> Iterator[Entry]:
    """Yield problems whose kernel matrix is numerically of far lower rank than its size."""
    data = partial(clouds, 200)
    yield _entry("singular", "wide_gaussian_dual_200", 200, SoftMargin, data, "dual", RBF(1e-5), C=10.0)
    yield _entry("singular", "cubic_dual_200", 200, SoftMargin, data, "dual", Polynomial(3, 1.0, 1.0), C=1.0)
    yield _entry("singular", "wide_gaussian_tube_100", 200, SoftTube, _smooth, "dual", RBF(1e-3), C=10.0, epsilon=0.01)
    yield _entry("singular", "twins_dual_200", 200, SoftMargin, _twins, "dual", RBF(0.5), C=10.0)


def impossible() -> Iterator[Entry]:
    """Yield problems that are infeasible, and their duals, which are unbounded."""
    for m in (10, 100):
        data = partial(contradiction, m)
        yield _entry("infeasible", f"contradiction_primal_{m}", 10, HardMargin, data, "primal")
        yield _entry("unbounded", f"contradiction_dual_{m}", m, HardMargin, data, "dual", Linear())
    inseparable = partial(clouds, 300, features=9)
    yield _entry("infeasible", "inseparable_primal_300", 10, HardMargin, inseparable, "primal")
    yield _entry("unbounded", "inseparable_dual_300", 300, HardMargin, inseparable, "dual", Linear())
    diabetes = partial(bundled_targets, 100)
    yield _entry("infeasible", "thin_tube_primal_100", 11, HardTube, diabetes, "primal", epsilon=0.05)
    yield _entry("unbounded", "thin_tube_dual_100", 200, HardTube, diabetes, "dual", Linear(), epsilon=0.05)


def _entry(
    family: str,
    name: str,
    most_variables: int,
    model: type[Model[Any]],
    data: Callable[[], tuple[Any, ...]],
    form: str,
    kernel: Kernel | None = None,
    **parameters: Any,
) -> Entry:
    shown = ", ".join(
        f"{key} = {value:g}" if np.ndim(value) == 0 else f"{key} by class" for key, value in parameters.items()
    )
    described = f"{model.__name__}, {form}, {'explicit features' if kernel is None else repr(kernel)}"
    state = FormOf(model, data, form, kernel, parameters)
    return Entry(name, family, most_variables, f"{described}, {shown}" if shown else described, state)


def _duplicates() -> Labelled:
    X, y = clouds(20)
    return np.tile(X, (5, 1)), np.tile(y, 5)


def _one_feature() -> Labelled:
    return clouds(100, features=1)


def _constant() -> Labelled:
    X, y = clouds(100)
    return np.column_stack([X, np.ones(100)]), y


def _corners() -> Labelled:
    X = np.tile([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]], (10, 1))
    return X, X[:, 0] * X[:, 1]


def _units() -> Labelled:
    X, y = clouds(100)
    return X * np.array([1e-4, 1.0, 1e2, 1e4]), y


def _rare_costs() -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    _, y = clouds(300, share=0.01)
    return np.where(y > 0, 99.0, 1.0)


def _large() -> Labelled:
    X, y = curve(100)
    return X, 1e4 * y


def _smooth() -> Labelled:
    X, _ = curve(100)
    return X, np.sin(X[:, 0])


def _twins() -> Labelled:
    X, y = clouds(100)
    return np.vstack([X, X + 1e-8]), np.append(y, y)


OSQP_FEATURES = (10, 11, 12, 13, 14, 16, 17, 20, 23, 26, 31, 37, 45, 55, 68, 84, 105, 132, 166, 209)
"""The numbers of features in OSQP's benchmarks."""

_CLARABEL_SEED = 271324


def published() -> Iterator[Entry]:
    """Yield the support vector machines of two published benchmarks, so that their comparisons can be repeated.

    The soft margin without intercept, in x and t, on the rows a_i of a sparse matrix with labels -b_i::

        min  1/2 ||x||^2 + c 1't     s.t.  t >= diag(b) A x + 1,  t >= 0

    OSQP's benchmarks (Stellato et al., 2020) take c = 1/2, n features and 100 n samples, with a density of 0.15; seeds
    and draws are theirs, so that with the same SciPy the numbers are, too. Clarabel's (Goulart and Chen, 2024) take
    c = 1, 50 n samples and a density of 0.2; theirs are drawn by Julia's generator, which NumPy does not have, so that
    ours agree in shape and distribution only. So does Clarabel's linear program, a sparse classifier by its 1-norm.
    """
    for n in OSQP_FEATURES:
        about = f"SVM of OSQP's benchmarks, n = {n}, instance 0"
        yield Entry(f"osqp_svm_{n}", "published", 101 * n, about, partial(osqp_svm, n, 0))
    for n in (10, 100, 500):
        about = f"svm_L2 of Clarabel's benchmarks, n = {n}, numbers of NumPy"
        yield Entry(f"clarabel_svm_{n}", "published", 51 * n, about, partial(clarabel_svm, n))
    about = "svm_classifier of Clarabel's benchmarks, a linear program, numbers of NumPy"
    yield Entry("clarabel_lp_svm", "published", 621, about, clarabel_linear)


def osqp_svm(n: int, instance: int) -> ConeProgram:
    """State the problem of OSQP's benchmarks with n features; ``instance`` is the seed, 0 to 9 there."""
    state = np.random.RandomState(instance)
    half = [sparse.random(50 * n, n, density=0.15, random_state=state, data_rvs=state.randn).tocsr() for _ in range(2)]
    return _soft_margin(csr_array(half[0]), csr_array(half[1]), 0.5)


def clarabel_svm(n: int) -> ConeProgram:
    """State the problem of Clarabel's benchmarks with n features."""
    rng = np.random.RandomState(_CLARABEL_SEED + n)
    half = [csr_array(rng.randn(25 * n, n) * (rng.rand(25 * n, n) < 0.2)) for _ in range(2)]
    return _soft_margin(half[0], half[1], 1.0)


def clarabel_linear() -> ConeProgram:
    """State min 1't / m + 0.1 ||beta||_1 s.t. t >= 1 - y_i (<x_i, beta> - v), t >= 0: 10 features, 600 samples."""
    rng, m, n = np.random.RandomState(_CLARABEL_SEED), 600, 10
    truth = rng.randn(n)
    truth[rng.permutation(n)[:8]] = 0.0
    X = 5.0 * rng.randn(m, n)
    y = np.sign(X @ truth + 45.0 * rng.randn(m))
    beta, v, a, t = n, 1, n, m
    # Columns: beta, v, a >= |beta|, t.
    margin: Any = hstack([csr_array(-y[:, None] * X), csr_array(y[:, None]), csr_array((m, a)), -eye_array(m)])
    above = hstack([eye_array(n), csr_array((n, v)), -eye_array(n), csr_array((n, t))])
    below = hstack([-eye_array(n), csr_array((n, v)), -eye_array(n), csr_array((n, t))])
    slack = hstack([csr_array((m, beta + v + a)), -eye_array(m)])
    return ConeProgram(
        P=csc_array((621, 621)),
        q=np.concatenate([np.zeros(beta + v), np.full(a, 0.1), np.full(t, 1.0 / m)]),
        A=csc_array(vstack([margin, above, below, slack])),
        b=np.concatenate([np.full(m, -1.0), np.zeros(2 * n + m)]),
        cones=(Nonnegative(2 * m + 2 * n),),
        variables=_blocks(beta=beta, v=v, a=a, t=t),
        rows=_blocks(margin=m, above=n, below=n, slack=m),
    )


def _soft_margin(upper: csr_array, lower: csr_array, cost: float) -> ConeProgram:
    """Return the program with b_i = 1 for the upper rows and -1 for the lower; entries are shifted by b_i / n."""
    n, m = upper.shape[1], upper.shape[0] + lower.shape[0]
    b: Vector = np.repeat([1.0, -1.0], [upper.shape[0], lower.shape[0]])
    A = csr_array(vstack([upper, lower]))
    A.eliminate_zeros()
    A.data = A.data / np.sqrt(n) + np.repeat(b, np.diff(A.indptr)) / n
    margin = hstack([diags_array(b) @ A, -eye_array(m)])
    slack = hstack([csr_array((m, n)), -eye_array(m)])
    return ConeProgram(
        P=csc_array(diags_array(np.repeat([1.0, 0.0], [n, m]))),
        q=np.repeat([0.0, cost], [n, m]),
        A=csc_array(vstack([margin, slack])),
        b=np.repeat([-1.0, 0.0], [m, m]),
        cones=(Nonnegative(2 * m),),
        variables=_blocks(x=n, t=m),
        rows=_blocks(margin=m, slack=m),
    )


def _blocks(**sizes: int) -> tuple[Block, ...]:
    stops = np.cumsum(list(sizes.values())).tolist()
    return tuple(Block(name, stop - size, stop) for (name, size), stop in zip(sizes.items(), stops, strict=True))
