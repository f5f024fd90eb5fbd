# SPDX-License-Identifier: BSD-3-Clause
"""Points of the problem that is solved, judged as its user will judge them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.certificates.certificate import Certificate
from qpkernels.certificates.kernel_qp import FunctionAtSamples, certify_kernel_qp
from qpkernels.certificates.vanishing import vanishing_point
from qpkernels.programs import KernelQP
from qpkernels.solvers.interior_point.active_set import ActiveSet
from qpkernels.solvers.interior_point.boxes import boxes_of
from qpkernels.solvers.interior_point.path import CentralPath
from qpkernels.solvers.newton_systems import NewtonSystem

__all__ = ["Candidate", "Scaled"]


@dataclass(frozen=True, eq=False)
class Candidate:
    """A feasible beta with its b, K beta, and what is proved of it."""

    beta: Vector
    intercept: float
    values: Vector
    certificate: Certificate

    @property
    def error(self) -> float:
        """The least tolerance at which the certificate holds; infinity where it never does."""
        return self.certificate.error


class Scaled:
    """A program, and the same in boxes and units of its own."""

    def __init__(self, program: KernelQP, system: NewtonSystem) -> None:
        self.program, self.system = program, system
        self.boxes, self._start = boxes_of(program, system)
        self._active_set = ActiveSet(self.boxes, system)

    def path(self) -> CentralPath:
        """Return a new path."""
        return CentralPath(self.boxes, self.system, self._start)

    def at(self, path: CentralPath) -> Candidate:
        """Return the point where the path is."""
        return self._judged(path.beta, path.b)

    def meant_by(self, path: CentralPath, certain: bool) -> Candidate | None:
        """Return the point with coefficients at their bounds that the path means; None: that is not ``certain``."""
        beta, b, settled = self._active_set.near(path)
        return self._judged(beta, b) if settled or not certain else None

    def near(self, beta: Vector) -> Candidate:
        """Return the point with the coefficients of ``beta`` at bounds, or those it leads to."""
        meant, b, _ = self._active_set.of(self.program.project(beta) / self.boxes.coefficient)
        return self._judged(meant, b)

    def vanishing(self) -> Candidate | None:
        """Return coefficients whose function is 0, which may prove an optimum of 0; None: there are none."""
        point = vanishing_point(self.program)
        if point is None:
            return None
        beta, zero = self.program.project(point[0]), FunctionAtSamples.zero(len(self.program))
        proof = certify_kernel_qp(self.program, beta, point[1], zero)
        return Candidate(beta, point[1], self.program.gram.product(beta), proof)

    def _judged(self, beta: Vector, b: float) -> Candidate:
        boxes, feasible = self.boxes, self.program.project(self.boxes.coefficient * beta)
        values, intercept = self.program.gram.product(feasible), 0.0
        if self.program.total is not None:
            own = self.system.at_samples(self.system.expand(feasible / boxes.coefficient)) + b
            intercept = float(np.mean(boxes.value * own + boxes.shift - values))
        return Candidate(feasible, intercept, values, certify_kernel_qp(self.program, feasible, intercept))
