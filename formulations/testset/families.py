# SPDX-License-Identifier: BSD-3-Clause
"""The problems of this project: margins, tubes and linear machines of all sizes; hard and impossible ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

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
from formulations.modelling import Model
from formulations.testset.entry import Entry, FormOf
from formulations.testset.samples import (
    Labelled,
    bundled_classes,
    bundled_targets,
    clouds,
    contradiction,
    curve,
    far_from_origin,
    separable,
)
from qpkernels.kernels import RBF, Kernel, Linear, Polynomial

__all__ = ["degenerate", "impossible", "linear_machines", "margins", "nearly_singular", "scaled", "tubes"]


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
