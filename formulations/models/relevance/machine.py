# SPDX-License-Identifier: BSD-3-Clause
"""The common part of relevance machines: samples bound to a kernel, and the design matrix [1, K]."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from formulations.modelling.cards import Explained, classes_of, kernel_of
from formulations.modelling.inputs.hyperparameters import ModelEntry
from formulations.modelling.inputs.samples import KernelLike, bind
from formulations.modelling.prediction import Labels, Predictor
from formulations.modelling.prediction.decisions import Sigmoids, Targets
from formulations.modelling.prediction.predictor import Answering, Posterior
from formulations.models.relevance.ascent import EvidenceSearch
from formulations.models.relevance.evidence import Design, Stationarity
from qpkernels.arrays import (
    ChecksKeywords,
    Indices,
    Matrix,
    Vector,
    check_count,
    check_positive,
    check_tolerance,
    frozen,
    shown,
)
from qpkernels.arrays.threads import without_blas_threads
from qpkernels.display import Card, Carded, Fact, count
from qpkernels.errors import ParameterError
from qpkernels.gram import Gram
from qpkernels.gram.functions import Expansion, Expansions
from qpkernels.problems import Certificate

__all__ = ["RelevanceMachine", "RelevanceSolution"]


@dataclass(frozen=True, eq=False, repr=False)
class RelevanceSolution(Answering, Carded):
    """The answer of a relevance machine: a Gaussian over functions, where the evidence is stationary.

    Attributes
    ----------
    formulation
        Name of the machine solved.
    function
        The mean x -> f(x) + b over the relevance vectors. Without relevance vectors it holds one sample with the
        coefficient 0, and its value is b.
    relevance
        Numbers of the relevance vectors among the samples, ascending.
    alpha, bias_alpha
        Precisions of the kernel weights, shape (m,), and of the bias. A pruned weight has the precision inf and is 0.
    noise
        Variance of the noise, 1 / beta; None for a classifier.
    log_evidence, log_evidences
        ln p(y | alpha, noise) at the end, and at the start and after each iteration. It never falls by more than
        rounding. For a classifier it is Laplace's approximation.
    iterations
        Number of iterations done, one less than the entries of ``log_evidences``.
    converged, message
        Whether ``stationarity`` holds at the requested tolerance, and why the iterations ended.
    starts, stationary_points
        The number of starts from which the evidence was raised, and the number of stationary points of different
        evidence that were reached. This answer is the highest of them.
    stationarity
        Slopes of the evidence at the end, which prove that this is a stationary point. The evidence is not concave, so
        nothing proves that no other point is higher.
    certificates
        For a sequence of convex problems, the certificate of each, in order; otherwise empty.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations import RelevanceRegression
    >>> from qpkernels import RBF
    >>> x = np.linspace(-3, 3, 12)[:, None]
    >>> solution = RelevanceRegression(x, np.sin(x.ravel()), RBF(0.5)).solve()
    >>> print(solution.converged, len(solution.relevance) < len(x), solution.predict([[0.0]]).round(2) + 0.0)
    True True [0.]
    """

    formulation: str
    function: Expansion
    relevance: Indices
    alpha: Vector
    bias_alpha: float
    noise: float | None
    log_evidence: float
    log_evidences: tuple[float, ...]
    converged: bool
    message: str
    starts: int
    stationary_points: int
    stationarity: Stationarity
    certificates: tuple[Certificate, ...]
    _root: Matrix

    @property
    def iterations(self) -> int:
        """Number of iterations done."""
        return len(self.log_evidences) - 1

    @property
    def n_relevance(self) -> int:
        """Number of relevance vectors."""
        return self.relevance.size

    @property
    def sparsity(self) -> float:
        """Share of the samples that are not relevance vectors, between 0 and 1."""
        return 1.0 - self.n_relevance / self.alpha.size

    @cached_property
    def predictor(self) -> Predictor:
        """The machine without its training samples: what :meth:`save` writes."""
        posterior = Posterior(self._root, bool(np.isfinite(self.bias_alpha)), self.noise)
        classes = self.function.classes
        decision = Targets() if classes is None else Labels(classes, Sigmoids.of_log_odds())
        return Predictor(Expansions.of([self.function]), decision, posterior)

    def mean(self, X: ArrayLike) -> Vector:
        """Return the posterior mean of f(x_i) + b, shape (len(X),)."""
        return self.function(X)

    def variance(self, X: ArrayLike) -> Vector:
        """Return the predictive variance 1/beta + phi'Sigma phi of a new target at each x_i, shape (len(X),).

        For a classifier, which has no noise, return the variance phi'Sigma phi of the decision value.
        """
        return self.predictor.variance(X)

    def probability(self, X: ArrayLike, *, moderated: bool = True) -> Vector:
        r"""Return the probability of the class ``function.classes[1]`` at each x_i, shape (len(X),).

        Parameters
        ----------
        moderated
            True: average over the posterior of the decision value a, by MacKay's
            :math:`\sigma(\bar a / \sqrt{1 + \pi \operatorname{Var} a / 8})`, as ``predict_proba`` does. False:
            :math:`\sigma(\bar a)` alone. Both lie on the same side of 1/2.

        Raises
        ------
        ParameterError
            If the answer is one to a regression.
        """
        predictor = self.predictor
        return (predictor if moderated else replace(predictor, posterior=None)).predict_proba(X)[:, 1]

    def card(self) -> Card:
        """Return the evidence, the relevance vectors, and the slopes of the evidence at the end."""
        facts = [
            Fact("status", f"{self._state()}: {self.message}"),
            Fact("ln evidence", f"{self.log_evidence:.10g} after {count(self.iterations, 'iteration')}"),
            Fact("coefficients", f"{count(self.n_relevance, 'relevance vector')} of {self.alpha.size} samples"),
            Fact("intercept", f"b = {self.function.intercept:.8g}"),
        ]
        if self.noise is not None:
            facts.append(Fact("noise variance", f"{self.noise:.6g}"))
        facts.append(Fact("proof", str(self.stationarity)))
        if self.certificates:
            facts.append(Fact("convex steps", f"{len(self.certificates)}, each with its certificate"))
        return Card(self.formulation, facts=tuple(facts))

    def _state(self) -> str:
        return "converged" if self.converged else "NOT converged"

    def __repr__(self) -> str:
        return (
            f"<{self.formulation}: {self._state()}, ln evidence {self.log_evidence:.10g}, "
            f"{count(self.n_relevance, 'relevance vector')} of {self.alpha.size} samples>"
        )


def expand(formulation: str, gram: Gram, found: EvidenceSearch, classes: NDArray[Any] | None) -> RelevanceSolution:
    """Make an answer of the weights of [1, K] where the best ascent ended."""
    ascent, posterior = found.best, found.best.posterior
    weights, alpha = posterior.mean, posterior.alpha
    relevance = np.flatnonzero(np.isfinite(alpha[1:]))
    # An expansion has at least one center.
    centers = relevance if relevance.size else np.zeros(1, dtype=np.intp)
    return RelevanceSolution(
        formulation=formulation,
        function=gram.expansion(weights[1:][centers], float(weights[0]), classes, centers),
        relevance=frozen(relevance),
        alpha=frozen(alpha[1:]),
        bias_alpha=float(alpha[0]),
        noise=posterior.noise,
        log_evidence=posterior.log_evidence,
        log_evidences=ascent.log_evidences,
        converged=ascent.converged,
        message=f"{ascent.message}, {found}" if ascent.converged else ascent.message,
        starts=found.starts,
        stationary_points=found.stationary_points,
        stationarity=posterior.stationarity,
        certificates=ascent.certificates,
        _root=frozen(posterior.root),
    )


@dataclass(frozen=True, eq=False, repr=False, init=False)
class RelevanceMachine(Explained, metaclass=ChecksKeywords):
    r"""Weights w ~ N(0, diag(alpha)^-1) of the columns Phi = [1, K], with alpha where the evidence is largest.

    A column is a function k(x_j, .), or the constant, and k may be any function: it need not be positive semidefinite.
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
        The two classes of a classifier's labels; None for a regression.
    """

    entry: ClassVar[ModelEntry]
    """What the class states about itself."""

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
        yield Fact("data", self.gram.extent + classes_of(self.classes, labels))
        yield Fact("kernel", kernel_of(self.gram))
        if "noise" in vars(self):
            known = vars(self)["noise"]
            yield Fact("with", "noise learned" if known is None else f"noise = {known:g}")

    @property
    def columns(self) -> Matrix:
        """Phi, read-only."""
        return self.design.columns

    @abstractmethod
    def search(self, *, tol: float, max_iter: int, until: float) -> EvidenceSearch:
        """Raise the evidence from several starts.

        Parameters
        ----------
        tol, max_iter
            As in :meth:`RelevanceMachine.solve`.
        until
            When to stop, by the clock of :func:`time.perf_counter`.
        """

    def solve(self, *, max_iter: int = 1000, tol: float = 1e-6, time_limit: float | None = None) -> RelevanceSolution:
        """Raise the evidence until it is stationary to ``tol``, or a limit of iterations or time is reached.

        The evidence is not concave, so the answer is the highest of the stationary points found from several starts.

        Parameters
        ----------
        max_iter
            At least 1, for each start. If a machine stops here, ``converged`` is false, and its answer is the best so
            far.
        tol
            Above 0 and below 1: the largest size of every measure of
            :class:`~formulations.models.relevance.evidence.Stationarity`.
        time_limit
            Seconds, above 0, after which no further step is begun from any start; None: no limit.
        """
        tol, max_iter = check_tolerance(tol), check_count(max_iter, "max_iter")
        until = np.inf if time_limit is None else perf_counter() + check_positive(time_limit, "time_limit")
        # The matrices are small and many: waking threads for each would cost far more than the products.
        with without_blas_threads():
            found = self.search(tol=tol, max_iter=max_iter, until=until)
        return expand(self.name, self.gram, found, self.classes)
