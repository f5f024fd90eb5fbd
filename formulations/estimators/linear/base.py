# SPDX-License-Identifier: BSD-3-Clause
r"""What linear machines share: the intercept of LIBLINEAR.

It is a weight of the constant feature s, and penalised like every weight::

    min  1/2 (||w||^2 + (b/s)^2) + sum C_i L(x_i'w + b)

so that this is a model without an intercept, on the samples (x_i, s).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from formulations.estimators.proved import ProvedEstimator
from formulations.inputs.estimators import with_constant
from formulations.inputs.samples import BoundSamples
from formulations.modelling import Solution
from qpkernels.arrays import Indices, Matrix, Samples, check_choice, check_count, check_flag, shown
from qpkernels.errors import ParameterError
from qpkernels.gram import Gram
from qpkernels.kernels import Linear

__all__ = ["LinearMachine", "weights_of"]

_OF_THE_DUAL = ("hinge", "epsilon_insensitive")
"""Losses that LIBLINEAR minimises by the dual alone."""


_MOST = 2**31 - 1
"""Iterations, at most: more is no number to a solver in C."""


@dataclass(kw_only=True, eq=False, repr=False)
class LinearMachine(ProvedEstimator):
    """A function x'w + b, whose b is penalised or absent."""

    tol: float = 1e-4
    C: float = 1.0
    dual: bool | Literal["auto"] = "auto"
    fit_intercept: bool = True
    intercept_scaling: float = 1.0
    random_state: Any = None
    max_iter: int = 1000
    verbose: bool | int = 0

    if TYPE_CHECKING:
        loss: str = field(init=False)
        coef_: Any = field(init=False)
        intercept_: Any = field(init=False)
        n_iter_: int = field(init=False)
        n_features_in_: int = field(init=False)

    def __sklearn_tags__(self) -> Any:
        """Return the tags: sparse samples are taken."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _check_parameters(self, losses: tuple[str, ...], penalty: str = "l2") -> None:
        """Refuse parameters outside their range, and combinations that LIBLINEAR has not."""
        check_choice(self.loss, "loss", losses)
        check_flag(self.fit_intercept, "fit_intercept")
        if not (isinstance(self.dual, bool | np.bool_) or self.dual == "auto"):
            raise ParameterError(f"dual must be True, False or 'auto', but {shown(self.dual)} came.")
        by_dual, l1 = self.loss in _OF_THE_DUAL and penalty != "any", penalty == "l1"
        if (by_dual and (l1 or not self.dual)) or (l1 and self.dual is True):
            raise ParameterError(
                f"Unsupported set of arguments: penalty={penalty!r}, loss={self.loss!r}, dual={self.dual!r}, as in "
                "LIBLINEAR: a loss that is not squared goes with penalty='l2' and dual=True, penalty='l1' with a "
                "squared loss and dual=False; dual='auto' is what the others allow."
            )

    def _bound(self, X: Samples, rows: Indices) -> BoundSamples:
        """Return these samples, with the constant if there is an intercept, bound to the linear kernel."""
        kept = X if rows.size == X.shape[0] else X[rows]
        features = with_constant(kept, self.intercept_scaling) if self.fit_intercept else kept
        return BoundSamples(Gram(Linear(), features), explicit=False)

    def _limits(self, data: BoundSamples) -> dict[str, Any]:
        """Return what a solver is asked for."""
        passes = check_count(self.max_iter, "max_iter")
        return {**self._request(), "max_iter": min(passes * len(data.gram), _MOST)}

    def _keep(self, machines: Matrix, answers: Sequence[Any]) -> Matrix:
        """Keep the intercepts and the number of iterations; return the weights of the features, one function a row."""
        self.n_iter_ = max(max(1, each.iterations or 1) for each in answers)
        if not self.fit_intercept:
            self.intercept_ = 0.0
            return machines
        self.intercept_ = self.intercept_scaling * machines[:, -1]
        return machines[:, :-1].copy()


def weights_of(data: BoundSamples, answers: Sequence[Solution]) -> Matrix:
    """Return the weights of all features, the constant last, one function a row."""
    return np.array([np.asarray(data.gram.X.T @ each.beta).ravel() for each in answers])
