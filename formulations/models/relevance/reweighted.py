# SPDX-License-Identifier: BSD-3-Clause
r"""The evidence of the relevance vector machine by a sequence of convex problems.

With g = 1/alpha, the noise variance held fixed and C = noise I + Phi diag(g) Phi', -2 ln evidence is ln |C| + t'C^-1 t
up to a constant. The first term is concave in g, so it lies below its tangent, whose slopes are z_i = phi_i'C^-1 phi_i;
the second is the least value over w of ||t - Phi w||^2 / noise + sum w_i^2 / g_i. With the g_i = |w_i| / sqrt(z_i) that
is best for the resulting bound, a convex problem remains::

    min  1/2 ||Phi w - t||^2 + sum_i c_i |w_i|    over w,    c_i = noise sqrt(z_i)

The bound of each step touches the evidence where the step starts and lies below it elsewhere, so an exact solution
never lowers the evidence. The problem is declared once, with c as a parameter, and compiled once, and every solution is
certified. Pruned weights can return, because their z_i stays finite.

Unless it is known, the noise is updated after each convex step by MacKay's rule, noise = ||t - Phi mean||^2 / (m - sum
gamma_i), halved in the logarithm until the evidence does not fall. Evidence, start and least noise are those of the
regression, so that the two can be compared. The sequence converges linearly. Source: Wipf and Nagarajan (2008), "A new
view of automatic relevance determination".
"""

from __future__ import annotations

from functools import cached_property
from time import perf_counter

import numpy as np
from scipy.linalg import LinAlgError

import formulations.modelling.cvx as cp
from formulations.modelling.inputs.hyperparameters import ModelEntry
from formulations.modelling.lowering import lower
from formulations.models.relevance.ascent import Ascent, EvidenceSearch, fallen, narrow_and_wide, verdict
from formulations.models.relevance.evidence import WeightPosterior, caratheodory_reductions
from formulations.models.relevance.regression import RegressionMachine
from qpkernels.arrays import Matrix, Vector
from qpkernels.display import TextbookProblem
from qpkernels.errors import SolverFailedError
from qpkernels.problems import Certificate
from qpkernels.solvers import find_solver
from qpkernels.solvers.repair import repair

__all__ = ["ReweightedRelevance"]

_ASKED = 1e-8
"""Accuracy asked of the solver in a convex step."""

_PROVED = 1e-6
"""Tolerance at which the certificate of a convex step must hold."""

_PRUNING_THRESHOLDS = (1e-4, 1e-6, 0.0)
"""Shares |w_i| sqrt(z_i) by which the data determine a weight, below which it is tried as 0; the largest first."""

_HALVINGS = 30

_PATIENCE = 5
"""Steps in a row that change the evidence by no more than rounding, after which no more are tried."""


class WeightedLasso:
    """min 1/2 ||Phi w - t||^2 + sum c_i |w_i| in CVXPY, with the costs c as a parameter.

    Targets and columns are scaled to a mean square of 1, so that the units of neither reach the solver.
    """

    def __init__(self, columns: Matrix, t: Vector) -> None:
        sizes = np.sqrt((columns**2).mean(axis=0))
        size = float(np.sqrt((t**2).mean())) or 1.0
        self._units = np.divide(size, sizes, out=np.full(sizes.size, size), where=sizes > 0)
        self._cost_unit = size**2
        self.weights = cp.Variable(sizes.size, name="w")
        self.costs = cp.Parameter(sizes.size, nonneg=True, name="c")
        misfit = (columns * (self._units / size)) @ self.weights - t / size
        self.problem = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(misfit) + self.costs @ cp.abs(self.weights)))

    def solve(self, costs: Vector) -> tuple[Vector, Certificate]:
        """Return the w of these costs, and the certificate of the problem in matrices."""
        self.costs.value = costs * self._units / self._cost_unit
        lowered = lower(self.problem, "WeightedLasso")
        outcome = find_solver("clarabel").solve(lowered.program, tol=_ASKED)
        if not (np.isfinite(outcome.point).all() and np.isfinite(outcome.multipliers).all()):
            raise SolverFailedError(
                f"clarabel returned no point for a convex step ({outcome.message}); scale the samples, or take fewer."
            )
        answer = repair(lowered.program, outcome.point, outcome.multipliers, _PROVED)
        lowered.write_back(answer.point, answer.multipliers, solved=answer.certificate.holds(_PROVED))
        return np.asarray(self.weights.value) * self._units, answer.certificate


class ReweightedRelevance(RegressionMachine):
    """The evidence of relevance regression by iteratively reweighted l1; parameters as in :class:`RegressionMachine`.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations import ReweightedRelevance
    >>> from qpkernels import RBF
    >>> X = np.linspace(-3.0, 3.0, 13)[:, None]
    >>> solution = ReweightedRelevance(X, np.sinc(X[:, 0]), RBF(gamma=2.0), noise=0.01).solve()
    >>> print(solution.relevance, solution.predict([[0.0]]).round(2))
    [ 1  3  6  9 11] [1.02]
    """

    entry = ModelEntry()
    textbook = TextbookProblem("min  1/2 ||Phi w - t||^2 + sum_i c_i |w_i|", ("c_i = noise sqrt(z_i)",))

    def search(self, *, tol: float, max_iter: int, until: float) -> EvidenceSearch:
        """Raise the evidence from a narrow and from a wide prior; convex steps are too costly for more starts."""
        alphas = narrow_and_wide(self.design, self.mean_square)
        return EvidenceSearch.of(
            [self.ascent(alpha, self.first_noise, tol, max_iter, until) for alpha in alphas], len(alphas)
        )

    def ascent(self, alpha: Vector, noise: float, tol: float, max_iter: int, until: float = np.inf) -> Ascent:
        """Solve the convex problems one after another from one start, until the evidence is stationary to ``tol``.

        A step whose certificate does not hold at 1e-6 is not taken. The sequence ends before it, unconverged, and says
        so; that certificate is the last.

        Parameters
        ----------
        alpha
            Precisions of the weights to start from, shape (M,), above 0; inf: pruned.
        noise
            Variance of the noise to start from, above 0.
        tol
            Above 0: the largest slope of the evidence that counts as 0; see
            :class:`~formulations.models.relevance.evidence.Stationarity`.
        max_iter
            The largest number of convex problems to solve, at least 1.
        until
            When to stop, by the clock of :func:`time.perf_counter`.

        Raises
        ------
        SolverFailedError
            If Clarabel returns no finite point.
        """
        here: WeightPosterior = self.likelihood.posterior(alpha, noise, None)
        values, certificates, idle, failure = [here.log_evidence], list[Certificate](), 0, ""
        while len(values) <= max_iter and idle < _PATIENCE and not here.stationarity.holds(tol):
            if perf_counter() >= until:
                break
            spread = np.sqrt(here.overlaps[1])
            weights, certificate = self.lasso.solve(spread / here.curvature[0])
            certificates.append(certificate)
            if not certificate.holds(_PROVED):
                failure = f"convex step {len(certificates)} is not certified: {certificate}"
                break
            there = self._with_noise(self._reweighted(here, np.abs(weights), spread))
            idle = 0 if there.log_evidence > here.log_evidence + here.rounding else idle + 1
            here = there
            values.append(here.log_evidence)
        for alpha in caratheodory_reductions(here):
            there = self._at(alpha, here.noise, here)
            if not fallen(there, here):
                here = there
        message = failure or verdict(here, tol, stopped=len(values) > max_iter or perf_counter() >= until)
        return Ascent(
            here, tuple(values), not failure and here.stationarity.holds(tol), message, certificates=tuple(certificates)
        )

    @cached_property
    def lasso(self) -> WeightedLasso:
        """The convex step, declared once."""
        return WeightedLasso(self.columns, self.y)

    def _reweighted(self, here: WeightPosterior, sizes: Vector, spread: Vector) -> WeightPosterior:
        """Return the posterior at 1/alpha_i = |w_i| / sqrt(z_i), small weights pruned, unless the evidence falls."""
        for threshold in _PRUNING_THRESHOLDS:
            kept = sizes * spread > threshold
            alpha = np.divide(spread, sizes, out=np.full(sizes.size, np.inf), where=kept)
            there = self._at(alpha, here.noise, here)
            if there is not here and not fallen(there, here):
                return there
        return here

    def _with_noise(self, here: WeightPosterior) -> WeightPosterior:
        if here.least_noise is None or here.noise is None:
            return here
        step = float(here.fixed_point[-1])
        for halvings in range(_HALVINGS):
            noise = max(here.noise * step ** (0.5**halvings), here.least_noise)
            there = self._at(here.alpha, noise, here)
            if not fallen(there, here):
                return there
        return here

    def _at(self, alpha: Vector, noise: float | None, here: WeightPosterior) -> WeightPosterior:
        """Return the posterior at these hyper-parameters; ``here`` where they are too far for float64."""
        try:
            return self.likelihood.posterior(alpha, noise, here)
        except LinAlgError:
            return here
