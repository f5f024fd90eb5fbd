# SPDX-License-Identifier: BSD-3-Clause
"""Records of machines one at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmarks.records.record import Record
from benchmarks.repetition import Turns, typical

__all__ = [
    "ANSWERED",
    "MATCHED",
    "PROVED",
    "Auditing",
    "Comparison",
    "Estimator",
    "Growth",
    "Memory",
    "Overhead",
    "Prediction",
    "Proving",
    "Run",
    "Start",
]

ANSWERED, PROVED, MATCHED = "smo, not proved", "ours, proved", "ours, matched"
"""Three names in ``runs``; the others are those of peers."""


@dataclass(frozen=True)
class Run:
    """All runs of one solver on one problem.

    Attributes
    ----------
    turns
        The seconds of each run.
    gap
        The largest relative gap certified of its answers; None: no answer came in time.
    tol
        What it was asked for: ours a relative gap, a peer a tolerance of its own kind.
    limit
        The seconds after which it was ended, where that happened.
    """

    turns: Turns
    gap: float | None
    tol: float
    limit: float | None = None

    @property
    def seconds(self) -> float:
        """What a run typically takes, or the limit where that was exceeded."""
        return typical(self.turns) if self.limit is None else self.limit


@dataclass(frozen=True)
class Comparison(Record):
    """A problem, by all solvers; ``support`` counts the support vectors of all its machines."""

    problem: str
    tol: float
    samples: int
    features: int
    machines: int
    support: int
    limit: Turns
    runs: dict[str, Run]

    @property
    def key(self) -> tuple[Any, ...]:
        """Problem and tolerance."""
        return self.problem, self.tol


@dataclass(frozen=True)
class Growth(Record):
    """Ours on a number of samples of one kind."""

    task: str
    tol: float
    samples: int
    support: int
    limit: Turns
    ours: Run

    @property
    def key(self) -> tuple[Any, ...]:
        """Task, tolerance and samples."""
        return self.task, self.tol, self.samples


@dataclass(frozen=True)
class Memory(Record):
    """The largest memory of a process, in MiB: ``before`` solving, with the data, and at its ``peak``."""

    problem: str
    tol: float
    samples: int
    features: int
    support: int
    cache: int
    before: float
    peak: float
    seconds: float
    gap: float

    @property
    def key(self) -> tuple[Any, ...]:
        """Problem, tolerance and MiB of the cache."""
        return self.problem, self.tol, self.cache


@dataclass(frozen=True)
class Prediction(Record):
    """The decision values of ``tested`` samples by the same function: their times, size, and largest difference."""

    problem: str
    support: int
    tested: int
    ours: Turns
    libsvm: Turns
    difference: float
    size: float

    @property
    def key(self) -> tuple[Any, ...]:
        """The problem."""
        return (self.problem,)


@dataclass(frozen=True)
class Start(Record):
    """A fresh process, in seconds: its imports, its first solve, and the same again; with or without machine code."""

    compiled_before: bool
    samples: int
    imports: float
    first: float
    second: float

    @property
    def key(self) -> tuple[Any, ...]:
        """Whether there was machine code."""
        return (self.compiled_before,)


@dataclass(frozen=True)
class Proving(Record):
    """A certificate beside the solver, in seconds of the thread that calls.

    Attributes
    ----------
    solving, proving
        What the solver and the certificate take; ``in_float64`` is the certificate with every value in float64.
    gap, rounding
        The relative gap, and the part of it that bounds what rounding may have changed.
    single
        Share of the samples that float32 settles.
    apart
        How far both values of the optimum are from those in float64 throughout, relative to them.
    """

    problem: str
    tol: float
    samples: int
    support: int
    solving: float
    proving: float
    in_float64: float
    gap: float
    rounding: float
    single: float
    apart: float

    @property
    def key(self) -> tuple[Any, ...]:
        """Problem and tolerance."""
        return self.problem, self.tol

    @property
    def summary(self) -> str:
        """Its share of the whole."""
        share = self.proving / (self.solving + self.proving)
        return f"{self.solving:.3g} s to solve, {self.proving:.3g} s to prove: {share:.0%}"


@dataclass(frozen=True)
class Overhead(Record):
    """A small model from the arrays to the proved answer, in microseconds of the thread that calls.

    ``whole`` is all of it, ``steps`` the compiled descent, and ``kernel`` the kernel matrices that are made.
    """

    model: str
    samples: int
    whole: float
    steps: float
    kernel: float

    @property
    def key(self) -> tuple[Any, ...]:
        """Model and samples."""
        return self.model, self.samples

    @property
    def rest(self) -> float:
        """What is neither steps nor kernel: Python, and the certificate."""
        return self.whole - self.steps - self.kernel

    @property
    def summary(self) -> str:
        """What Python takes."""
        return f"{self.rest:.0f} of {self.whole:.0f} microseconds"


@dataclass(frozen=True)
class Auditing(Record):
    """The audit of scikit-learn's machine, in seconds of the thread that calls.

    Attributes
    ----------
    tol
        What scikit-learn was asked for.
    multiplying, auditing
        The one product that its certificate needs, and the audit with all that it shows.
    gap
        The relative gap that was found.
    certain
        For how many samples the optimal machine decides the same for certain; None of real targets.
    """

    problem: str
    tol: float
    samples: int
    support: int
    multiplying: float
    auditing: float
    gap: float
    certain: int | None

    @property
    def key(self) -> tuple[Any, ...]:
        """Problem and tolerance."""
        return self.problem, self.tol

    @property
    def summary(self) -> str:
        """The audit, in products."""
        return f"{self.auditing:.3g} s, {self.auditing / self.multiplying:.2f} products"


@dataclass(frozen=True)
class Estimator(Record):
    """An estimator of scikit-learn's interface beside its model, in seconds of all processors.

    Attributes
    ----------
    solving, fitting
        What the model takes from the arrays to the proved answer, and ``fit``.
    valuing, predicting
        What the model's function takes at so many ``new`` samples, and ``predict``.
    """

    estimator: str
    samples: int
    new: int
    solving: float
    fitting: float
    valuing: float
    predicting: float

    @property
    def key(self) -> tuple[Any, ...]:
        """Estimator and samples."""
        return self.estimator, self.samples

    @property
    def summary(self) -> str:
        """How many times as long."""
        return f"fit {self.fitting / self.solving:.3f}, predict {self.predicting / self.valuing:.3f} times the model's"
