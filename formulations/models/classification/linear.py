# SPDX-License-Identifier: BSD-3-Clause
r"""Linear machines of LIBLINEAR that are not kernel machines: their weights are not a combination of the samples.

The first, for two classes, has few weights, by the squared hinge; the second is one machine for several classes
(Crammer and Singer, 2001)::

    min  ||w||_1 + sum C_i xi_i^2              s.t.  y_i w'z_i >= 1 - xi_i
    min  1/2 sum_k ||w_k||^2 + sum C_i xi_i    s.t.  (w_{y_i} - w_k)'z_i >= 1 - xi_i  for k != y_i,  xi >= 0

Each is a quadratic program. The first is solved by coordinate descent, and only its weights are needed to certify it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csc_array, csr_array, diags_array, eye_array, hstack, vstack

from formulations.modelling.solving import is_finite, quote, status_of
from qpkernels.arrays import Matrix, Samples, Vector, is_sparse
from qpkernels.errors import SolverFailedError
from qpkernels.problems import Block, Certificate, ConeProgram, Nonnegative, Status
from qpkernels.problems.sparse_weights import SparseWeightsBounds
from qpkernels.solvers import Outcome, find_solver
from qpkernels.solvers.repair import repair

__all__ = ["CrammerSinger", "LinearAnswer", "LinearModel", "SparseWeights"]


@dataclass(frozen=True, eq=False)
class LinearAnswer:
    """The weights of a linear machine, with the proof of how good they are.

    Attributes
    ----------
    weights
        One function a row, shape (functions, features).
    status, certificate
        ``optimal`` only if the certificate holds at the tolerance asked for.
    solver, message, iterations
        Who solved it, what it says, and its count of iterations, None if it does not tell.
    """

    weights: Matrix = field(repr=False)
    status: Status
    certificate: Certificate
    solver: str
    message: str
    iterations: int | None


@dataclass(frozen=True, eq=False)
class LinearModel(ABC):
    """A linear machine without an intercept, of samples z_i, dense or sparse, and costs C_i above 0."""

    features: Samples
    costs: Vector

    @property
    @abstractmethod
    def program(self) -> ConeProgram:
        """The quadratic program."""

    @abstractmethod
    def weights(self, point: Vector) -> Matrix:
        """Return the weights at a point of the program."""

    def own_answer(
        self, tol: float, max_iter: int | None, time_limit: float | None, verbose: bool
    ) -> LinearAnswer | None:
        """Return the answer by a method of the machine's own; None: it has none."""
        del tol, max_iter, time_limit, verbose
        return None

    def judged(self, program: ConeProgram, outcome: Outcome, tol: float) -> tuple[Matrix, Certificate]:
        """Return the weights of an answer to the program, repaired where its proof needs that, and the proof."""
        found = repair(program, outcome.point, outcome.multipliers, tol)
        return self.weights(found.point), found.certificate

    def solve(
        self,
        solver: str | None = None,
        *,
        tol: float = 1e-6,
        max_iter: int | None = None,
        time_limit: float | None = None,
        verbose: bool = False,
    ) -> LinearAnswer:
        """Solve the machine by a solver of cone programs, without a name by the one that suits it, and certify it."""
        own = None if solver is not None else self.own_answer(tol, max_iter, time_limit, verbose)
        if own is not None:
            return own
        program = self.program
        outcome = find_solver(solver or "clarabel").solve(
            program, tol=tol, max_iter=max_iter, time_limit=time_limit, verbose=verbose
        )
        if not is_finite(outcome):
            raise SolverFailedError(f"{quote(outcome)}, and gives no point; try another solver, or scale the features.")
        weights, certificate = self.judged(program, outcome, tol)
        certificate = replace(certificate, asked=tol)
        status = status_of(certificate, outcome.claim, tol)
        return LinearAnswer(weights, status, certificate, outcome.solver, outcome.message, outcome.iterations)


@dataclass(frozen=True, eq=False)
class SparseWeights(LinearModel):
    """Two classes, y = +1.0 and -1.0, by few weights, with the squared hinge."""

    y: Vector

    @property
    def program(self) -> ConeProgram:
        """The program in w+, w- and xi, with w = w+ - w-."""
        m, d = self.features.shape
        signed = diags_array(self.y) @ csr_array(self.features)
        A = vstack([hstack([-signed, signed, -eye_array(m)]), hstack([-eye_array(2 * d), csr_array((2 * d, m))])])
        return ConeProgram(
            P=csc_array(diags_array(np.concatenate([np.zeros(2 * d), 2.0 * self.costs]))),
            q=np.concatenate([np.ones(2 * d), np.zeros(m)]),
            A=csc_array(A),
            b=np.concatenate([-np.ones(m), np.zeros(2 * d)]),
            cones=(Nonnegative(m + 2 * d),),
            variables=(Block("w+", 0, d), Block("w-", d, 2 * d), Block("xi", 2 * d, 2 * d + m)),
            rows=(Block("margin", 0, m), Block("nonnegative", m, m + 2 * d)),
            name="l1-penalised squared hinge",
        )

    def weights(self, point: Vector) -> Matrix:
        """Return w, shape (1, d)."""
        d = self.features.shape[1]
        return (point[:d] - point[d : 2 * d])[None, :]

    @cached_property
    def bounds(self) -> SparseWeightsBounds:
        """The machine, stated for its certificate."""
        features = self.features
        signed = csr_array(diags_array(self.y) @ features) if is_sparse(features) else self.y[:, None] * features
        return SparseWeightsBounds(signed, self.costs)

    def judged(self, program: ConeProgram, outcome: Outcome, tol: float) -> tuple[Matrix, Certificate]:
        """Return the weights with zeros where the multiplier of a part is larger than it, if their proof holds."""
        del program
        parts = outcome.point[: 2 * self.features.shape[1]]
        alpha, of_parts = np.split(outcome.multipliers, [len(self.y)])
        tidy = self.weights(np.where(of_parts > parts, 0.0, np.maximum(parts, 0.0)))
        proof = self.bounds.certify(tidy[0], alpha)
        if proof.holds(tol):
            return tidy, proof
        weights = self.weights(outcome.point)
        return weights, self.bounds.certify(weights[0], alpha)

    def own_answer(self, tol: float, max_iter: int | None, time_limit: float | None, verbose: bool) -> LinearAnswer:
        """Return the answer by coordinate descent, whose zeros are exact."""
        # It loads the compiler, which other machines need not.
        from qpkernels.solvers.coordinate_descent.sparse_weights import sparse_weights

        found = sparse_weights(self.bounds, tol, max_iter, time_limit, verbose)
        proof = replace(found.certificate, asked=tol)
        status = status_of(proof, found.claim, tol)
        return LinearAnswer(found.w[None, :], status, proof, "coordinate-descent", found.message, found.passes)


@dataclass(frozen=True, eq=False)
class CrammerSinger(LinearModel):
    """Several classes by one machine: each sample's own class is to score higher than every other, by 1.

    ``codes`` are the numbers of the classes of the samples.
    """

    codes: NDArray[np.intp]
    classes: int

    @property
    def program(self) -> ConeProgram:
        """The program in the weights of all classes, one after the other, and xi."""
        (m, d), Z = self.features.shape, csr_array(self.features)
        blocks = []
        for rival in range(self.classes):
            rows = np.flatnonzero(self.codes != rival)
            own = self.codes[rows]
            parts = [
                Z[rows] if k == rival else -(diags_array((own == k).astype(float)) @ Z[rows])
                for k in range(self.classes)
            ]
            slack = coo_array((-np.ones(rows.size), (np.arange(rows.size), rows)), shape=(rows.size, m))
            blocks.append(hstack([*parts, slack]))
        margins, size = m * (self.classes - 1), self.classes * d
        A = vstack([*blocks, hstack([csr_array((m, size)), -eye_array(m)])])
        return ConeProgram(
            P=csc_array(diags_array(np.concatenate([np.ones(size), np.zeros(m)]))),
            q=np.concatenate([np.zeros(size), self.costs]),
            A=csc_array(A),
            b=np.concatenate([-np.ones(margins), np.zeros(m)]),
            cones=(Nonnegative(margins + m),),
            variables=(Block("w", 0, size), Block("xi", size, size + m)),
            rows=(Block("margin", 0, margins), Block("slack", margins, margins + m)),
            name="machine of Crammer and Singer",
        )

    def weights(self, point: Vector) -> Matrix:
        """Return the weights of each class, shape (classes, d); with two classes, what they differ by, shape (1, d)."""
        of_classes = point[: self.classes * self.features.shape[1]].reshape(self.classes, -1)
        return of_classes if self.classes > 2 else of_classes[1:] - of_classes[:1]
