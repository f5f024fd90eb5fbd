# SPDX-License-Identifier: BSD-3-Clause
"""The common part of both perceptrons: data, start and step sizes eta(k), the criterion J_p, and the answer.

With z_i = y_i (1, x_i), the perceptron criterion is the sum of the violations on the wrong side::

    J_p(a) = sum over a'z_i <= 0 of -a'z_i

It is never negative, and 0 if every sample is on its right side, but also at a = 0, so that it does not prove
separation.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from formulations.modelling.cards import Explained, classes_of, kernel_of
from formulations.modelling.inputs.samples import KernelLike, SamplesLike, bind, two_classes
from formulations.modelling.prediction import Labels, Predictor
from formulations.modelling.prediction.predictor import Answering
from qpkernels.arrays import ChecksKeywords, Indices, Vector, check_positive, finite_vector, frozen
from qpkernels.display import Card, Carded, Fact, count
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.gram.functions import Expansion, Expansions
from qpkernels.kernels import Linear

__all__ = ["PerceptronRule", "PerceptronSolution", "Rate", "check_range", "criterion"]


Rate: TypeAlias = float | Callable[[int], float]
"""One step size, or k -> eta(k) for k = 1, 2, ..."""


class PerceptronRule(Explained, metaclass=ChecksKeywords):
    """The common part of both rules: the data, the start, the rates, and how an answer is read.

    Notes
    -----
    Arguments of the methods:

    beta
        Coefficients of the samples, shape (m,), signed.
    alpha
        How often each sample was added, each time weighted by the rate, shape (m,), without the start.
    errors
        How many samples each epoch found on the wrong side.
    values
        J_p of the a that each epoch began with.
    mistakes
        How many corrections were made.
    ended
        Why the rule ended by itself; None: ``max_epochs`` came first.
    """

    def __init__(
        self, X: SamplesLike, y: ArrayLike, kernel: KernelLike | None, rate: Rate, start: ArrayLike | None
    ) -> None:
        self.data = bind(X, kernel)
        self.y, self.classes = two_classes(y, len(self.data.gram))
        self.rate = StepSizes(rate)
        size = self.data.coordinates.shape[1] + 1 if self.data.explicit else len(self)
        self.start = np.zeros(size) if start is None else frozen(finite_vector(start, "start").copy())
        if self.start.size != size:
            what = "a = (b, w)" if self.data.explicit else "one coefficient for each sample"
            raise ShapeError(f"start must be {what} with {size} entries, but it has {self.start.size}.")

    def __len__(self) -> int:
        """Return the number m of samples."""
        return len(self.data.gram)

    def facts(self) -> Iterator[Fact]:
        """Yield samples, kernel, and the step sizes."""
        yield Fact("data", self.data.gram.extent + classes_of(self.classes, self.y))
        yield Fact("kernel", kernel_of(self.data.gram, self.data.explicit))
        threshold = vars(self).get("threshold")
        yield Fact("with", f"rate = {self.rate}" + ("" if threshold is None else f", threshold = {threshold:g}"))

    @abstractmethod
    def solve(self, *, max_epochs: int = 1000) -> PerceptronSolution:
        """Run the rule until it ends by itself, but for at most ``max_epochs`` (at least 1) passes over the samples."""

    def decision(self, beta: Vector) -> Vector:
        """Return sum_j beta_j (k(x_i, x_j) + 1)."""
        if self.data.explicit:
            X = self.data.coordinates
            return np.asarray(X @ (X.T @ beta) + beta.sum())
        return np.asarray(self.data.gram.product(beta) + beta.sum())

    def first_decision(self) -> Vector:
        """Return the decision values of the start."""
        if self.data.explicit:
            return np.asarray(self.data.coordinates @ self.start[1:] + self.start[0])
        return self.decision(self.y * self.start)

    def function_of(self, alpha: Vector) -> tuple[Expansion, Vector | None]:
        """Return the function of a = start + sum_i alpha_i z_i, and a itself in explicit features."""
        gram, beta = self.data.gram, self.y * alpha
        if self.data.explicit:
            used = np.flatnonzero(beta)
            a = frozen(self.start + np.append(beta.sum(), self.data.coordinates[used].T @ beta[used]))
            return Expansion(Linear(), a[None, 1:], np.ones(1), float(a[0]), self.classes, gram.feature_names), a
        beta = beta + self.y * self.start
        used = np.flatnonzero(beta)
        b = float(beta.sum())
        return gram.expansion(beta[used], b, self.classes, used), None

    def conclude(
        self, alpha: Vector, errors: list[int], values: list[float], mistakes: int, ended: str | None
    ) -> PerceptronSolution:
        """Make a solution of the coefficients; ``ended`` says why the rule ended, unless ``max_epochs`` came first."""
        function, weights = self.function_of(alpha)
        margins = self.y * self.data.gram.values(function)
        wrong = int((margins <= 0).sum())
        if ended is None:
            ended = f"stopped at max_epochs = {len(errors)}; allow more, or let Separability decide if there is an end"
        return PerceptronSolution(
            formulation=type(self).__name__,
            function=function,
            weights=weights,
            alpha=frozen(alpha),
            separated=not wrong,
            mistakes=mistakes,
            epochs=len(errors),
            errors=frozen(np.array(errors, dtype=np.intp)),
            criterion=frozen(np.array([*values, criterion(margins)])),
            message=f"{wrong} samples are not ({ended})" if wrong else f"every sample is on its right side ({ended})",
        )


@dataclass(frozen=True, eq=False, repr=False)
class PerceptronSolution(Answering, Carded):
    """The answer of a perceptron.

    Attributes
    ----------
    formulation
        Name of the rule.
    function
        x -> w'x + b, or f(x) + b with a kernel.
    weights
        a = (b, w), shape (d + 1,), in explicit features; None with a kernel.
    alpha
        How often each sample was added, each time weighted by the rate, shape (m,): a = start + sum_i alpha_i z_i.
    separated
        Whether the function has every sample on its right side, counted anew from the function itself.
    mistakes
        Corrections made: single samples, or steps of the batch rule.
    epochs
        Passes over the samples, the last one included.
    errors
        Samples found on the wrong side in each epoch, shape (epochs,).
    criterion
        J_p of the a that each epoch began with, and last of the answer, shape (epochs + 1,).
    message
        Why it ended.
    """

    formulation: str
    function: Expansion
    weights: Vector | None
    alpha: Vector
    separated: bool
    mistakes: int
    epochs: int
    errors: Indices
    criterion: Vector
    message: str

    @cached_property
    def predictor(self) -> Predictor:
        """The machine without its training samples: what :meth:`save` writes."""
        assert self.function.classes is not None
        return Predictor(Expansions.of([self.function]), Labels(self.function.classes))

    @property
    def intercept(self) -> float:
        """The b of the decision value f(x) + b."""
        return self.function.intercept

    def card(self) -> Card:
        """Return whether the classes are separated, and the work."""
        facts = (
            Fact("separated", "yes" if self.separated else "no"),
            Fact("ended", self.message),
            Fact("mistakes", f"{self.mistakes} in {count(self.epochs, 'epoch')}"),
            Fact("intercept", f"b = {self.intercept:.8g}"),
        )
        return Card(self.formulation, facts=facts)

    def __repr__(self) -> str:
        ended = "separated" if self.separated else "not separated"
        return f"<{self.formulation}: {ended}, {count(self.mistakes, 'mistake')}, {count(self.epochs, 'epoch')}>"

    def __str__(self) -> str:
        return f"{self.formulation}: {self.message}; mistakes: {self.mistakes}, epochs: {self.epochs}"


def criterion(margins: Vector) -> float:
    """Return J_p, the sum of -a'z_i over the samples with a'z_i <= 0, of the margins a'z_i."""
    return float(np.maximum(-margins, 0.0).sum())


class StepSizes:
    """eta(k), checked where it is used: positive and finite. It is a number, or a function of k = 1, 2, ..."""

    def __init__(self, rate: Rate) -> None:
        self._function = rate if callable(rate) else None
        self._number = 1.0 if callable(rate) else check_positive(rate, "rate")

    def __str__(self) -> str:
        return f"{self._number:g}" if self._function is None else "a function of k"

    @property
    def fixed(self) -> bool:
        """Whether eta(k) is the same for all k."""
        return self._function is None

    def __call__(self, k: int) -> float:
        """Return eta(k)."""
        return self._number if self._function is None else check_positive(self._function(k), f"rate({k})")

    def known(self, k: int, count: int) -> Vector:
        """Return eta(k), ..., eta(k + count - 1) of a fixed rate; of a function eta(k) alone, which is needed next."""
        return np.full(count, self._number) if self.fixed else np.array([self(k)])


def check_range(values: Vector, epoch: int) -> None:
    """Refuse values that overflowed, which would count as neither right nor wrong."""
    if not np.isfinite(values).all():
        raise ParameterError(
            f"the rates and samples must keep a within the range of float64, but epoch {epoch} left it; "
            "take smaller rates, or scale the samples."
        )
