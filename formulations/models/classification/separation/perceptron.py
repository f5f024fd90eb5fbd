# SPDX-License-Identifier: BSD-3-Clause
"""The perceptron: rules that correct a separating hyperplane until it makes no mistake.

In generalised coordinates z_i = y_i (1, x_i) and a = (b, w), sample i is on the right side where a'z_i > 0. Both rules
descend along the perceptron criterion J_p(a) = sum over a'z_i <= 0 of -a'z_i, with step sizes eta(k)::

    batch            a <- a + eta(k) sum z_i  over all i with a'z_i <= 0,  until that step is at most a threshold
    single sample    a <- a + eta(k) z_i  where a'z_i <= 0, one sample after another, until none is left

The number k = 1, 2, ... counts the steps of the batch rule and the single corrections of the other rule. From a = 0 a
fixed rate only scales a, and changes no decision. If a starts elsewhere, or eta depends on k, the rates decide which
hyperplane is found. If some a* separates the classes, the rule of single samples from a = 0 at a fixed rate makes at
most

    max ||z_i||^2 ||a*||^2 / min (a*'z_i)^2

mistakes in whatever order the samples come (Novikoff, 1962). For another start or varying rates this bound is not
valid. Both rules only add samples, a = start + sum_i alpha_i z_i, so that with a kernel they need only the values
k(x_i, x_j) + 1. Where no hyperplane separates the classes, neither rule ends by itself. These rules solve no
optimisation problem: their answer is just some separating hyperplane.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from formulations.modelling.inputs.samples import KernelLike, SamplesLike
from formulations.models.classification.separation.perceptron_rule import (
    PerceptronRule,
    PerceptronSolution,
    Rate,
    check_range,
    criterion,
)
from qpkernels.arrays import (
    Indices,
    Vector,
    check_count,
    check_nonnegative,
    finite_matrix,
    finite_vector,
    frozen,
    is_integer,
    shown,
)
from qpkernels.display import TextbookProblem
from qpkernels.errors import ParameterError
from qpkernels.gram.functions import Expansion

__all__ = ["BatchPerceptron", "Perceptron", "PerceptronCorrection", "PerceptronSolution", "mistake_bound"]


class BatchPerceptron(PerceptronRule):
    """a <- a + eta(k) (sum of all z_i with a'z_i <= 0), until that step is at most ``threshold``.

    Parameters
    ----------
    X, y, kernel, start
        As in :class:`Perceptron`.
    rate
        eta: a number above 0, or a function of the step k = 1, 2, ... that returns one. It scales the step that is
        compared with ``threshold``.
    threshold
        At least 0: the length of the step, in generalised coordinates, at which the rule ends. With 0 it ends only
        where no sample is left to correct. With a larger threshold it may end before the classes are separated.

    Examples
    --------
    >>> from formulations import BatchPerceptron
    >>> X, y = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [-1, -1, -1, 1]
    >>> run = BatchPerceptron(X, y).solve(max_epochs=100)
    >>> print(run.epochs, run.predict(X))
    10 [-1 -1 -1  1]
    """

    textbook = TextbookProblem("repeat  a <- a + eta(k) sum z_i  over all i with a'z_i <= 0", ("z_i = y_i (1, x_i)",))

    def __init__(
        self,
        X: SamplesLike,
        y: ArrayLike,
        kernel: KernelLike | None = None,
        *,
        rate: Rate = 1.0,
        start: ArrayLike | None = None,
        threshold: float = 0.0,
    ) -> None:
        super().__init__(X, y, kernel, rate, start)
        self.threshold = check_nonnegative(threshold, "threshold")

    def solve(self, *, max_epochs: int = 1000) -> PerceptronSolution:
        """Run the rule until it ends by itself, for at most ``max_epochs`` steps.

        Parameters
        ----------
        max_epochs
            Steps, at least 1.
        """
        limit = check_count(max_epochs, "max_epochs")
        if not self.data.explicit:
            self.data.gram.dense  # noqa: B018  computed once, not anew in every product
        y, alpha, ended = self.y, np.zeros(len(self)), None
        first = decision = self.first_decision()
        errors: list[int] = []
        values: list[float] = []
        while ended is None and len(errors) < limit:
            wrong = y * decision <= 0
            errors.append(int(wrong.sum()))
            values.append(criterion(y * decision))
            rate = self.rate(len(errors)) if errors[-1] else 0.0
            step = rate * np.where(wrong, y, 0.0)
            with np.errstate(over="ignore", invalid="ignore"):
                length = np.sqrt(max(0.0, float(step @ self.decision(step))))
                alpha += rate * wrong
                # Anew from alpha: adding up the steps would add up their rounding.
                decision = first + self.decision(y * alpha)
            check_range(decision, len(errors))
            if not errors[-1] or length <= self.threshold:
                ended = f"the last step has length {length:.3g}"
        return self.conclude(alpha, errors, values, sum(map(bool, errors)), ended)


class Perceptron(PerceptronRule):
    """a <- a + eta(k) z_i for one sample after another with a'z_i <= 0, until a whole pass finds none.

    Parameters
    ----------
    X
        Samples as the kernel takes them, or a :class:`~qpkernels.gram.Gram`, to share a kernel matrix.
    y
        Two different labels, shape (m,); the greater one is +1.
    kernel
        None: explicit features, where a has d + 1 entries; for sparse samples, Linear(). With a kernel alpha is kept
        and K is used. K need not be positive semidefinite, but the bound on the mistakes holds only if it is.
    rate
        eta: a number above 0, or a function of the correction k = 1, 2, ... that returns one.
    start
        The first a; None: a = 0. In explicit features a = (b, w), shape (d + 1,), such as the ``weights`` of a
        solution. Where alpha is kept, ``start`` holds the coefficients of a = sum_i start_i z_i, shape (m,), such as
        the ``alpha`` of a solution that began at 0.
    seed
        None: the samples come in their given order. An integer: the order is drawn anew for each epoch.

    Examples
    --------
    >>> from formulations import Perceptron
    >>> X, y = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [-1, -1, -1, 1]
    >>> run = Perceptron(X, y).solve(max_epochs=100)
    >>> print(run.mistakes, run.predict(X))
    18 [-1 -1 -1  1]
    """

    textbook = TextbookProblem("repeat  a <- a + eta(k) z_i", ("a'z_i <= 0", "z_i = y_i (1, x_i)"))

    def __init__(
        self,
        X: SamplesLike,
        y: ArrayLike,
        kernel: KernelLike | None = None,
        *,
        rate: Rate = 1.0,
        start: ArrayLike | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(X, y, kernel, rate, start)
        if seed is not None and (not is_integer(seed) or seed < 0):
            raise ParameterError(
                f"seed must be an integer of at least 0, or None for no shuffling, but {shown(seed)} came."
            )
        self.seed = seed

    def solve(self, *, max_epochs: int = 1000) -> PerceptronSolution:
        """Run the rule until it ends by itself, for at most ``max_epochs`` passes over the samples.

        Parameters
        ----------
        max_epochs
            Passes over the samples, at least 1.
        """
        course = Course(len(self))
        for _ in self._run(course, check_count(max_epochs, "max_epochs"), len(self)):
            pass
        ended = None if course.errors[-1] else "a whole pass found no mistake"
        return self.conclude(course.alpha, course.errors, course.values, sum(course.errors), ended)

    def corrections(self, *, max_epochs: int = 1000) -> Iterator[PerceptronCorrection]:
        """Yield one correction after another, as :meth:`solve` makes them, and end where it ends.

        Parameters
        ----------
        max_epochs
            At least 1: the number of passes over the samples after which the rule ends all the same.
        """
        course, before = Course(len(self)), np.zeros(len(self))
        for made in self._run(course, check_count(max_epochs, "max_epochs"), 1):
            if not made:
                continue
            sample = int(np.argmax(course.alpha != before))
            before = course.alpha.copy()
            place = int(np.flatnonzero(course.order == sample)[0])
            yield PerceptronCorrection(sample, len(course.errors), place + 1, frozen(before))

    def _run(self, course: Course, limit: int, at_once: int) -> Iterator[int]:
        """Go on with a course for ``limit`` passes, and yield how many corrections were made at each stop.

        There is one after at most ``at_once`` corrections at a fixed rate, and one at the end of each pass.
        """
        from formulations.models.classification.separation.perceptron_passes import pass_by_kernel, pass_by_weights

        data, rng = self.data, None if self.seed is None else np.random.default_rng(self.seed)
        one_pass = pass_by_weights if data.explicit else pass_by_kernel
        matrix = data.coordinates if data.explicit else data.gram.dense
        decision = self.first_decision()
        state = self.start.copy() if data.explicit else decision
        while len(course.errors) < limit and (not course.errors or course.errors[-1]):
            course.values.append(criterion(self.y * decision))
            if rng is not None:
                course.order = rng.permutation(len(self))
            place, before = 0, sum(course.errors)
            course.errors.append(0)
            rates = self.rate.known(1, at_once) if self.rate.fixed else np.empty(0)
            while place < len(self):
                place, made = one_pass(matrix, self.y, course.order, place, rates, state, course.alpha)
                course.errors[-1] += made
                yield made
                if place < len(self):
                    rates = self.rate.known(before + course.errors[-1] + 1, at_once)
            check_range(state, len(course.errors))
            decision = matrix @ state[1:] + state[0] if data.explicit else state

    def mistake_bound(self, function: Expansion) -> float:
        """Return max (k(x_i, x_i) + 1) (||f||^2 + b^2) / min (y_i (f(x_i) + b))^2, see :func:`mistake_bound`.

        Parameters
        ----------
        function
            f + b in the space of the same kernel that separates the classes, for example that of a hard margin.

        Raises
        ------
        ParameterError
            If the function does not separate the classes or has another kernel, or if this rule does not start at a = 0
            or its rates vary, so that the bound is not valid.
        """
        if not isinstance(function, Expansion):
            raise ParameterError(
                f"the bound needs a function that separates, such as solution.function, but {shown(function)} came."
            )
        gram = self.data.gram
        if not self.rate.fixed or self.start.any():
            raise ParameterError(
                "the bound on the mistakes holds for a fixed rate from a = 0 only, but this perceptron has a start or "
                "a rate of its own for each k; ask one without."
            )
        gram.require_function(function)
        norm = function.squared_norm + function.intercept**2
        return _bound(gram.diagonal + 1.0, norm, self.y * gram.values(function))


@dataclass(frozen=True, eq=False)
class PerceptronCorrection:
    """A sample was on the wrong side, and a <- a + eta(k) z_i.

    Attributes
    ----------
    sample
        i.
    epoch
        The pass over the samples, from 1 on.
    looked
        Samples looked at in this pass, this one included.
    alpha
        After it, shape (m,): a = start + sum_i alpha_i z_i.
    """

    sample: int
    epoch: int
    looked: int
    alpha: Vector


class Course:
    """The passes over ``samples`` samples so far.

    Attributes
    ----------
    alpha
        How often each sample was added, each time weighted by the rate, shape (samples,).
    errors, values
        Corrections in each pass, and the criterion at its beginning.
    order
        The order of the samples in this pass.
    """

    def __init__(self, samples: int) -> None:
        self.alpha = np.zeros(samples)
        self.errors: list[int] = []
        self.values: list[float] = []
        self.order: Indices = np.arange(samples)


def mistake_bound(points: ArrayLike, separator: ArrayLike) -> float:
    """Return max ||z_i||^2 ||a||^2 / min (a'z_i)^2, which the mistakes from a = 0 at a fixed rate never exceed.

    Parameters
    ----------
    points
        z_i = y_i (1, x_i), shape (m, d + 1).
    separator
        Any a with a'z_i > 0 for all i, shape (d + 1,), such as (b, w) of a hard margin. The bound is smallest for the a
        whose margin is largest in generalised coordinates.

    Raises
    ------
    ParameterError
        If it does not separate the classes; the message names the sample.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations import HardMargin, Perceptron, mistake_bound
    >>> X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([-1, -1, 1, 1])
    >>> best = HardMargin(X, y).solve()
    >>> points = y[:, None] * np.column_stack([np.ones(4), X])
    >>> bound = mistake_bound(points, [best.intercept, *best.function.weights])
    >>> print(f"{Perceptron(X, y).solve().mistakes} mistakes, and never more than {bound:.0f}")
    8 mistakes, and never more than 85
    """
    z = finite_matrix(points, "points")
    a = finite_vector(separator, "separator", z.shape[1])
    return _bound(np.einsum("ij,ij->i", z, z), float(a @ a), z @ a)


def _bound(squared_lengths: Vector, squared_norm: float, margins: Vector) -> float:
    worst = int(np.argmin(margins))
    if not margins[worst] > 0:
        raise ParameterError(
            f"a mistake bound needs a function that separates the classes, but sample {worst} has the margin "
            f"{margins[worst]:.3g}; take one from HardMargin or Separability."
        )
    return float(squared_lengths.max()) * squared_norm / float(margins[worst]) ** 2
