# SPDX-License-Identifier: BSD-3-Clause
"""What an estimator adds to its model: ``fit`` beside the model's own solve, ``predict`` beside its function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from time import process_time
from typing import Any

import numpy as np

from benchmarks.computer import Computer, Watch
from benchmarks.records import Estimator
from formulations import KernelRidge, OneClass, SoftMargin, SoftTube, SquaredHinge
from formulations import estimators as ours
from formulations.modelling.inputs.estimators import with_constant
from qpkernels import RBF, Linear
from qpkernels.arrays import Matrix, Vector

__all__ = ["beside_models"]

_FEATURES, _NEW = 10, 10_000
_WIDTH = 0.1


@dataclass(frozen=True)
class _Pair:
    """An estimator, and how the same is asked of its model.

    Attributes
    ----------
    estimator
        The estimator, not fitted.
    solve
        X and the targets to the model's answer.
    ready
        New samples as the function takes them.
    """

    estimator: Any
    solve: Callable[[Matrix, Vector], Any]
    ready: Callable[[Matrix], Matrix] = np.asarray


_PAIRS: dict[str, _Pair] = {
    "SVC": _Pair(ours.SVC(gamma=_WIDTH), lambda X, y: SoftMargin(X, y > 0, RBF(_WIDTH)).solve(tol=1e-3)),
    "SVR": _Pair(ours.SVR(gamma=_WIDTH), lambda X, y: SoftTube(X, y, RBF(_WIDTH)).solve(tol=1e-3)),
    "OneClassSVM": _Pair(ours.OneClassSVM(gamma=_WIDTH), lambda X, _: OneClass(X, RBF(_WIDTH), nu=0.5).solve(tol=1e-3)),
    "LinearSVC": _Pair(
        ours.LinearSVC(),
        lambda X, y: SquaredHinge(with_constant(X), y > 0, Linear(), fit_intercept=False).solve(tol=1e-4),
        with_constant,
    ),
    "KernelRidge": _Pair(
        ours.KernelRidge(kernel="rbf", gamma=_WIDTH), lambda X, y: KernelRidge(X, y, RBF(_WIDTH)).solve(tol=1e-6)
    ),
}


def beside_models(samples: int, computer: Computer) -> Iterator[Estimator]:
    """Fit and predict with each estimator, and by its model; they take turns."""
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(samples, _FEATURES)), rng.normal(size=(_NEW, _FEATURES))
    y = X[:, 0] * X[:, 1] + X[:, 2] + 0.5 * rng.normal(size=samples)
    for name, pair in _PAIRS.items():
        watch = Watch(computer)
        targets = y > 0 if name.endswith("SVC") else y
        fitted, function, ready = pair.estimator.fit(X, targets), pair.solve(X, y).function, pair.ready(new)
        solving, fitting = _turns(partial(pair.solve, X, y), partial(fitted.fit, X, targets))
        valuing, predicting = _turns(partial(function, ready), partial(fitted.predict, new))
        yield Estimator(watch.setting(), name, samples, _NEW, solving, fitting, valuing, predicting)


def _turns(one: Callable[[], object], other: Callable[[], object], repetitions: int = 100) -> tuple[float, float]:
    """Return the least processor time of each of two, which take turns, in seconds."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(repetitions):
        for work, taken in zip((one, other), times, strict=True):
            begun = process_time()
            work()
            taken.append(process_time() - begun)
    return min(times[0]), min(times[1])
