# SPDX-License-Identifier: BSD-3-Clause
"""Raise the evidence step by step: the update of MacKay and Tipping, safeguarded.

The update multiplies every alpha_i, and the noise, by a factor on that side of 1 where the evidence rises, so it is an
ascent direction in the logarithms; but it may step too far, and by itself is **not** monotone. Here a step is taken
only if the evidence does not fall, and is halved in the logarithms until it does not. The same test guards pruning.

By itself the update also converges slowly where a weight is barely relevant or barely not, and never lets a pruned
weight return. So three more moves follow once the slopes are small, under the same test:

* a weight whose own best alpha is infinite (q_i^2 <= s_i) is pruned, and the pruned weight whose evidence rises most
  comes back, at alpha_i = s_i^2 / (q_i^2 - s_i - q_i p_i) (Tipping and Faul, 2003);
* a Newton step in ln alpha and ln noise, with the moduli of the eigenvalues, so that it is an ascent direction too;
* at a stationary point, columns that others can replace are pruned, by the theorem of Caratheodory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Protocol, TypeAlias

import numpy as np
from scipy.linalg import LinAlgError, eigh

from formulations.models.relevance.evidence import Design, WeightPosterior, caratheodory_reductions
from qpkernels.arrays import Vector
from qpkernels.problems import Certificate

__all__ = [
    "Ascent",
    "EvidenceSearch",
    "ascend",
    "fallen",
    "initial_noise",
    "least_noise",
    "narrow_and_wide",
    "search",
    "starting_points",
    "verdict",
]

_SMALL_SLOPE = 0.1
"""Slope of the log evidence in ln alpha below which the further moves are tried."""

_PRUNING_THRESHOLD = 1e-9
"""Signal of a column against the noise, phi_i'W phi_i / alpha_i, below which the update prunes it."""

_HALVINGS = 30

_PATIENCE = 20
"""Steps in a row that change the evidence by no more than rounding, after which no more are tried."""

_FARTHEST = 1e20
"""The largest factor of the update; a mean of 0, or targets without noise, would ask for an infinite one."""

_LONGEST = 3.0
"""The longest Newton step in a logarithm."""

Point: TypeAlias = tuple[Vector, float | None]
"""Alpha of all weights, and the noise."""


class Likelihood(Protocol):
    """The likelihood of the weights."""

    def posterior(self, alpha: Vector, noise: float | None, near: WeightPosterior | None) -> WeightPosterior:
        """Return the posterior at these hyper-parameters; ``near`` is one close by, to start from."""


@dataclass(frozen=True, eq=False)
class Ascent:
    """Where the ascent ended.

    Attributes
    ----------
    posterior
        At the last hyper-parameters.
    log_evidences
        The log evidence at the start and after each step.
    converged, message
        Whether the last hyper-parameters are stationary to the tolerance asked for, and why the ascent ended.
    certificates
        Of the convex problems solved on the way, in order.
    """

    posterior: WeightPosterior
    log_evidences: tuple[float, ...]
    converged: bool
    message: str
    certificates: tuple[Certificate, ...] = ()


def ascend(
    likelihood: Likelihood,
    start: WeightPosterior,
    *,
    tol: float,
    max_iter: int,
    until: float = np.inf,
    slow: float = 0.0,
    patience: int = _PATIENCE,
) -> Ascent:
    """Raise the evidence from ``start`` until it is stationary to ``tol``.

    It ends as well at the time ``until``, by the clock of :func:`time.perf_counter`, and after ``patience`` steps
    in a row of which none gains more than ``slow``, or more than rounding.
    """
    here, values, idle = start, [start.log_evidence], 0
    while len(values) <= max_iter and idle < patience and perf_counter() < until:
        there = _first_not_lower(likelihood, here, tol)
        if there is None:
            break
        idle = 0 if there.log_evidence > here.log_evidence + max(slow, here.rounding) else idle + 1
        here = there
        values.append(here.log_evidence)
    message = verdict(here, tol, stopped=len(values) > max_iter or perf_counter() >= until)
    return Ascent(here, tuple(values), here.stationarity.holds(tol), message)


def verdict(here: WeightPosterior, tol: float, *, stopped: bool) -> str:
    """Say why an ascent ended at ``here``, and what to do about it."""
    if here.stationarity.holds(tol):
        return f"stationary to {tol:g}"
    if stopped:
        return f"not stationary to {tol:g} when max_iter or time_limit came; raise it"
    return f"no step raises the evidence beyond rounding, short of stationarity to {tol:g}; raise tol"


def fallen(there: WeightPosterior, here: WeightPosterior) -> bool:
    """Return whether the evidence is lower ``there`` by more than rounding."""
    return not there.log_evidence >= here.log_evidence - here.rounding


def _first_not_lower(likelihood: Likelihood, here: WeightPosterior, tol: float) -> WeightPosterior | None:
    """Return the first posterior of the steps from ``here`` whose evidence does not fall."""
    for alpha, noise in _steps(here, tol):
        try:
            there = likelihood.posterior(alpha, noise, here)
        except LinAlgError:
            # Too far for float64: as good as lower.
            continue
        if not fallen(there, here):
            return there
    return None


def _steps(here: WeightPosterior, tol: float) -> Iterator[Point]:
    """Yield the hyper-parameters to try, best first; none after a stationary point that nothing makes sparser."""
    if here.steepest[0] < _SMALL_SLOPE:
        yield from ((alpha, here.noise) for alpha in _without_irrelevant(here))
        yield from ((alpha, here.noise) for alpha in _with_the_best_returned(here, tol))
        if here.stationarity.holds(tol):
            yield from ((alpha, here.noise) for alpha in caratheodory_reductions(here))
            return
        yield from _along(here, _newton_step(here))
    step = np.log(np.clip(here.fixed_point, 1.0 / _FARTHEST, _FARTHEST))
    alpha, noise = _moved(here, step)
    yield np.where(here.signal / alpha < _PRUNING_THRESHOLD, np.inf, alpha), noise
    yield from _along(here, step)


def _along(here: WeightPosterior, step: Vector) -> Iterator[Point]:
    for halvings in range(_HALVINGS):
        yield _moved(here, 0.5**halvings * step)


def _moved(here: WeightPosterior, step: Vector) -> Point:
    """Add ``step`` to the logarithms of the alphas kept and of a learned noise, which stays above its lower bound."""
    alpha = here.alpha.copy()
    alpha[here.kept] *= np.exp(step[: here.u.size])
    if here.least_noise is None or here.noise is None:
        return alpha, here.noise
    return alpha, max(here.noise * float(np.exp(step[-1])), here.least_noise)


def _newton_step(here: WeightPosterior) -> Vector:
    values, vectors = eigh(here.hessian, check_finite=False)
    sizes = np.maximum(np.abs(values), 1e-12 * max(1.0, float(np.abs(values).max(initial=0.0))))
    step = np.asarray(vectors @ ((vectors.T @ here.gradient) / sizes))
    return step * min(1.0, _LONGEST / max(float(np.abs(step).max(initial=0.0)), _LONGEST))


def _without_irrelevant(here: WeightPosterior) -> Iterator[Vector]:
    """Prune the kept weights whose own best alpha is infinite: all of them, else the half that gains most, and so on.

    q_i^2 <= s_i reads u_i^2 <= gamma_i (1 - gamma_i) in terms of the posterior that includes the weight.
    """
    free = here.uncertainty
    irrelevant = np.flatnonzero(here.u**2 <= here.determined * free)
    gains = -(here.u**2 / free + np.log(free))[irrelevant]
    leaving = irrelevant[np.argsort(-gains, kind="stable")]
    while leaving.size:
        alpha = here.alpha.copy()
        alpha[here.kept[leaving]] = np.inf
        yield alpha
        leaving = leaving[: leaving.size // 2]


def _with_the_best_returned(here: WeightPosterior, tol: float) -> Iterator[Vector]:
    slopes, sparsity = here.returning
    excess = np.divide(slopes, sparsity, out=np.zeros_like(slopes), where=sparsity > 0)
    best = int(excess.argmax())
    if excess[best] > tol:
        # Exact for Gaussian noise; else the slope is, so that a large enough alpha raises the evidence.
        for power in range(_HALVINGS):
            alpha = here.alpha.copy()
            alpha[best] = 2.0**power * sparsity[best] ** 2 / slopes[best]
            yield alpha


_LEAST_NOISE = 1e-10
"""Smallest learned variance of the noise, against the mean square of the targets."""

_INITIAL_NOISE = 0.1
"""Share of the mean square of the targets that is taken for noise at the start."""

_WIDE = 100.0
"""Prior variance of the values of one column at the wide start, against that of the targets."""

_TENTH = 0.1
"""Share of the columns that a start from few columns has."""


def least_noise(t: Vector) -> float:
    """Return the smallest variance that a learned noise may take: 1e-10 of the mean square of the targets."""
    return _LEAST_NOISE * (float(t @ t) / t.size or 1.0)


def initial_noise(t: Vector) -> float:
    """Return the variance of the noise that the search starts from."""
    return max(_INITIAL_NOISE * float(t @ t) / t.size, least_noise(t))


def narrow_and_wide(design: Design, variance: float) -> tuple[Vector, Vector]:
    """Return the alphas of two priors; inf where there is nothing.

    In the narrow one all columns together have the prior variance ``variance``; in the wide one each has 100 times it.
    From the narrow start alone the search misses functions whose weights cancel each other; from the wide one alone it
    ends lower on data without such functions.
    """
    unit = _unit_alphas(design, variance)
    return unit * unit.size, unit / _WIDE


def starting_points(
    design: Design, variance: float, noise: float | None, *, widths: Sequence[float], sparse: int = 0
) -> list[Point]:
    """Return what the search starts from: priors of several widths, and few columns.

    Parameters
    ----------
    variance
        Prior variance of the values, about that of the targets.
    noise
        Variance of the noise; None where there is none.
    widths
        Prior variances of the values of one column, against ``variance``, beside the narrow and the wide prior.
    sparse
        Number of starts from few columns: none at the first, and a random tenth at the others; always the same ones, so
        that an answer can be repeated.
    """
    unit = _unit_alphas(design, variance)
    narrow, wide = narrow_and_wide(design, variance)
    alphas = [narrow, wide, *(unit / width for width in widths)]
    rng = np.random.default_rng(0)
    if sparse:
        alphas.append(np.full(unit.size, np.inf))
    for _ in range(sparse - 1):
        left_out = rng.random(unit.size) >= _TENTH
        left_out[0] = False
        alphas.append(np.where(left_out, np.inf, unit))
    return [(alpha, noise) for alpha in alphas]


def _unit_alphas(design: Design, variance: float) -> Vector:
    """Return the alphas at which the values of each column alone have the prior variance ``variance``."""
    squares = design.squares.mean(axis=0)
    alphas = np.full(squares.size, np.inf)
    return np.asarray(np.divide(squares, variance, out=alphas, where=squares * variance > 0))


_SLOW = 0.02
"""Gain in log evidence below which a step is slow."""

_SLOW_STEPS = 5
"""Slow steps in a row after which a start is left."""

_CLOSE = 0.5
"""Log evidence by which a start may have stayed below the best one, and still be followed to the end."""

_SAME = 1e-6
"""Difference of two log evidences, against the larger of them and 1, that tells no two stationary points apart."""


@dataclass(frozen=True, eq=False)
class EvidenceSearch:
    """The ascent with the highest end, of how many starts, and how many stationary points of different evidence."""

    best: Ascent
    starts: int
    stationary_points: int

    @classmethod
    def of(cls, ascents: Iterable[Ascent], starts: int) -> EvidenceSearch:
        """Choose among ascents; of equal ends, one that is stationary."""
        falling = sorted(ascents, key=lambda ascent: -ascent.posterior.log_evidence)
        best = max((ascent for ascent in falling if _same(ascent, falling[0])), key=lambda ascent: ascent.converged)
        different = list[Ascent]()
        for ascent in falling:
            if ascent.converged and not (different and _same(ascent, different[-1])):
                different.append(ascent)
        return cls(best, starts, len(different))

    def __str__(self) -> str:
        ends = "the only one" if self.stationary_points == 1 else f"the highest of {self.stationary_points}"
        return f"a local maximum, {ends} found from {self.starts} starts"


def search(
    likelihood: Likelihood, starts: Sequence[Point], *, tol: float, max_iter: int, until: float
) -> EvidenceSearch:
    """Raise the evidence from each of the starts, and from where the best of them led until it is stationary.

    The evidence has many local maxima, and no start leads to the highest of them on all data. Most steps of an ascent
    gain almost nothing, so every start is followed only as far as the evidence rises fast; those that came close to the
    best are then followed to the end.

    After the time ``until`` no other start is begun.
    """
    beginnings = list[Ascent]()
    for alpha, noise in starts:
        if beginnings and perf_counter() >= until:
            break
        start = likelihood.posterior(alpha, noise, None)
        beginnings.append(
            ascend(likelihood, start, tol=tol, max_iter=max_iter, until=until, slow=_SLOW, patience=_SLOW_STEPS)
        )
    least = max(ascent.posterior.log_evidence for ascent in beginnings) - _CLOSE
    close = [ascent for ascent in beginnings if ascent.posterior.log_evidence >= least]
    return EvidenceSearch.of(
        (_continued(likelihood, ascent, tol, max_iter, until) for ascent in close), len(beginnings)
    )


def _continued(likelihood: Likelihood, beginning: Ascent, tol: float, max_iter: int, until: float) -> Ascent:
    before = beginning.log_evidences[:-1]
    end = ascend(likelihood, beginning.posterior, tol=tol, max_iter=max_iter - len(before), until=until)
    return replace(end, log_evidences=before + end.log_evidences)


def _same(one: Ascent, other: Ascent) -> bool:
    higher, lower = one.posterior.log_evidence, other.posterior.log_evidence
    return abs(higher - lower) <= _SAME * max(1.0, abs(higher))
