# SPDX-License-Identifier: BSD-3-Clause
"""What relevance machines share: samples bound to a kernel, and the design matrix [1, K]."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from formulations.inputs.samples import KernelLike, bind
from formulations.modelling.cards import Explained, classes_of, kernel_of, samples_of
from formulations.relevance.posterior import Design
from formulations.relevance.search import Search
from formulations.relevance.solution import RelevanceSolution, expand
from qpkernels.arrays import ChecksKeywords, Matrix, check_count, check_positive, check_tolerance, shown
from qpkernels.arrays.threads import without_blas_threads
from qpkernels.display import Fact
from qpkernels.errors import ParameterError
from qpkernels.gram import Gram

__all__ = ["RelevanceMachine"]


@dataclass(frozen=True, eq=False, repr=False, init=False)
class RelevanceMachine(Explained, metaclass=ChecksKeywords):
    r"""Weights w ~ N(0, diag(alpha)^-1) of the columns Phi = [1, K], with alpha where the evidence is largest.

    A column is a function k(x_j, .), or the constant, and nothing is asked of k: it need not be positive semidefinite.
    Most alphas become infinite and their weights 0; the samples of the others are the relevance vectors. The bias has
    an alpha like every weight. Where no kernel weight is left, the function is the bias, and predicts like any other.

    Parameters
    ----------
    X
        The samples, as the kernel takes them, or a Gram, which has its kernel already.
    kernel
        The kernel; left out only if X is a Gram.

    Attributes
    ----------
    gram
        The kernel matrix of the samples.
    design
        Phi, shape (m, m + 1).
    classes
        The two classes of a classifier's labels; None of a regression.
    """

    catalogue: ClassVar[str]
    """Id of the problem in the catalogue of models."""

    gram: Gram
    design: Design
    classes: NDArray[Any] | None

    def __init__(self, X: ArrayLike | Gram, kernel: KernelLike | None) -> None:
        if not isinstance(X, Gram) and not callable(kernel):
            raise ParameterError(
                f"a {self.name} needs a Kernel object, such as RBF(gamma=0.1), but {shown(kernel)} came; "
                "weights of the features themselves are those of Linear()."
            )
        gram = bind(X, kernel).gram
        object.__setattr__(self, "gram", gram)
        object.__setattr__(self, "design", Design.of_kernel(gram))
        object.__setattr__(self, "classes", None)

    def __len__(self) -> int:
        """Return the number m of samples."""
        return len(self.gram)

    def facts(self) -> Iterator[Fact]:
        """Yield samples, kernel, and what is known of the noise."""
        labels = vars(self).get("y") if self.classes is not None else None
        yield Fact("data", samples_of(self.gram) + classes_of(self.classes, labels))
        yield Fact("kernel", kernel_of(self.gram.kernel))
        if "noise" in vars(self):
            known = vars(self)["noise"]
            yield Fact("with", "noise learned" if known is None else f"noise = {known:g}")

    @property
    def columns(self) -> Matrix:
        """Phi, read-only."""
        return self.design.columns

    @abstractmethod
    def search(self, *, tol: float, max_iter: int, until: float) -> Search:
        """Raise the evidence from several starts.

        Parameters
        ----------
        tol, max_iter
            As in :meth:`RelevanceMachine.solve`.
        until
            When to stop, by the clock of :func:`time.perf_counter`.
        """

    def solve(self, *, max_iter: int = 1000, tol: float = 1e-6, time_limit: float | None = None) -> RelevanceSolution:
        """Raise the evidence until it is stationary to ``tol``, or a limit of iterations or time comes.

        The evidence is not concave: the answer is the highest of the stationary points found from several starts.

        Parameters
        ----------
        max_iter
            At least 1, for each start. A machine that stops here says so: ``converged`` is false, its answer the best
            so far.
        tol
            Above 0 and below 1: what every measure of
            :class:`~formulations.relevance.posterior.Stationarity` must be within.
        time_limit
            Seconds, above 0, after which no further step is begun, from any start; None: no limit.
        """
        tol, max_iter = check_tolerance(tol), check_count(max_iter, "max_iter")
        until = np.inf if time_limit is None else perf_counter() + check_positive(time_limit, "time_limit")
        # The matrices are small and many: waking threads for each would cost far more than the products.
        with without_blas_threads():
            found = self.search(tol=tol, max_iter=max_iter, until=until)
        return expand(self.name, self.gram, found, self.classes)
