# SPDX-License-Identifier: BSD-3-Clause
"""The common part of all models of two classes: labels, margins, reading answers, and the two sides of a margin.

A primal has constraints on y (f + b) with multipliers alpha, and a dual is a problem in alpha.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

import formulations.modelling.cvx as cp
from formulations.modelling import (
    Candidate,
    Classification,
    Conditions,
    ConeAnswer,
    Dual,
    Model,
    Multipliers,
    Primal,
    per_sample,
)
from formulations.modelling.inputs.estimators import Coefficients
from formulations.modelling.inputs.hyperparameters import COSTS_OF_CLASSES
from formulations.modelling.inputs.samples import OF_KERNELS, KernelLike, SamplesLike, bind, two_classes
from qpkernels.arrays import Vector, shown_label
from qpkernels.errors import OneClassError, ParameterError
from qpkernels.problems import Bounds, KernelQP, SampleTerms

__all__ = ["MarginDual", "MarginPrimal", "TwoClassCostModel", "TwoClassModel", "signed_box"]

_OF_COSTS = dict.fromkeys(("class_weight", "sample_weight"), "C=C * weights, an array with a cost for each sample")


def signed_box(y: Vector, size: ArrayLike) -> tuple[Vector, Vector]:
    """Return the bounds of beta that say 0 <= y_i beta_i <= size_i."""
    return np.where(y > 0, 0.0, -np.asarray(size)), np.where(y > 0, size, 0.0)


class TwoClassModel(Model[Classification]):
    """A model that separates two classes by the sign of f(x) + b.

    Parameters
    ----------
    X
        Samples as the kernel takes them: for most kernels a matrix (samples x features), which may be sparse if the
        kernel takes that. Or a :class:`~qpkernels.gram.Gram`, to share a kernel matrix between models or to set its
        memory limit.
    y
        Two different labels, shape (m,); the greater one is +1.
    kernel
        None: explicit features, and a primal form has weights w in R^d. Otherwise f is in the space of the kernel, and
        a primal form has its coordinates u in an orthonormal basis there. Sparse samples without a kernel are bound to
        Linear().
    fit_intercept
        Whether there is a b; otherwise b = 0.

    Attributes
    ----------
    y
        +1.0 or -1.0 for each sample.
    classes
        The labels that -1 and +1 stand for.
    """

    entry = replace(Model.entry, coefficient="beta = y a", estimator="SVC")
    y: Vector
    classes: NDArray[Any]

    def __init__(
        self,
        X: SamplesLike,
        y: ArrayLike,
        kernel: KernelLike | None = None,
        *,
        fit_intercept: bool = True,
        **values: Any,
    ) -> None:
        data = bind(X, kernel)
        signs, classes = two_classes(y, len(data.gram))
        vars(self).update(y=signs, classes=classes)
        if self.entry.needs_psd:
            data.gram.require_psd()
        super().__init__(data, fit_intercept, **values)

    def _check_samples(self) -> None:
        """Refuse samples of one class."""
        if not (self.y > 0).any() or not (self.y < 0).any():
            label = self.classes.tolist()[int(self.y[0] > 0)]
            raise OneClassError(
                f"the {len(self)} samples must hold both classes, {shown_label(self.classes.tolist()[0])} and "
                f"{shown_label(self.classes.tolist()[1])}, but all are of {shown_label(label)}; choose others."
            )

    def _check_parameters(self) -> None:
        """Refuse costs that leave a class without samples."""
        if self.absent.size:
            present = self.of_present(self.y)
            for sign, label in zip((-1.0, 1.0), self.classes.tolist(), strict=True):
                if not (present == sign).any():
                    raise OneClassError(
                        f"both classes must have a sample with a cost, or weight, above 0, but each of {label!r} has 0."
                    )

    def box(self, size: ArrayLike) -> tuple[Vector, Vector]:
        """Return the bounds of beta that say 0 <= y_i beta_i <= size_i.

        Parameters
        ----------
        size
            Largest multipliers of at least 0, one for each sample or for all; may be infinite.
        """
        return signed_box(self.y, size)

    @classmethod
    def _terms(cls, y: Vector, values: Mapping[str, Vector]) -> SampleTerms | None:
        """Return what each sample adds to the KernelQP, where that depends on it alone; None: there is no such thing.

        Parameters
        ----------
        y
            +1.0 or -1.0 for each sample, shape (m,).
        values
            The hyper-parameters by their names, those with an entry for each sample of shape (m,).
        """
        del y, values
        return None

    @classmethod
    def _share(cls, values: Mapping[str, Vector]) -> float | None:
        """Return nu, where the costs are divided by their sum, and the margin is free; None: neither."""
        del values
        return None

    def _hard_margin(self) -> KernelQP:
        """State the dual of the hard margin in beta = y * a: beta_i has the sign of y_i and no bound."""
        return KernelQP(self.gram, self.y, *self.box(np.inf), self.total, name="hard margin")

    def margins(self, answer: Candidate) -> Vector:
        """Return y_i (f(x_i) + b)."""
        return self.y * answer.decision

    def slacks(self, answer: Candidate) -> Vector:
        """Return xi_i = max(0, 1 - y_i (f(x_i) + b))."""
        return np.maximum(0.0, 1.0 - self.margins(answer))

    def conditions(self, answer: Candidate) -> Conditions:
        """Return a_i (y_i (f(x_i) + b) - 1 + xi_i)."""
        return {"a (y (f(x) + b) - 1 + xi)": self.y * answer.beta * np.maximum(self.margins(answer) - 1.0, 0.0)}

    def translate(self, fitted: Coefficients) -> tuple[Vector, float]:
        """Return (beta, b): dual_coef_ holds y_i alpha_i."""
        if fitted.classes is None:
            raise ParameterError("a fitted two-class SVC has support_ and classes_, but this estimator does not.")
        if not np.array_equal(fitted.classes, self.classes):
            raise ParameterError(
                f"the estimator must be fitted to the classes {self.classes.tolist()}, but it was fitted to "
                f"{np.asarray(fitted.classes).tolist()}."
            )
        return super().translate(fitted)

    def _interpret(self, answer: Candidate, **fields: Any) -> Classification:
        """Make the solution, with its labels."""
        del answer
        return Classification(_y=self.y, **fields)


class TwoClassCostModel(TwoClassModel):
    """A model of two classes with a cost C_i on the loss of each sample.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`TwoClassModel`.
    C
        Above 0: the weight of a loss against 1/2 ||f||^2, one number, or one for each sample and 0 for an absent one.

    Attributes
    ----------
    C
        The costs as a CVXPY parameter of shape (m,); :meth:`set_params` sets it.
    """

    entry = replace(TwoClassModel.entry, parameters=(COSTS_OF_CLASSES,))
    _elsewhere: ClassVar[Mapping[str, str]] = MappingProxyType(OF_KERNELS | _OF_COSTS)
    C: cp.Parameter

    def __init__(
        self,
        X: SamplesLike,
        y: ArrayLike,
        kernel: KernelLike | None = None,
        *,
        C: ArrayLike = 1.0,
        fit_intercept: bool = True,
    ) -> None:
        super().__init__(X, y, kernel, fit_intercept=fit_intercept, C=C)


class MarginPrimal(Primal):
    """A problem in f and b, whose constraint ``margin`` has the multipliers alpha."""

    model: TwoClassModel

    def read_beta(self, answer: ConeAnswer, bounds: Bounds) -> Vector:
        """Return beta = y * alpha."""
        del answer, bounds
        return self.model.y * self.dual_of("margin")

    def write(self, answer: Candidate) -> Multipliers:
        """Write f and b, and return alpha of the margins."""
        return {**super().write(answer), "margin": self.model.y * answer.beta}


class MarginDual(Dual):
    """A problem in alpha, with beta = y * alpha."""

    model: TwoClassModel
    alpha = per_sample("alpha")

    @property
    def beta(self) -> cp.Expression:
        """The coefficients y * alpha."""
        return cp.multiply(self.model.y, self.alpha)

    def write(self, answer: Candidate) -> Multipliers:
        """Write alpha, and return b of the balance."""
        self.alpha.value = self.model.y * answer.beta
        return super().write(answer)
