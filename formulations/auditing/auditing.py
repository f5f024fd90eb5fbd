# SPDX-License-Identifier: BSD-3-Clause
"""The verdict on anybody's fitted machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from formulations.auditing.machine_audit import MachineAudit
from formulations.auditing.report import Audit
from qpkernels.arrays import check_tolerance

__all__ = ["audit"]


def audit(
    estimator: Any | str | Path,
    X: Any,
    y: ArrayLike | None = None,
    *,
    tol: float = 1e-3,
    sample_weight: ArrayLike | None = None,
    **hyperparameters: Any,
) -> Audit:
    r"""Say how far from optimal a fitted machine is, which samples are wrong, and how far the best function may be.

    Each machine, of several classes or outputs each of them, is read as an answer to its model,
    :math:`\min \frac12 \|f\|^2 + \sum_i L_i(f(x_i) + b)`, and certified by the values of primal and dual, which are
    recomputed from the data in float64. Nothing that its library says of its convergence is believed. The estimator is
    asked for the decision values of up to 1,000 of the samples: where they differ from those of its coefficients by
    more than ``tol`` of the largest, it does not predict with what was certified, and is not optimal.

    Parameters
    ----------
    estimator
        A fitted SVC, NuSVC, SVR, NuSVR, OneClassSVM, LinearSVC, LinearSVR, KernelRidge, Ridge or LogisticRegression (of
        two classes) of scikit-learn, or of a library with its attributes (scikit-learn-intelex, cuML, ThunderSVM); an
        estimator of :mod:`formulations.estimators`; a Pipeline, whose other steps transform ``X``, or a search over
        these; or the path of a model of LIBSVM or LIBLINEAR.
    X
        The samples that it was fitted to, in the same order: shape (m, features), with a precomputed kernel the matrix
        of kernel values, shape (m, m).
    y
        Their labels or targets, shape (m,), or (m, outputs) of several outputs; left out for one class.
    tol
        Above 0 and below 1: the relative duality gap, and residuals, that count as proved.
    sample_weight
        The weights that it was fitted with, shape (m,), which estimators do not keep.
    **hyperparameters
        What it was asked for (C, nu, epsilon, alpha, gamma, class_weight ...), in place of the estimator's own; a file
        does not hold it, so that it must be given there.

    Returns
    -------
    Audit
        Prints as a table; ``audit.finish()`` solves the models from these answers on.

    Raises
    ------
    sklearn.exceptions.NotFittedError
        If the estimator is not fitted.
    ParameterError, ShapeError
        If it is none of these, or was fitted to other data.
    IndefiniteKernelError
        If its kernel matrix has a negative eigenvalue, so that nothing is optimal.
    FileFormatError
        If the file is damaged, or another.

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
    from formulations.auditing.reading.reader import machines_of

    tol = check_tolerance(tol)
    name, machines = machines_of(estimator, X, y, sample_weight, hyperparameters)
    return Audit(name, tuple(MachineAudit.of(machine, tol) for machine in machines), tol)
