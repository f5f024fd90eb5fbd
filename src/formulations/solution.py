# SPDX-License-Identifier: BSD-3-Clause
"""What solving a formulation returns."""

from __future__ import annotations

from dataclasses import dataclass, field

from qpkernels.arrays import Vector
from qpkernels.certificates import Certificate, FunctionAtSamples, Status, Support
from qpkernels.expansion import Expansion

__all__ = ["Candidate", "Seconds", "Solution"]


@dataclass(frozen=True, eq=False)
class Candidate:
    """An answer in the terms of the model, from whatever route.

    Attributes
    ----------
    beta
        Signed coefficients of the dual, shape (m,).
    intercept
        b.
    function
        f + b as the form solved returns it: from w or its own coefficients in a primal form, from beta in a dual.
    at_samples
        f at the training samples, where ``function`` is not the expansion in beta.
    """

    beta: Vector
    intercept: float
    function: Expansion
    at_samples: FunctionAtSamples | None = None


@dataclass(frozen=True)
class Seconds:
    """Where the time went: the kernel matrix, the matrices of the program, the solver, the certificate."""

    gram: float = 0.0
    lower: float = 0.0
    solve: float = 0.0
    certify: float = 0.0

    @property
    def total(self) -> float:
        """The sum of all phases."""
        return self.gram + self.lower + self.solve + self.certify


@dataclass(frozen=True, eq=False)
class Solution:
    """The answer of a kernel machine, with the proof of how good it is.

    Attributes
    ----------
    formulation
        Name of the form solved.
    objective
        Value of the form solved, at the answer: of a minimised dual it is the negative of the primal's.
    intercept
        b of the decision value f(x) + b.
    alpha, beta
        Multipliers of the margin constraints, shape (m,), and beta = y * alpha. Of a textbook model these are
        coefficients of f; an extended one has others, which are those of ``function``.
    support
        Which samples are support vectors: free, and at the bound C.
    function
        x -> f(x) + b: call it, ``predict`` with it, ``save`` it.
    status
        ``optimal`` only if the certificate holds at ``tol``.
    certificate
        Values of both problems, gap and residuals, recomputed from the data.
    tol
        The tolerance asked for.
    seconds
        Time by phase.
    solver, words, iterations
        Who solved it, what it says itself, and its own count of iterations (None if it does not tell).
    """

    formulation: str
    objective: float
    intercept: float
    alpha: Vector = field(repr=False)
    beta: Vector = field(repr=False)
    support: Support = field(repr=False)
    function: Expansion = field(repr=False)
    status: Status
    certificate: Certificate
    tol: float
    seconds: Seconds = field(repr=False)
    solver: str
    words: str
    iterations: int | None

    @property
    def n_support(self) -> int:
        """Number of support vectors."""
        return len(self.support)

    def __str__(self) -> str:
        return (
            f"{self.formulation} by {self.solver}: {self.status}, objective {self.objective:.12g}, "
            f"b = {self.intercept:.8g}, {self.n_support} support vectors ({self.support.bounded.size} at the bound); "
            f"{self.certificate}"
        )
