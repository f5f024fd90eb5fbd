# SPDX-License-Identifier: BSD-3-Clause
"""Who reads what: fitted estimators by the names of their classes, in whatever library, and files of machines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from formulations.auditing.reading.files import read_file
from formulations.auditing.reading.linear import (
    read_linear_classifier,
    read_linear_regressor,
    read_logistic,
    read_ridge,
)
from formulations.auditing.reading.machine import Machine
from formulations.auditing.reading.own import read_own
from formulations.auditing.reading.predicted import with_predictions
from formulations.auditing.reading.ridge import read_kernel_ridge
from formulations.auditing.reading.settings import Settings
from formulations.auditing.reading.support_vectors import KINDS, read_support_vectors
from formulations.estimators.base import KernelMachine
from qpkernels.arrays import shown
from qpkernels.errors import ParameterError, ShapeError

__all__ = ["machines_of"]

Reader = Callable[[Any, Any, Any, Any, Settings], list[Machine]]


def _of_kind(name: str) -> Reader:
    return lambda estimator, *rest: read_support_vectors(estimator, KINDS[name], *rest)


_READERS: dict[str, Reader] = {
    **{name: _of_kind(name) for name in KINDS},
    "LinearSVC": read_linear_classifier,
    "LinearSVR": read_linear_regressor,
    "KernelRidge": read_kernel_ridge,
    "Ridge": read_ridge,
    "LogisticRegression": read_logistic,
}

_FITTED = ("dual_coef_", "coef_")
"""What a fit leaves behind."""


def machines_of(estimator: Any, X: Any, y: Any, weights: Any, given: Mapping[str, Any]) -> tuple[str, list[Machine]]:
    """Return what the estimator, or file, is called, and its machines.

    Raises
    ------
    NotFittedError
        If it is not fitted.
    ParameterError, ShapeError, FileFormatError
        If it is none that can be read, or these are not the data that it was fitted to.
    """
    if isinstance(X, str):
        raise ShapeError(f"X must be the samples that the machine was fitted to, but the text {shown(X)} came.")
    if isinstance(estimator, str | Path):
        name = Path(estimator).name
        settings = Settings(None, name, given)
        machines = read_file(Path(estimator), X, y, weights, settings)
    else:
        estimator, X = _unwrapped(estimator, X)
        name = type(estimator).__name__
        settings = Settings(estimator, name, given)
        reader = _reader(estimator)
        machines = with_predictions(reader(estimator, X, y, weights, settings), estimator, X)
    settings.finish()
    return name, machines


def _unwrapped(estimator: Any, X: Any) -> tuple[Any, Any]:
    """Return the last step of a pipeline and the best of a search, with the samples as they come to it."""
    if isinstance(estimator, Pipeline):
        check_is_fitted(estimator)
        X = estimator[:-1].transform(X) if len(estimator.steps) > 1 else X
        return _unwrapped(estimator.steps[-1][1], X)
    if hasattr(estimator, "param_grid") or hasattr(estimator, "param_distributions"):
        if not hasattr(estimator, "best_estimator_"):
            raise NotFittedError(
                f"this {type(estimator).__name__} has no best_estimator_: call fit, with refit=True, before its audit."
            )
        return _unwrapped(estimator.best_estimator_, X)
    return estimator, X


def _reader(estimator: Any) -> Reader:
    if isinstance(estimator, type):
        raise ParameterError(f"an audit takes a fitted estimator, but the class {estimator.__name__} came; fit one.")
    names = [each.__name__ for each in type(estimator).__mro__]
    known = next((name for name in names if name in _READERS), None)
    if isinstance(estimator, KernelMachine):
        check_is_fitted(estimator)
        # Out of a pickle it has no model, but coefficients as others of its name have them.
        stands_for_itself = known is not None and estimator.rank is None and estimator.indefinite == "refuse"
        if hasattr(estimator, "model_") or not stands_for_itself:
            return read_own
    if known is None:
        raise ParameterError(
            f"an audit takes a fitted {', '.join(_READERS)} of any library with the attributes of scikit-learn, an "
            f"estimator of formulations.estimators, a Pipeline or search of these, or the path of a model of LIBSVM or "
            f"LIBLINEAR, but {type(estimator).__name__} came; state its model, and call model.certify((beta, b))."
        )
    if all(getattr(estimator, name, None) is None for name in _FITTED):
        raise NotFittedError(f"this {names[0]} is not fitted yet: call fit before its audit.")
    return _READERS[known]
