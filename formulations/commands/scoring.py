# SPDX-License-Identifier: BSD-3-Clause
"""Values of hyper-parameters as options state them, and a grid of machines of several classes.

Every point of such a grid is cross-validated as a whole, by its votes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from formulations.commands.samples import TrainingSamples
from formulations.commands.statements import Asked
from formulations.selection.grid import ScoredPoints, grid_points, where
from qpkernels.arrays.files import read_number
from qpkernels.display import progress_bar
from qpkernels.errors import ParameterError, QPKernelsError
from qpkernels.kernels import Kernel
from qpkernels.problems import Certificate, Status

__all__ = ["read_tries", "search_several"]

_MOST = 1000
"""Values of one name; more would be a slip."""


def read_tries(tries: Iterable[str]) -> dict[str, Any]:
    """Return the values by name.

    ``log2:begin,end,step`` are the powers of 2 with the exponents begin, begin + step and so on up to end; those of 10
    are ``log10``.
    """
    found: dict[str, Any] = {}
    for text in tries:
        name, _, listed = text.partition("=")
        if name.strip() in found:
            raise ParameterError(f"the values of {name.strip()} came twice; list them together.")
        values = _values(listed)
        if not name.strip() or not values:
            raise ParameterError(
                f"--try takes NAME=VALUE,VALUE,... or NAME=log2:BEGIN,END,STEP, such as C=0.1,1,10, but {text!r} came."
            )
        found[name.strip()] = values
    return found


def _values(text: str) -> list[float | int]:
    kind, separator, rest = text.partition(":")
    if not separator:
        return _numbers(text)
    base = {"log2": 2.0, "log10": 10.0}.get(kind.strip())
    ends = _numbers(rest)
    if base is None or len(ends) != 3 or ends[2] == 0:
        return []
    begin, end, step = ends
    count = int((end - begin) / step + 1e-9) + 1
    return [base ** (begin + k * step) for k in range(min(count, _MOST))]


def _numbers(text: str) -> list[float | int]:
    numbers = [read_number(field.strip()) for field in text.split(",")]
    whole = [field.strip().lstrip("+-").isdecimal() for field in text.split(",")]
    finite = [number for number in numbers if number is not None]
    if len(finite) < len(numbers):
        return []
    return [int(number) if exact else number for number, exact in zip(finite, whole, strict=True)]


@dataclass(frozen=True)
class _Machines:
    """What is proved of the machines of all pairs together: the certificate is that of the weakest."""

    certificate: Certificate
    status: Status
    seconds: float


def search_several(
    asked: Asked,
    training: TrainingSamples,
    kernel: Kernel | None,
    values: Mapping[str, Iterable[Any]],
    folds: Any,
    tol: float,
    solver: str | None,
) -> ScoredPoints:
    """Cross-validate one machine for each pair of classes at every point, by a splitter of scikit-learn."""
    whole = asked.of_several(training.X, training.y, kernel)
    points = grid_points(whole.model(next(whole.pairs())), dict(values))
    split = list(folds.split(np.zeros(training.y.size), training.y))
    scores = np.full((len(points), len(split)), np.nan)
    fits: list[list[_Machines | None]] = [[None] * len(split) for _ in points]
    errors: dict[tuple[int, int], QPKernelsError] = {}
    with progress_bar(scores.size, wanted=True) as step:
        for p, point in enumerate(points):
            there = asked.at(point.numbers)
            for k, (train, test) in enumerate(split):
                step(where(point.parameters, k))
                chosen = None if kernel is None else point.kernel
                state = there.of_several(training.X[train], training.y[train], chosen)
                try:
                    solution = state.solve(solver, tol=tol, progress=False)
                except QPKernelsError as error:
                    errors[p, k] = error
                    continue
                scores[p, k] = (solution.predict(training.X[test]) == training.y[test]).mean()
                fits[p][k] = _Machines(solution.certificate, solution.status, solution.seconds)
    if np.isnan(scores).any(axis=1).all() and errors:
        raise next(iter(errors.values()))
    named = tuple(point.parameters for point in points)
    return ScoredPoints(named, scores, tuple(map(tuple, fits)), errors, "accuracy", tol)
