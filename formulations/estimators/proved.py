# SPDX-License-Identifier: BSD-3-Clause
"""What every estimator of a convex model shares: who is asked, how well it must be proved, and what if it is not."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from sklearn.exceptions import ConvergenceWarning

from formulations.estimators.leaving import LeavesDataBehind
from qpkernels.arrays import ChecksKeywords, check_flag
from qpkernels.errors import SolverFailedError
from qpkernels.problems import Certificate, Status
from qpkernels.solvers import SolverLike

__all__ = ["ProvedEstimator", "UncertifiedWarning"]


class UncertifiedWarning(ConvergenceWarning):
    """An answer is not proved to the tolerance asked for."""


@dataclass(kw_only=True, eq=False, repr=False)
class ProvedEstimator(LeavesDataBehind, metaclass=ChecksKeywords):
    """An estimator whose answer has a certificate.

    Parameters
    ----------
    tol
        The relative duality gap, and residuals, that the answer is proved to.
    solver
        Name of a registered solver, or a Solver object; None: one after the other until the answer is proved.
    time_limit
        Limit in seconds; None: none.
    strict
        Raise SolverFailedError where an answer is not proved, in place of an UncertifiedWarning.
    verbose
        Let the solver print its progress.
    """

    tol: float = 1e-3
    solver: SolverLike | None = None
    time_limit: float | None = None
    strict: bool = False
    verbose: bool | int = False

    if TYPE_CHECKING:
        # What a fit leaves behind, beside attributes of the subclass.
        solution_: Any = field(init=False)
        certificate_: Certificate = field(init=False)

    _proof: ClassVar[str] = "certificate_"

    def _request(self) -> dict[str, Any]:
        """Return what a solver is asked for."""
        check_flag(self.strict, "strict")
        return {"solver": self.solver, "tol": self.tol, "time_limit": self.time_limit}

    def _judge(self, status: Status, message: str) -> None:
        """Keep what is proved, of several machines the weakest proof; warn of an answer without one, or refuse it."""
        answers = self.solution_ if isinstance(self.solution_, list) else [self.solution_]
        self.certificate_ = max((each.certificate for each in answers), key=lambda proof: proof.relative_gap)
        self.fit_status_ = int(status is not Status.OPTIMAL)
        if status is Status.OPTIMAL:
            return
        # The gap that a solver says is that of its certificate, or nobody's.
        said = "; ".join(part for part in message.split("; ") if not part.startswith("relative gap"))
        proof = f"{said}. {self.certificate_.explain()}" if said else self.certificate_.explain()
        words = f"the answer is {status}, not proved to tol={self.tol:g}: {proof}"
        if self.strict:
            raise SolverFailedError(f"{words} Pass strict=False to keep it, with a warning.")
        warnings.warn(words, UncertifiedWarning, stacklevel=3)
