# SPDX-License-Identifier: BSD-3-Clause
"""What all models of two classes share: data, labels, kernel, and how an answer is read."""

from __future__ import annotations

from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from formulations.base import Formulation
from formulations.solution import Candidate, Solution
from formulations.two_classes import TwoClasses
from qpkernels.arrays import Vector, frozen
from qpkernels.certificates import Certificate, FunctionAtSamples, Support, certify_kernel_qp, split_support
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.expansion import Expansion
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel
from qpkernels.programs import KernelQP

__all__ = ["BinaryClassifier"]


class BinaryClassifier(Formulation):
    """A model that separates two classes by the sign of f(x) + b.

    Parameters
    ----------
    X
        Samples, as the kernel takes them: a matrix (samples x features) for most. Or a
        :class:`~qpkernels.gram.Gram`, to share a kernel matrix between models or to set its memory limit.
    y
        Two different labels, shape (m,); the greater one is +1.
    kernel
        None: explicit features, and a primal form has weights w in R^d. Otherwise f is in the space of the kernel, and
        a primal form has its coordinates u in an orthonormal basis there.
    """

    def __init__(self, X: ArrayLike | Gram, y: ArrayLike, kernel: Kernel | None = None) -> None:
        self._bind(TwoClasses.from_arrays(X, y, kernel))
        self.freeze()

    def _bind(self, data: TwoClasses) -> None:
        self.data = data
        self.gram = data.gram
        self.y = data.y

    @classmethod
    def _on(cls, data: TwoClasses, **hyperparameters: Any) -> Self:
        """Return a model on data that are bound already, sharing the kernel matrix."""
        model = cls.__new__(cls)
        model._bind(data, **hyperparameters)
        model.freeze()
        return model

    def __len__(self) -> int:
        """Return the number m of samples."""
        return len(self.gram)

    def textbook_qp(self) -> KernelQP | None:
        """Return the KernelQP of the model without the user's extensions, if it is one."""
        return None

    def kernel_qp(self) -> KernelQP | None:
        """Return the model as a KernelQP; None once it is extended."""
        return None if self.is_extended else self.textbook_qp()

    def candidate(self, answer: Any) -> Candidate:
        """Read (beta, b), a Solution, or a fitted estimator with dual_coef_, support_ and intercept_.

        Raises
        ------
        ParameterError, ShapeError
            If it is none of these, or does not fit the data.
        """
        if isinstance(answer, Candidate):
            return answer
        if isinstance(answer, Solution):
            return self._from_solution(answer)
        if hasattr(answer, "dual_coef_"):
            return self._from_coefficients(*self._from_estimator(answer))
        if isinstance(answer, tuple) and len(answer) == 2:
            return self._from_coefficients(*answer)
        raise ParameterError(
            f"an answer is a Solution, a pair (beta, b), or a fitted SVC, but {type(answer).__name__} came; "
            "a function alone is not enough, since the proof needs the multipliers."
        )

    def _from_coefficients(self, coefficients: Any, intercept: Any) -> Candidate:
        beta = np.asarray(coefficients)
        if beta.shape != (len(self),) or beta.dtype.kind not in "biuf" or np.ndim(intercept) != 0:
            raise ShapeError(
                f"beta must hold {len(self)} real numbers, one for each sample, and b one, but arrays of shapes "
                f"{beta.shape} ({beta.dtype}) and {np.shape(intercept)} came."
            )
        beta, b = beta.astype(np.float64), float(intercept)
        return Candidate(beta, b, self._expand(beta, b))

    def _from_solution(self, solution: Solution) -> Candidate:
        """Return the multipliers with the solution's own function, where that lives in the space of our kernel."""
        candidate = self._from_coefficients(solution.beta, solution.intercept)
        function = solution.function
        if function.kernel != self.gram.kernel or function.centers.shape[1:] != self.gram.X.shape[1:]:
            return candidate
        at = FunctionAtSamples(function(self.gram.X) - function.intercept, function.squared_norm)
        return Candidate(candidate.beta, solution.intercept, function, at)

    def _from_estimator(self, estimator: Any) -> tuple[Vector, float]:
        """Return (beta, b) of a fitted SVC: dual_coef_ holds y_i alpha_i of its support vectors."""
        if not (hasattr(estimator, "support_") and hasattr(estimator, "classes_")):
            raise ParameterError(
                f"a fitted two-class SVC has support_ and classes_, but this {type(estimator).__name__} has not."
            )
        if not np.array_equal(estimator.classes_, self.data.classes):
            raise ParameterError(
                f"the estimator must be fitted to the classes {self.data.classes.tolist()}, but it was fitted to "
                f"{np.asarray(estimator.classes_).tolist()}."
            )
        dual: Any = estimator.dual_coef_
        coefficients = np.asarray(cast(Any, dual).todense() if issparse(dual) else dual)
        support = np.asarray(estimator.support_)
        fitted = getattr(estimator, "shape_fit_", (len(self),))[0]
        if fitted != len(self) or (support.size and support.max() >= len(self)):
            raise ShapeError(
                f"the estimator must be fitted to these {len(self)} samples, but it was fitted to {fitted}."
            )
        beta = np.zeros(len(self))
        beta[support] = coefficients[0]
        return beta, float(np.ravel(estimator.intercept_)[0])

    def _expand(self, beta: Vector, intercept: float) -> Expansion:
        """Return the expansion over the samples with a coefficient."""
        usable = bool(beta.any() and np.isfinite(beta).all())
        used = np.flatnonzero(beta) if usable else np.arange(1)
        coefficients = beta[used] if usable else np.zeros(1)
        return Expansion(self.gram.kernel, self.gram.X[used], coefficients, intercept, self.data.classes)

    def certify_candidate(self, candidate: Candidate) -> Certificate:
        """Bound the error of (beta, b), and of f, by the duality gap of the KernelQP."""
        program = self.textbook_qp()
        if program is None:
            raise NotImplementedError(f"a {self.name} that is no KernelQP must give its own certificate")
        return certify_kernel_qp(program, candidate.beta, candidate.intercept, candidate.at_samples)

    def values(self, candidate: Candidate) -> Vector:
        """Return f(x_i) of an answer, without b."""
        at = candidate.at_samples
        return self.gram.product(candidate.beta) if at is None else at.values

    def margins(self, candidate: Candidate) -> Vector:
        """Return y_i (f(x_i) + b) of an answer."""
        return self.y * (self.values(candidate) + candidate.intercept)

    def interpret(self, candidate: Candidate, certificate: Certificate, **facts: Any) -> Solution:
        """Read multipliers, support and function off an answer."""
        return Solution(
            intercept=candidate.intercept,
            alpha=frozen(self.y * candidate.beta),
            beta=frozen(candidate.beta),
            support=self._support(candidate),
            function=candidate.function,
            certificate=certificate,
            **facts,
        )

    def _support(self, candidate: Candidate) -> Support:
        program = self.textbook_qp()
        if program is None:
            largest = np.abs(candidate.beta).max(initial=1.0)
            carrying = np.flatnonzero(np.abs(candidate.beta) > 1e-6 * largest)
            return Support(free=carrying, bounded=np.arange(0))
        return split_support(program, candidate.beta, self.values(candidate) + candidate.intercept)
