# SPDX-License-Identifier: BSD-3-Clause
"""Times to an answer of the same objective, on one core: LIBLINEAR in scikit-learn, and ours with its proof.

python -m benchmarks.linear --data FOLDER [--only WORD ...] [--limit SECONDS]

LIBLINEAR stops by a tolerance on the optimality conditions: it is fitted at 0.1, 0.01, ... until its objective is
within 1e-3, then 1e-6, of the lower bound that ours proved, and the seconds of the first such fit count. Seconds are
those that processors worked.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC, LinearSVR

from benchmarks.computer import this_computer
from benchmarks.linear.problems import MACHINES, SAMPLES, Machine, Sampled, kept
from formulations import Logistic
from formulations import estimators as ours
from formulations.modelling.inputs.estimators import with_constant
from qpkernels.arrays import Vector
from qpkernels.arrays.threads import without_blas_threads

GAPS = (1e-3, 1e-6)
TUBE = 0.1
TOLERANCES = 10.0 ** -np.arange(1, 11)
MOST = 10**6
"""Iterations of LIBLINEAR, which are passes over the samples."""


@dataclass(frozen=True)
class _Fit:
    """Seconds, the relative distance of the objective from the optimum or its proved bound, and words on it."""

    seconds: float
    gap: float
    words: str

    def __str__(self) -> str:
        """Return a cell of a table."""
        return f"{self.seconds:.2f} s ({self.gap:.0e}{', ' if self.words else ''}{self.words})"


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, measure, print the rows as they come."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of a9a.xz")
    parser.add_argument("--only", nargs="*", default=[], help="words in the names of machines")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for one fit, about")
    options = parser.parse_args(arguments)
    heads = [f"{who}, {gap:g}" for gap in GAPS for who in ("LIBLINEAR", "ours, proved")]
    print(f"{this_computer()}\n\n| samples | machine | {' | '.join(heads)} |")
    print(f"| --- | --- |{' ---: |' * len(heads)}")
    samples: dict[str, Sampled] = {}
    for machine in MACHINES:
        if options.only and not any(word in str(machine) for word in options.only):
            continue
        if machine.samples not in samples:
            samples = {machine.samples: SAMPLES[machine.samples](options.data)}
        with without_blas_threads():
            cells = list(_row(machine, samples[machine.samples], options.limit))
        print(f"| {kept(samples[machine.samples].X)} | {machine} | {' | '.join(cells)} |", flush=True)


def _row(machine: Machine, data: Sampled, limit: float) -> Iterator[str]:
    """Yield for each gap the cell of LIBLINEAR and ours."""
    # It compiles, or loads, what the method needs.
    _ours(machine, data, 0.5, limit)
    answers = [_ours(machine, data, gap, limit) for gap in GAPS]
    bound = max(bound for _, bound in answers)
    peers = list(_peers(machine, data, bound, limit))
    for gap, (own, _) in zip(GAPS, answers, strict=True):
        peer = next((fit for fit in peers if fit.gap <= gap), None)
        best = min(peers, key=lambda fit: fit.gap)
        yield str(peer) if peer is not None else f"never: {best}"
        yield str(own)


def _ours(machine: Machine, data: Sampled, tol: float, limit: float) -> tuple[_Fit, float]:
    """Return the fit that is proved, and the lower bound of the objective."""
    begun = process_time()
    if machine.loss == "logistic":
        model = Logistic(with_constant(data.X), data.y, C=machine.C, fit_intercept=False)
        solution = model.solve(tol=tol, time_limit=limit)
    else:
        made: Any = ours.LinearSVR(epsilon=TUBE) if machine.is_regression else ours.LinearSVC()
        made.set_params(loss=machine.loss, C=machine.C, tol=tol, time_limit=limit, max_iter=MOST)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            solution = made.fit(data.X, data.targets if machine.is_regression else data.y).solution_
    seconds = process_time() - begun
    words = solution.solver + ("" if solution.status == "optimal" else ", not proved")
    certificate = solution.certificate
    return _Fit(seconds, certificate.relative_gap, words), certificate.dual_value


def _peers(machine: Machine, data: Sampled, bound: float, limit: float) -> Iterator[_Fit]:
    """Yield fits of LIBLINEAR at smaller and smaller tolerances, until one is good enough or takes too long."""
    for tol in TOLERANCES:
        begun = process_time()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            fitted = _peer(machine, tol).fit(data.X, data.targets if machine.is_regression else data.y)
        seconds = process_time() - begun
        warned = any(issubclass(each.category, ConvergenceWarning) for each in caught)
        w, b = np.ravel(fitted.coef_), float(np.ravel(fitted.intercept_)[0])
        objective = _objective(machine, data, w, b)
        fit = _Fit(seconds, (objective - bound) / objective, f"tol {tol:.0e}{', it warns' if warned else ''}")
        yield fit
        if fit.gap <= GAPS[-1] or seconds > limit or warned:
            return


def _peer(machine: Machine, tol: float) -> Any:
    options: dict[str, Any] = {"C": machine.C, "tol": tol, "max_iter": _ITERATIONS, "random_state": 0}
    if machine.loss == "logistic":
        return LogisticRegression(solver="liblinear", **options)
    kind = LinearSVR(epsilon=TUBE) if machine.is_regression else LinearSVC()
    # Of the squared losses it then minimises the primal where there are more samples than features.
    return kind.set_params(loss=machine.loss, dual="auto", **options)


_ITERATIONS = 10_000
"""Ten times those that it makes when not told: passes over the samples, or Newton steps."""


def _objective(machine: Machine, data: Sampled, w: Vector, b: float) -> float:
    """Return 1/2 (||w||^2 + b^2) and the losses."""
    values = data.X @ w + b
    if machine.loss == "logistic":
        losses = np.logaddexp(0.0, -data.y * values)
    elif machine.is_regression:
        losses = np.maximum(np.abs(data.targets - values) - TUBE, 0.0)
    else:
        losses = np.maximum(1.0 - data.y * values, 0.0)
    losses = losses**2 if machine.loss.startswith("squared") else losses
    return float(0.5 * (w @ w + b**2) + machine.C * losses.sum())


if __name__ == "__main__":
    main()
