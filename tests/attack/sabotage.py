# SPDX-License-Identifier: BSD-3-Clause
"""Forged answers: each must be refused by the certificate, or bounded so that the true optimum stays inside."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from attack.checks import TOLERANCE, Answer, Failure, Interval, interval_of
from attack.generator import Attack
from formulations.modelling import Model, Solution
from qpkernels.arrays import Vector
from qpkernels.errors import QPKernelsError
from qpkernels.problems import Certificate

__all__ = ["FORGERIES", "check_forgeries", "passed"]


@dataclass(frozen=True, eq=False)
class Truth:
    """An attack with an answer that is proved, from which others are forged."""

    attack: Attack
    model: Model[Any]
    solution: Solution
    rng: Generator

    @property
    def beta(self) -> Vector:
        """The coefficients, to be spoilt."""
        return np.array(self.solution.beta)

    @property
    def b(self) -> float:
        """The intercept."""
        return self.solution.intercept

    def with_one(self, value: float) -> Vector:
        """Return the coefficients with one replaced."""
        beta = self.beta
        beta[int(self.rng.integers(beta.size))] = value
        return beta

    def solved(self, y: Any = None, **parameters: Any) -> tuple[Vector, float]:
        """Return the answer to the same model with other targets or numbers."""
        data = self.attack.data if y is None else (self.attack.data[0], y)
        other = self.attack.model(*data, kernel=self.attack.kernel, **(self.attack.parameters | parameters))
        answer = other.solve(max_iter=1000)
        return np.array(answer.beta), answer.intercept

    def swapped(self) -> Any:
        """Return the labels or targets with two different ones swapped."""
        y = np.array(self.attack.data[-1])
        i, j = int(np.argmin(y)), int(np.argmax(y))
        y[[i, j]] = y[[j, i]]
        return y


Forgery = Callable[[Truth], tuple[Any, Any]]


def _one_sign(truth: Truth) -> tuple[Vector, float]:
    beta = truth.beta
    largest = int(np.argmax(np.abs(beta)))
    beta[largest] *= -1
    return beta, truth.b


def _stale(truth: Truth) -> tuple[Vector, float]:
    parameters = truth.attack.parameters
    name = next((name for name in ("C", "regularisation", "nu", "epsilon", "R", "delta") if name in parameters), None)
    return (2.0 * truth.beta, truth.b) if name is None else truth.solved(**{name: 0.5 * parameters[name]})


FORGERIES: dict[str, Forgery] = {
    "wrong sign": lambda truth: (-truth.beta, -truth.b),
    "one wrong sign": _one_sign,
    "swapped labels": lambda truth: truth.solved(truth.swapped()) if len(truth.attack.data) > 1 else _one_sign(truth),
    "wrong intercept": lambda truth: (truth.beta, -2.0 * truth.b + truth.rng.normal() if truth.b else 0.0),
    "permuted samples": lambda truth: (truth.rng.permutation(truth.beta), truth.b),
    "stale answer": _stale,
    "float32 rounding": lambda truth: (truth.beta.astype(np.float32).astype(float), float(np.float32(truth.b))),
    "float16 rounding": lambda truth: (np.clip(truth.beta, -6e4, 6e4).astype(np.float16).astype(float), truth.b),
    "NaN": lambda truth: (truth.with_one(np.nan), truth.b),
    "infinity": lambda truth: (truth.with_one(np.inf), truth.b),
    "huge": lambda truth: (truth.with_one(1e300), truth.b),
    "NaN for b": lambda truth: (truth.beta, np.nan),
    "half of it": lambda truth: (truth.beta * (truth.rng.random(truth.beta.size) < 0.5), truth.b),
    "nothing": lambda truth: (0.0 * truth.beta, 0.0),
    "scaled beta": lambda truth: (truth.beta * 10.0 ** truth.rng.uniform(-3, 3), truth.b),
    "scaled a little": lambda truth: (truth.beta * (1 + 10.0 ** truth.rng.uniform(-8, -1)), truth.b),
    "noise": lambda truth: (truth.beta * (1 + 1e-3 * truth.rng.normal(size=truth.beta.size)), truth.b),
    "point of another problem": lambda truth: (truth.rng.normal(size=truth.beta.size), truth.b),
}
"""Answers made false, by what was done to them: (beta, b) from a true one."""


def check_forgeries(attack: Attack, model: Model[Any], answers: list[Answer]) -> tuple[int, list[Failure]]:
    """Forge the first proved answer in every way; return how many forgeries there were, and those that passed."""
    answer = next((each for each in answers if each.is_optimal), None)
    if answer is None or answer.solution is None:
        return 0, []
    interval = interval_of(answer.solution.certificate)
    failures: list[Failure] = []
    tried = 0
    for name, forge in FORGERIES.items():
        truth = Truth(attack, model, answer.solution, np.random.default_rng([0xF0, attack.seed]))
        try:
            certificate = model.certify(forge(truth))
            tried += 1
        except QPKernelsError:
            # A model that swapped labels or other numbers make may have no answer, or refuse this one.
            continue
        except Exception as error:
            failures.append(Failure("untyped", f"certify, {name}: {type(error).__name__}: {error}"))
            continue
        ways = passed(certificate, interval)
        failures += (Failure("forgery", f"{name} of {answer.route}: {each}") for each in ways)
    return tried, failures


def passed(certificate: Certificate, truth: Interval) -> Iterator[str]:
    """Yield how a forged answer got through: called proved at another value, or bounded where the optimum is not."""
    interval = interval_of(certificate)
    if certificate.holds(TOLERANCE):
        if interval.distance(truth) > 4 * TOLERANCE * truth.scale:
            yield f"holds at {certificate}, truth in [{truth.lower!r}, {truth.upper!r}]"
    elif interval.proved and truth.proved and (interval.is_below(truth) or truth.is_below(interval)):
        yield f"bounded by {certificate}, truth in [{truth.lower!r}, {truth.upper!r}]"
