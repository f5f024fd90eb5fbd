# SPDX-License-Identifier: BSD-3-Clause
"""The verdict on any fitted machine, whoever fitted it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from formulations.judging.comparison import Listed
from formulations.judging.machine_audit import AuditRow, Finish, MachineAudit
from qpkernels.arrays import check_tolerance
from qpkernels.display import Column, TableReport, TextTable
from qpkernels.problems import Status

if TYPE_CHECKING:
    from qpkernels.files.proofs import Bundle

__all__ = ["Audit", "audit"]

_NAMED = 3
"""How many machines that are not proved have their samples named below the table."""


def audit(
    estimator: Any | str | Path,
    X: Any,
    y: ArrayLike | None = None,
    *,
    tol: float = 1e-3,
    sample_weight: ArrayLike | None = None,
    **hyperparameters: Any,
) -> Audit:
    r"""Tell how far a fitted machine is from optimal, which samples are wrong, and how far the best function may be.

    Each machine (with several classes or outputs there are several) is read as an answer to its model,
    :math:`\min \frac12 \|f\|^2 + \sum_i L_i(f(x_i) + b)`, and certified by the values of primal and dual, which are
    recomputed from the data in float64. Its library's own claim of convergence is not believed. The estimator is asked
    for the decision values of up to 1,000 samples. If they differ from those of its coefficients by more than ``tol``
    of the largest, it does not predict with the certified function, and is not optimal.

    Parameters
    ----------
    estimator
        A fitted SVC, NuSVC, SVR, NuSVR, OneClassSVM, LinearSVC, LinearSVR, KernelRidge, Ridge or LogisticRegression (of
        two classes) from scikit-learn, or from a library with its attributes (scikit-learn-intelex, cuML, ThunderSVM);
        an estimator of :mod:`formulations.estimators`; a Pipeline, whose other steps transform ``X``, or a search over
        these; or the path of a model of LIBSVM or LIBLINEAR.
    X
        The samples that it was fitted to, in the same order, shape (m, features), or with a precomputed kernel the
        matrix of kernel values, shape (m, m).
    y
        Their labels or targets, shape (m,), or (m, outputs) for several outputs; left out for one class.
    tol
        Above 0 and below 1: the relative duality gap, and residuals, that count as proved.
    sample_weight
        The weights that it was fitted with, shape (m,), which estimators do not keep.
    **hyperparameters
        The hyper-parameters of the fit (C, nu, epsilon, alpha, gamma, class_weight ...), in place of the estimator's
        own. A file does not hold them, so that they must be given with it.

    Returns
    -------
    Audit
        It prints as a table; ``audit.finish()`` solves the models, starting from these answers.

    Raises
    ------
    sklearn.exceptions.NotFittedError
        If the estimator is not fitted.
    ParameterError, ShapeError
        If the estimator is of another kind, or was fitted to other data.
    IndefiniteKernelError
        If its kernel matrix has a negative eigenvalue, so that no answer is optimal.
    FileFormatError
        If the file is damaged, or of another kind.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from formulations import audit
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1]
    >>> machine = SVC(kernel="linear", C=1.0, tol=1e-6).fit(X, y)
    >>> print(audit(machine, X, y).status)
    optimal
    >>> machine.intercept_ += 0.5
    >>> print(audit(machine, X, y).status)
    uncertified
    """
    # It loads scikit-learn, which who imports the package need not wait for.
    from formulations.judging.readers import machines_of

    tol = check_tolerance(tol)
    name, machines = machines_of(estimator, X, y, sample_weight, hyperparameters)
    return Audit(name, tuple(MachineAudit.of(machine, tol) for machine in machines), tol)


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Listed):
    """The audit of an estimator, with one entry for each of its machines.

    It prints as a table in a terminal (rich) and in a notebook (HTML).

    Attributes
    ----------
    estimator
        The audited estimator.
    machines
        The audit of each machine.
    tol
        The requested tolerance.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from formulations import audit
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1]
    >>> machine = SVC(kernel="linear", C=1.0).fit(X, y)
    >>> machine.intercept_ += 0.5
    >>> (row,) = audit(machine, X, y).rows
    >>> print(row.formulation, row.status, f"relative gap {row.relative_gap:.2f}")
    SoftMargin uncertified relative gap 0.15
    """

    estimator: str
    machines: tuple[MachineAudit, ...]
    tol: float

    @property
    def _entries(self) -> tuple[MachineAudit, ...]:
        return self.machines

    def _record(self) -> list[dict[str, Any]]:
        return [row.to_record() for row in self.rows]

    @property
    def status(self) -> Status:
        """``optimal`` if every machine is proved to the tolerance, else ``uncertified``."""
        proved = all(each.status is Status.OPTIMAL for each in self.machines)
        return Status.OPTIMAL if proved else Status.UNCERTIFIED

    @property
    def rows(self) -> tuple[AuditRow, ...]:
        """The entries as records."""
        return tuple(each.row for each in self.machines)

    def finish(self, tol: float = 1e-6, **options: Any) -> tuple[Finish, ...]:
        """Solve each model, starting from its answer, and tell what this took and changed.

        Parameters
        ----------
        tol, **options
            As in :meth:`formulations.modelling.model.Model.solve`.

        Returns
        -------
        tuple of Finish
            For each machine the certified solution, the seconds and iterations, the true distance to the optimal
            function, and how many samples change their role or side.
        """
        return tuple(each.finish(tol, **options) for each in self.machines)

    def prove(self, path: str | Path | None = None, *, digits: int = 9) -> Bundle:
        """Return a bundle with the proof of the optimum of each machine, from its answer or one refined from it.

        The proof is of the optimum, whatever the estimator was: an audit that finds fault proves the right value.

        Parameters
        ----------
        path, digits
            As :meth:`formulations.Solution.prove` takes them.

        Raises
        ------
        NoProofError
            If the vocabulary of proofs has no words for the kernel or the loss.
        """
        from formulations.modelling.proving import ProofRequest, bundled  # it takes longer to import than a small fit

        asked = ProofRequest.of(path, digits, None)
        given = (each.machine for each in self.machines)
        return bundled(((each.name, each.model.prove(each.answer, digits=digits)) for each in given), asked.path)

    def report(self) -> TableReport:
        """Return the table, and in words what is proved and what is wrong."""
        open_ = frozenset(k for k, row in enumerate(self.rows) if row.status != Status.OPTIMAL)
        title = f"{self.estimator}: optimal = proved to a relative gap and residuals of {self.tol:g}"
        table = TextTable.of(_COLUMNS, map(vars, self.rows), title=title, bold=open_)
        return TableReport((table,), notes=tuple(self.notes))

    def __repr__(self) -> str:
        proved = sum(row.status == Status.OPTIMAL for row in self.rows)
        found = (
            self.machines[0].verdict if len(self) == 1 else f"{proved} of {len(self)} machines proved to {self.tol:g}"
        )
        return f"<Audit of {self.estimator}: {found}>"

    @property
    def notes(self) -> list[str]:
        """In words: how many machines are proved, and for the worst other machine, what is and which samples err."""
        open_ = [row for row in self.rows if row.status != Status.OPTIMAL]
        open_.sort(key=lambda row: -np.nan_to_num(row.relative_gap, nan=np.inf, posinf=np.inf))
        count = f"{len(self) - len(open_)} of {len(self)} machines are proved"
        found = [count] if len(self) > 1 else []
        for row in self.rows if len(self) == 1 else open_[:_NAMED]:
            found.append(f"{row.machine}: {row.verdict}")
            found += [f"  {remark}" for remark in row.remarks]
            if row.status != Status.OPTIMAL and row.wrong:
                found.append(f"  {row.wrong} of {row.samples} samples add more than their share to the gap:")
                found += [f"    {each}" for each in row.worst]
        return found


_WIDE = 165
"""Width of a terminal that shows every column."""

_COLUMNS = (
    Column("machine", "left", key="machine"),
    Column("model", "left", key="formulation"),
    Column("status", "left", key="status"),
    Column("samples", key="samples"),
    Column("SV", key="n_support"),
    Column("primal value", least_width=_WIDE, key="primal_value", form=".10g"),
    Column("dual value", least_width=_WIDE, key="dual_value", form=".10g"),
    Column("rel. gap", key="relative_gap", form=".0e"),
    Column("primal res.", least_width=_WIDE, key="primal_residual", form=".0e"),
    Column("dual res.", least_width=_WIDE, key="dual_residual", form=".0e"),
    Column("‖f‖", least_width=_WIDE, key="norm", form=".3g"),
    Column("‖f − f*‖ ≤", key="distance", form=".3g"),
    Column("certain", key="certain"),
    Column("wrong", key="wrong"),
)
