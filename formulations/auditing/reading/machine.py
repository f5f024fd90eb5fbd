# SPDX-License-Identifier: BSD-3-Clause
"""One machine of an answer from outside: the model that it answers, and its point in the terms of that model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formulations.classification.margins.nu_margin import NuMargin
from formulations.classification.one_class import OneClass
from formulations.modelling import Candidate, Model
from formulations.modelling.candidate import expand
from qpkernels.arrays import Indices, Vector
from qpkernels.problems import KernelQPBounds

__all__ = ["Machine", "Predicted", "expansion"]

_SAME = 1e-10
"""Share of the largest coefficient within which the feasible point near an answer is the answer."""


@dataclass(frozen=True, eq=False)
class Predicted:
    """Decision values that an estimator returns.

    Attributes
    ----------
    places
        Of the samples, among those of the machine.
    values
        g(x_i) as the estimator predicts it, shape of ``places``.
    """

    places: Indices
    values: Vector


@dataclass(frozen=True, eq=False)
class Machine:
    """A model, and somebody's answer to it.

    Attributes
    ----------
    name
        Which of the machines of the estimator it is: "'b' against 'a'", "output 2"; the estimator itself where it is
        the only one.
    model
        The model that it answers.
    answer
        Its point.
    rows
        Numbers of its samples among those given.
    labels
        Labels or targets of these samples as they were given; None of one class.
    holds_multipliers
        Whether the multipliers are its own; otherwise it holds weights of the features, and they were read off these.
    predicted
        What its estimator predicts; None of a file, and of an estimator that predicts otherwise than by machines.
    """

    name: str
    model: Model[Any]
    answer: Candidate
    rows: Indices
    labels: NDArray[Any] | None
    holds_multipliers: bool = True
    predicted: Predicted | None = None

    def contradiction(self, tol: float) -> str | None:
        """Say where the estimator predicts what its coefficients do not say, by more than ``tol`` of the largest."""
        if self.predicted is None:
            return None
        own, values = self.answer.decision[self.predicted.places], self.predicted.values
        if isinstance(self.model, NuMargin | OneClass):
            # LIBSVM divides the functions of NuMargin by rho, and multiplies those of OneClass by nu m.
            values = values * (max(float(values @ own), 0.0) / (float(values @ values) or 1.0))
        # "Not at most" is true of NaN as well.
        beyond = ~(np.abs(values - own) <= tol * np.abs(own).max(initial=0.0))
        if not beyond.any():
            return None
        worst = int(np.argmax(np.where(beyond, np.abs(values - own), -1.0)))
        return (
            f"at sample {self.rows[self.predicted.places[worst]]} it predicts {values[worst]:.6g}, but its "
            f"coefficients say {own[worst]:.6g}: it does not predict with them"
        )


def expansion(model: Model[Any], beta: Vector, intercept: float) -> Candidate:
    """Return the answer whose function is the expansion in beta, K beta being made once, as its certificate needs it.

    What rounding leaves of the sum of beta is moved to the feasible point, so that answer and certificate share the
    product.
    """
    b = model.checked_intercept(intercept)
    bounds = model.bounds()
    judge = bounds if isinstance(bounds, KernelQPBounds) else None
    if np.isfinite(beta).all():
        feasible = bounds.feasible(beta)
        if np.abs(feasible - beta).max() <= _SAME * np.abs(beta).max():
            beta = feasible
    return expand(model.gram, beta, b, model.classes, None, judge)
