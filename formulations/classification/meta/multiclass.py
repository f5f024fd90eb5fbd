# SPDX-License-Identifier: BSD-3-Clause
r"""Several classes from machines of two (C6): one against the rest, and one against one.

With K classes, one against the rest trains K machines, g_k with class k against all others, and decides for

    argmax_k g_k(x).

One against one trains K (K - 1) / 2 machines, g_jk on the samples of the classes j < k only, and decides for the class
with the most votes, where g_jk(x) > 0 is a vote for k; ties go to the class that its machines favour most in sum.
Either takes any model of two classes. Source: C6 of the catalogue; Knerr et al. (1990), Hsu and Lin (2002).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from formulations.classification.base import TwoClassModel
from formulations.classification.margins.soft_margin import SoftMargin
from formulations.inputs.samples import BoundSamples, SamplesLike, bind
from formulations.inputs.two_classes import checked_labels
from formulations.modelling import Classification
from qpkernels.arrays import Indices, Matrix, is_integer, is_scalar, read_array, shown
from qpkernels.certificates import Certificate, Status
from qpkernels.errors import LabelError, OneClassError, ParameterError, QPKernelsError
from qpkernels.gram.panels.threads import in_this_thread
from qpkernels.kernels import Kernel

__all__ = ["MulticlassSolution", "OneVersusOne", "OneVersusRest"]

_MOST_THREADS = 4096


@dataclass(frozen=True, eq=False)
class MulticlassSolution:
    """The answers of all machines, which decide together.

    Attributes
    ----------
    formulation
        Name of the scheme.
    classes
        The K labels in sorted order.
    pairs
        For each machine, the numbers of the classes that its negative and positive values speak for; -1: the rest.
    solutions
        The answer of each machine, with its certificate.
    """

    formulation: str
    classes: NDArray[Any]
    pairs: tuple[tuple[int, int], ...]
    solutions: tuple[Classification, ...] = field(repr=False)

    def __call__(self, X: ArrayLike) -> Matrix:
        """Return the decision values of all machines, shape (len(X), number of machines)."""
        return np.column_stack([solution.function(X) for solution in self.solutions])

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class decided for, one label for each sample."""
        values = self(X)
        if all(negative < 0 for negative, _ in self.pairs):
            return np.asarray(self.classes[np.argmax(values, axis=1)])
        votes, favour = np.zeros((len(values), len(self.classes))), np.zeros((len(values), len(self.classes)))
        for (negative, positive), value in zip(self.pairs, values.T, strict=True):
            votes[:, positive] += value > 0
            votes[:, negative] += value <= 0
            favour[:, positive] += value
            favour[:, negative] -= value
        # Squeezed into (-1/3, 1/3), what the machines say in sum orders ties without outweighing a vote.
        return np.asarray(self.classes[np.argmax(votes + favour / (3.0 * (np.abs(favour) + 1.0)), axis=1)])

    @property
    def status(self) -> Status:
        """``optimal`` if every machine is; otherwise the status of the first that is not."""
        return next((s.status for s in self.solutions if s.status is not Status.OPTIMAL), Status.OPTIMAL)

    @property
    def certificate(self) -> Certificate:
        """The certificate of the machine with the largest relative gap."""
        return max((solution.certificate for solution in self.solutions), key=lambda proof: proof.relative_gap)

    @property
    def seconds(self) -> float:
        """Time of all machines together."""
        return sum(solution.seconds.total for solution in self.solutions)

    def __str__(self) -> str:
        return (
            f"{self.formulation} of {len(self.classes)} classes by {len(self.solutions)} machines: {self.status}; "
            f"the weakest proof: {self.certificate}"
        )


class _Multiclass:
    """Data of several classes, and a model of two classes to separate them with.

    Parameters
    ----------
    X, kernel
        As in :class:`~formulations.classification.base.TwoClassModel`.
    y
        Labels, at least two different ones, shape (m,).
    machine
        A model of two classes; its hyper-parameters follow by name.
    """

    catalogue: ClassVar[str]

    def __init__(
        self,
        X: SamplesLike,
        y: ArrayLike,
        kernel: Kernel | None = None,
        *,
        machine: type[TwoClassModel] = SoftMargin,
        **hyperparameters: Any,
    ) -> None:
        if not (isinstance(machine, type) and issubclass(machine, TwoClassModel)):
            raise ParameterError(f"machine must be a model of two classes, such as SoftMargin, but {machine!r} came.")
        self.machine = machine
        self.data = bind(X, kernel)
        self.y = checked_labels(y, len(self.data.gram))
        self.classes = np.unique(self.y)
        self.hyperparameters = hyperparameters
        if self.classes.size < 2:
            raise OneClassError(f"y must hold several classes, but every label is {self.classes.tolist()[0]!r}.")
        self.check_classes()

    def check_classes(self) -> None:
        """Refuse classes that the scheme cannot separate."""

    @property
    def name(self) -> str:
        """Name of the scheme."""
        return type(self).__name__

    @abstractmethod
    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield, for each machine, the numbers of the classes of its negative and positive values; -1: the rest."""

    @abstractmethod
    def rows(self, pair: tuple[int, int]) -> Indices:
        """Return the numbers of the samples that the machine is trained on."""

    def model(self, pair: tuple[int, int]) -> TwoClassModel:
        """State the machine of that pair of classes."""
        rows = self.rows(pair)
        signs = np.where(self.y[rows] == self.classes[pair[1]], 1, -1)
        return self.machine(self._samples(rows), signs, **self._parameters(rows))

    def _samples(self, rows: Indices) -> BoundSamples:
        gram = self.data.gram
        return self.data if rows.size == len(gram) else BoundSamples(gram.part(rows), self.data.explicit)

    def _parameters(self, rows: Indices) -> dict[str, Any]:
        """Return the hyper-parameters, of those with one entry for each sample the entries of these."""
        return {
            name: value if is_scalar(value) else self._part(name, value, rows)
            for name, value in self.hyperparameters.items()
        }

    def _part(self, name: str, value: Any, rows: Indices) -> Any:
        array = read_array(value, name)
        return array[rows] if array.shape == (len(self.data.gram),) else value

    def solve(self, solver: str | None = None, *, n_jobs: int = -1, **options: Any) -> MulticlassSolution:
        """Solve all machines, side by side in threads.

        Parameters
        ----------
        solver, **options
            As in :meth:`formulations.modelling.model.Model.solve`.
        n_jobs
            Number of threads; -1: one for each core.

        Raises
        ------
        ParameterError
            If ``n_jobs`` is no such number.
        QPKernelsError
            The error of the first machine that has no answer, with a note that names its classes.
        """
        from joblib import Parallel, delayed

        if not is_integer(n_jobs) or n_jobs == 0 or abs(n_jobs) > _MOST_THREADS:
            raise ParameterError(f"n_jobs must be a number of threads, or -1 for all cores, but {shown(n_jobs)} came.")
        pairs = tuple(self.pairs())
        # If the machines share their samples, the first makes what all need of the kernel matrix.
        shared = self.rows(pairs[0]).size == len(self.data.gram)
        first = [self._solve(pair, solver, options) for pair in pairs[:shared]]
        solve = delayed(self._solve_here)
        others = Parallel(n_jobs=n_jobs, prefer="threads")(solve(pair, solver, options) for pair in pairs[shared:])
        return MulticlassSolution(self.name, self.classes, pairs, (*first, *others))

    def _solve_here(self, pair: tuple[int, int], solver: str | None, options: dict[str, Any]) -> Classification:
        with in_this_thread():
            return self._solve(pair, solver, options)

    def _solve(self, pair: tuple[int, int], solver: str | None, options: dict[str, Any]) -> Classification:
        try:
            return self.model(pair).solve(solver, **options)
        except QPKernelsError as error:
            error.add_note(f"in the machine of class {self._label(pair[1])} against {self._label(pair[0])}")
            raise

    def _label(self, number: int) -> str:
        return "the rest" if number < 0 else repr(self.classes.tolist()[number])


class OneVersusRest(_Multiclass):
    """argmax_k g_k(x), with one machine for each class against all others.

    Parameters
    ----------
    X, y, kernel, machine, **hyperparameters
        As in :class:`OneVersusOne`.
    """

    catalogue = "C6-rest"

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield (-1, k) for each class k."""
        return ((-1, k) for k in range(self.classes.size))

    def rows(self, pair: tuple[int, int]) -> Indices:
        """Return all samples."""
        del pair
        return np.arange(len(self.data.gram))


class OneVersusOne(_Multiclass):
    """Votes of the machines of all pairs of classes, each trained on the samples of its pair.

    Parameters
    ----------
    X, kernel
        As in :class:`~formulations.classification.base.TwoClassModel`.
    y
        Labels, at least two different ones with at least two samples each, shape (m,).
    machine
        A model of two classes; its hyper-parameters follow by name.
    """

    catalogue = "C6-one"

    def check_classes(self) -> None:
        """Refuse a class with a single sample: a machine would be trained to tell that sample from a class.

        Raises
        ------
        LabelError
            With the label.
        """
        labels, counts = np.unique(self.y, return_counts=True)
        if counts.min() == 1:
            lonely = labels.tolist()[int(np.argmin(counts))]
            raise LabelError(
                f"one-versus-one needs at least two samples of every class, but {lonely!r} has one; "
                "leave that sample out, or take OneVersusRest."
            )

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield (j, k) for all classes j < k."""
        return combinations(range(self.classes.size), 2)

    def rows(self, pair: tuple[int, int]) -> Indices:
        """Return the samples of both classes."""
        return np.flatnonzero((self.y == self.classes[pair[0]]) | (self.y == self.classes[pair[1]]))
