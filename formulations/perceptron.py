# SPDX-License-Identifier: BSD-3-Clause
r"""The perceptron (B1, B2): rules that correct a separating hyperplane until it makes no mistake.

In generalised coordinates z_i = y_i (1, x_i) and a = (b, w), sample i is on its right side where a'z_i > 0. From
a = 0::

    B1, batch            a <- a + rate * (sum of all z_i with a'z_i <= 0)   until that step is at most a threshold
    B2, single sample    a <- a + z_i  where a'z_i <= 0, one sample after another, until none is left

B2 has no rate, since from a = 0 it would only scale a. If some a* separates the classes, B2 makes at most

    max ||z_i||^2 ||a*||^2 / min (a*'z_i)^2

mistakes in whatever order the samples come (Novikoff, 1962). Either rule adds samples only, so that
a = sum_i alpha_i z_i, and with a kernel it needs the values k(x_i, x_j) + 1 alone. Where no hyperplane separates the
classes, neither ends by itself. These rules solve no optimisation problem: their answer is some separating hyperplane.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from formulations.two_classes import TwoClasses
from qpkernels.arrays import Indices, Matrix, Vector, check_positive, finite_matrix, finite_vector, frozen
from qpkernels.arrays.compiled import compiled
from qpkernels.errors import ParameterError
from qpkernels.gram import Expansion, Gram
from qpkernels.kernels import Kernel, Linear

__all__ = ["BatchPerceptron", "Perceptron", "PerceptronSolution", "mistake_bound"]


@dataclass(frozen=True, eq=False)
class PerceptronSolution:
    """What a perceptron ended with.

    Attributes
    ----------
    formulation
        Name of the rule.
    function
        x -> w'x + b, or f(x) + b with a kernel: call it, ``predict`` with it, ``save`` it.
    weights
        a = (b, w), shape (d + 1,), in explicit features; None with a kernel.
    alpha
        How often each sample was added (times the rate), shape (m,): a = sum_i alpha_i y_i (1, x_i).
    separated
        Whether the function has every sample on its right side, counted anew from the function itself.
    mistakes
        Corrections made: single samples in B2, steps in B1.
    epochs
        Passes over the samples, the last one included.
    errors
        Samples found on the wrong side in each epoch, shape (epochs,).
    message
        Why it ended.
    """

    formulation: str
    function: Expansion = field(repr=False)
    weights: Vector | None = field(repr=False)
    alpha: Vector = field(repr=False)
    separated: bool
    mistakes: int
    epochs: int
    errors: Indices = field(repr=False)
    message: str

    @property
    def intercept(self) -> float:
        """The b of the decision value f(x) + b."""
        return self.function.intercept

    def __str__(self) -> str:
        return f"{self.formulation}: {self.message}; mistakes: {self.mistakes}, epochs: {self.epochs}"


def mistake_bound(points: ArrayLike, separator: ArrayLike) -> float:
    """Return max ||z_i||^2 ||a||^2 / min (a'z_i)^2, which the mistakes of B2 never exceed.

    Parameters
    ----------
    points
        z_i = y_i (1, x_i), shape (m, d + 1).
    separator
        Any a with a'z_i > 0 for all i, shape (d + 1,); of a hard margin it is (b, w). The bound is smallest for the a
        whose margin is largest in generalised coordinates.

    Raises
    ------
    ParameterError
        If it does not separate; the message names the sample.
    """
    z = finite_matrix(points, "points")
    a = finite_vector(separator, "separator", z.shape[1])
    return _bound(np.einsum("ij,ij->i", z, z), float(a @ a), z @ a)


def _bound(squared_lengths: Vector, squared_norm: float, margins: Vector) -> float:
    worst = int(np.argmin(margins))
    if not margins[worst] > 0:
        raise ParameterError(
            f"a mistake bound needs a function that separates the classes, but sample {worst} has the margin "
            f"{margins[worst]:.3g}; take one from HardMarginPrimal or Separability."
        )
    return float(squared_lengths.max()) * squared_norm / float(margins[worst]) ** 2


class _Rule(ABC):
    """What both rules share: the data, and how an answer is read."""

    catalogue: ClassVar[str]
    """Id of the rule in the catalogue of models."""

    def __init__(self, X: ArrayLike | Gram, y: ArrayLike, kernel: Kernel | None = None) -> None:
        self.data = TwoClasses.of(X, y, kernel, psd=False)

    def __len__(self) -> int:
        """Return the number m of samples."""
        return len(self.data.gram)

    @abstractmethod
    def solve(self, *, max_epochs: int = 1000) -> PerceptronSolution:
        """Run the rule until it ends by itself, but for at most ``max_epochs`` (at least 1) passes over the samples."""

    def mistake_bound(self, function: Expansion) -> float:
        """Return max (k(x_i, x_i) + 1) (||f||^2 + b^2) / min (y_i (f(x_i) + b))^2, see :func:`mistake_bound`.

        Parameters
        ----------
        function
            f + b in the space of the same kernel, that separates the classes: of a hard margin, say.

        Raises
        ------
        ParameterError
            If it does not separate, or has another kernel.
        """
        gram = self.data.gram
        if function.kernel != gram.kernel:
            raise ParameterError(
                f"the bound needs a function in the space of this perceptron's {gram.kernel}, but one of "
                f"{function.kernel} came; fit it with the same kernel."
            )
        norm = function.squared_norm + function.intercept**2
        return _bound(gram.diagonal + 1.0, norm, self.data.y * function(gram.X))

    def _decision(self, beta: Vector) -> Vector:
        """Return sum_j beta_j (k(x_i, x_j) + 1)."""
        X = self.data.gram.X
        values = X @ (X.T @ beta) if self.data.explicit else self.data.gram.product(beta)
        return np.asarray(values + beta.sum())

    def _conclude(self, alpha: Vector, errors: list[int], mistakes: int, ended: str | None) -> PerceptronSolution:
        """Make a solution of the coefficients; ``ended`` says why the rule ended, unless ``max_epochs`` came first."""
        gram, beta = self.data.gram, self.data.y * alpha
        used = np.flatnonzero(beta)
        b, weights = float(beta.sum()), None
        if self.data.explicit:
            w = gram.X[used].T @ beta[used]
            function = Expansion(Linear(), w[None, :], np.ones(1), b, self.data.classes)
            weights = frozen(np.append(b, w))
        else:
            function = Expansion(gram.kernel, gram.X[used], beta[used], b, self.data.classes)
        wrong = int((self.data.y * function(gram.X) <= 0).sum())
        if ended is None:
            ended = f"stopped at max_epochs = {len(errors)}; allow more, or let Separability decide if there is an end"
        words = f"every sample is on its right side ({ended})" if not wrong else f"{wrong} samples are not ({ended})"
        return PerceptronSolution(
            formulation=type(self).__name__,
            function=function,
            weights=weights,
            alpha=frozen(alpha),
            separated=not wrong,
            mistakes=mistakes,
            epochs=len(errors),
            errors=frozen(np.array(errors, dtype=np.intp)),
            message=words,
        )


class BatchPerceptron(_Rule):
    """a <- a + rate * (sum of all z_i with a'z_i <= 0), until that step is at most ``threshold`` (B1).

    Parameters
    ----------
    X, y, kernel
        As in :class:`Perceptron`.
    rate
        Above 0. From a = 0 it scales a, and with it what ``threshold`` means; it changes nothing else.
    threshold
        At least 0: the length of the step, in generalised coordinates, at which to end. 0: only where none is left to
        correct. A larger one may end before the classes are separated.
    """

    catalogue = "B1"

    def __init__(
        self,
        X: ArrayLike | Gram,
        y: ArrayLike,
        kernel: Kernel | None = None,
        *,
        rate: float = 1.0,
        threshold: float = 0.0,
    ) -> None:
        super().__init__(X, y, kernel)
        self.rate = check_positive(rate, "rate")
        if not 0.0 <= threshold < np.inf:
            raise ParameterError(f"threshold must be a finite number of at least 0, but {threshold!r} came.")
        self.threshold = float(threshold)

    def solve(self, *, max_epochs: int = 1000) -> PerceptronSolution:
        """Run the rule until it ends by itself, but for at most ``max_epochs`` (at least 1) steps."""
        limit = _checked_limit(max_epochs)
        y, alpha = self.data.y, np.zeros(len(self))
        decision, ended = np.zeros(len(self)), None
        errors: list[int] = []
        if not self.data.explicit:
            self.data.gram.dense  # noqa: B018  computed once, not anew in every product
        while ended is None and len(errors) < limit:
            wrong = y * decision <= 0
            errors.append(int(wrong.sum()))
            step = self.rate * np.where(wrong, y, 0.0)
            length = np.sqrt(max(0.0, float(step @ self._decision(step))))
            alpha += self.rate * wrong
            # Anew from alpha: adding up the steps would add up their rounding.
            decision = self._decision(y * alpha)
            if not errors[-1] or length <= self.threshold:
                ended = f"the last step has length {length:.3g}"
        return self._conclude(alpha, errors, sum(map(bool, errors)), ended)


class Perceptron(_Rule):
    """a <- a + z_i for one sample after another with a'z_i <= 0, until a whole pass finds none (B2).

    Parameters
    ----------
    X
        Samples as the kernel takes them, or a :class:`~qpkernels.gram.Gram`, to share a kernel matrix.
    y
        Two different labels, shape (m,); the greater one is +1.
    kernel
        None: explicit features, where a has d + 1 entries; of sparse samples, Linear(). With a kernel alpha is kept
        and K is used; it need not be positive semidefinite, but the bound on the mistakes holds only if it is.
    seed
        None: the samples come in their order. An integer: in an order drawn anew for each epoch.
    """

    catalogue = "B2"

    def __init__(
        self, X: ArrayLike | Gram, y: ArrayLike, kernel: Kernel | None = None, *, seed: int | None = None
    ) -> None:
        super().__init__(X, y, kernel)
        if seed is not None and (not isinstance(seed, int | np.integer) or seed < 0):
            raise ParameterError(f"seed must be an integer of at least 0, or None for no shuffling, but {seed!r} came.")
        self.seed = seed

    def solve(self, *, max_epochs: int = 1000) -> PerceptronSolution:
        """Run the rule until it ends by itself, but for at most ``max_epochs`` passes over the samples."""
        limit, data = _checked_limit(max_epochs), self.data
        order, rng = np.arange(len(self)), None if self.seed is None else np.random.default_rng(self.seed)
        one_pass = _pass_by_weights if data.explicit else _pass_by_kernel
        matrix = data.gram.X if data.explicit else data.gram.dense
        state, alpha = np.zeros(matrix.shape[1] + data.explicit), np.zeros(len(self))
        errors: list[int] = []
        while len(errors) < limit and (not errors or errors[-1]):
            if rng is not None:
                order = rng.permutation(len(self))
            errors.append(one_pass(matrix, data.y, order, state, alpha))
        ended = None if errors[-1] else "a whole pass found no mistake"
        return self._conclude(alpha, errors, sum(errors), ended)


@compiled
def _pass_by_weights(X: Matrix, y: Vector, order: Indices, a: Vector, alpha: Vector) -> int:
    """Correct a = (b, w) and alpha by each sample on the wrong side; return how many there were."""
    mistakes = 0
    for i in order:
        value = a[0]
        for j in range(X.shape[1]):
            value += a[j + 1] * X[i, j]
        if y[i] * value <= 0.0:
            a[0] += y[i]
            for j in range(X.shape[1]):
                a[j + 1] += y[i] * X[i, j]
            alpha[i] += 1.0
            mistakes += 1
    return mistakes


@compiled
def _pass_by_kernel(K: Matrix, y: Vector, order: Indices, decision: Vector, alpha: Vector) -> int:
    """Correct the decision values at all samples, and alpha, in the same way."""
    mistakes = 0
    for i in order:
        if y[i] * decision[i] <= 0.0:
            for j in range(y.size):
                decision[j] += y[i] * (K[i, j] + 1.0)
            alpha[i] += 1.0
            mistakes += 1
    return mistakes


def _checked_limit(max_epochs: int) -> int:
    if isinstance(max_epochs, bool) or not isinstance(max_epochs, int | np.integer) or max_epochs < 1:
        raise ParameterError(f"max_epochs must be an integer of at least 1, but {max_epochs!r} came.")
    return int(max_epochs)
