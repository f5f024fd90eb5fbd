# SPDX-License-Identifier: BSD-3-Clause
"""The exact path of a model along C, or along epsilon: all its answers between two values.

With a cost C in the bounds, or a tube of half width epsilon, the optimum of

    min  1/2 beta'K beta - y'beta + epsilon |beta|_1   s.t.  lower C <= beta <= upper C,  1'beta = 0

is piecewise linear in C and in epsilon. Between two breakpoints the same samples F are free (on the margin, or on an
edge of the tube), and the others stay at their bounds or at 0. beta_F and b are linear, since they solve

    K_FF beta_F + b 1 = y_F - epsilon sign(beta_F) - K_FB beta_B,    1'beta = 0.

At a breakpoint a coefficient reaches an end of its interval, or a sample reaches the margin. The same is true for any
KernelQP whose targets, bounds and epsilon are linear in a parameter, as those of quantile regression are in tau.
Sources: Hastie, Rosset, Tibshirani and Zhu, The entire regularization path for the support vector machine (2004), for
C; Gunter and Zhu, Efficient computation and model selection for the support vector regression (2007), for the tube;
Takeuchi, Nomura and Kanamori, Nonparametric conditional density estimation using piecewise-linear solution path of
kernel quantile regression (2009), for tau.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from formulations.modelling import Candidate, Model, Solution
from formulations.modelling.candidate import expand
from formulations.modelling.routes import judged
from formulations.modelling.solution import Run, Seconds
from formulations.modelling.solving import hold, status_of
from formulations.selection.fits import Rowed
from formulations.selection.folds import checked_machine
from formulations.selection.grid import cell
from qpkernels.arrays import Indices, Matrix, Vector, check_tolerance, frozen, is_scalar, real_number, shown
from qpkernels.display import Column, TableReport, TextTable
from qpkernels.errors import ParameterError
from qpkernels.gram import Gram
from qpkernels.gram.gram import BoundedProduct
from qpkernels.problems import Certificate, KernelQP, KernelQPBounds, Status
from qpkernels.solvers import Claim

if TYPE_CHECKING:
    from qpkernels.families.paths import ParametricQP, Pieces

__all__ = ["ExactPath", "exact_path"]

_SHOWN = 12
"""Breakpoints that the table of a long path shows."""


@dataclass(frozen=True, eq=False, repr=False)
class ExactPath(Rowed):
    """All answers of a model between two values of a hyper-parameter. Prints as a table of some breakpoints.

    ``len(path)`` is the number of breakpoints, including both ends, and ``path.at(value)`` is the certified solution
    anywhere between them.

    Attributes
    ----------
    model
        The model, with the values of its hyper-parameters at the first end.
    parameter
        Name of the hyper-parameter. Where samples have values of their own, the largest of them marks the place.
    certificates
        The certificate at each breakpoint.
    tol
        The requested tolerance.
    seconds
        Time by phase: the first answer, the path and the certificates, under ``gram``, ``solve`` and ``certify``.
    pieces
        The pieces of the path, on each of which beta and b are linear in the hyper-parameter.

    Notes
    -----
    Arguments of the methods:

    value, p
        A value of the hyper-parameter between the ends, both included; the largest, if samples have their own.
    piece
        The number of the piece that ``p`` lies on, from 0.

    Examples
    --------
    >>> from formulations import SoftMargin, exact_path
    >>> found = exact_path(SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, -1, 1, 1]), C=(0.1, 10.0))
    >>> print(len(found), found.status, f"{found.at(2.5).objective:.3f}")
    6 optimal 2.000
    """

    model: Model[Any]
    parameter: str
    pieces: Pieces
    certificates: tuple[Certificate, ...]
    tol: float
    seconds: Seconds

    def __len__(self) -> int:
        """Return the number of breakpoints."""
        return len(self.pieces) + 1

    @cached_property
    def breakpoints(self) -> Vector:
        """The values of the hyper-parameter where another set of samples becomes free, from end to end, shape (n,)."""
        return frozen(np.append(self.pieces.ends[:, 0], self.pieces.ends[-1, 2]))

    @cached_property
    def intercepts(self) -> Vector:
        """B at each breakpoint, shape (n,). Where it is not unique, it is the one from which the path continues."""
        return frozen(np.append(self.pieces.ends[:, 1], self.pieces.ends[-1, 3]))

    @property
    def n_free(self) -> Indices:
        """Number of free samples (the elbow) between a breakpoint and the next, shape (n - 1,)."""
        return self.pieces.counts

    @property
    def status(self) -> Status:
        """``optimal`` if every breakpoint is proved at :attr:`tol`."""
        return Status.OPTIMAL if all(each.holds(self.tol) for each in self.certificates) else Status.UNCERTIFIED

    def coefficients(self, value: float) -> tuple[Vector, float]:
        """Return beta, shape (m,), and b at a value between the ends, by interpolation, which is exact.

        Raises
        ------
        ParameterError
            If the path does not reach that value.
        """
        return self.pieces.at(self._within(value))

    def at(self, value: float) -> Solution:
        """Return the certified solution at a value between the ends.

        Raises
        ------
        ParameterError
            If the path does not reach that value.
        """
        begin = perf_counter()
        p = self._within(value)
        (model, answer, bounds), certificate = self.judged_at(p, self.pieces.find(p))
        status = status_of(certificate, Claim.OPTIMAL, self.tol)
        hold(model, answer, certificate, status)
        run = Run(
            formulation=model.name,
            objective=certificate.primal_value,
            scale=model.scale,
            status=status,
            tol=self.tol,
            seconds=Seconds(certify=perf_counter() - begin),
            solver="exact-path",
            claim=Claim.OPTIMAL,
            message=f"on piece {self.pieces.find(p) + 1} of {len(self.pieces)}",
            iterations=None,
        )
        found: Solution = model.solution(answer, certificate, bounds, run)
        return found

    def judged_at(self, p: float, piece: int) -> tuple[tuple[Model[Any], Candidate, KernelQPBounds], Certificate]:
        """Return the model, answer and bounds at a value on that piece, and the certificate of the answer."""
        model = self.model.copy().set_params(**{self.parameter: self._value_at(p)})
        bounds = model.bounds()
        assert isinstance(bounds, KernelQPBounds)
        beta, b = self.pieces.at(p, piece)
        answer = expand(model.gram, beta, b, model.classes, bounds=bounds)
        answer, certificate = judged(model, answer, bounds, self.tol)
        return (model, answer, bounds), certificate

    def _within(self, value: float) -> float:
        p, ends = real_number(value, self.parameter), (self.pieces.path.first, self.pieces.path.last)
        if not min(ends) <= p <= max(ends):
            raise ParameterError(
                f"this path goes from {self.parameter}={cell(ends[0])} to {cell(ends[1])}, but {shown(value)} is "
                "asked for."
            )
        return p

    def _value_at(self, p: float) -> Vector | float:
        value = self.model.value_of(self.parameter)
        return p if value.ndim == 0 else value * (p / float(value.max()))

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the table, one breakpoint a row; ``n_free`` belongs to the piece that begins there."""
        free = [*self.n_free.tolist(), None]
        for p, b, count, proof in zip(self.breakpoints, self.intercepts, free, self.certificates, strict=True):
            yield {
                self.parameter: float(p),
                "status": str(Status.OPTIMAL if proof.holds(self.tol) else Status.UNCERTIFIED),
                "primal_value": proof.primal_value,
                "dual_value": proof.dual_value,
                "relative_gap": proof.relative_gap,
                "intercept": float(b),
                "n_free": count,
            }

    def report(self) -> TableReport:
        """Return breakpoints from end to end, the weakest proof, and the time of each phase."""
        rows = list(self.rows())
        chosen = sorted({round(k * (len(rows) - 1) / (_SHOWN - 1)) for k in range(_SHOWN)})
        columns = (
            Column(self.parameter, key=self.parameter, form=".6g"),
            Column("status", key="status"),
            Column("primal value", key="primal_value", form=".10g"),
            Column("rel. gap", key="relative_gap", form=".0e"),
            Column("free", key="n_free"),
            Column("intercept", key="intercept", form=".7g"),
        )
        proved = sum(row["status"] == Status.OPTIMAL for row in rows)
        which = "every breakpoint is" if proved == len(rows) else f"{proved} of {len(rows)} breakpoints are"
        worst = max(each.error for each in self.certificates)
        title = f"{len(rows)} breakpoints; {which} proved at {self.tol:g}, the worst to {worst:.0e}"
        notes = (f"{len(rows) - len(chosen)} more breakpoints",) if len(rows) > len(chosen) else ()
        return TableReport((TextTable.of(columns, (rows[k] for k in chosen)),), title, notes=notes)


_AT_ONCE = 64
"""Breakpoints whose products with K are made together."""

_START = 1e-6
"""Tolerance of the answer from which a path starts; it is made exact there."""


def exact_path(model: Model[Any], *, tol: float = 1e-9, **parameter: tuple[ArrayLike, ArrayLike]) -> ExactPath:
    """Follow the answer of a model from one value of a hyper-parameter to another, and prove every breakpoint.

    The kernel matrix is kept in memory. The time of a breakpoint grows as the number of samples times the number of
    free samples, and the path takes seconds for some thousand samples.

    Parameters
    ----------
    model
        A model that is a KernelQP with finite bounds, linear in that parameter: SoftMargin, SoftTube and Quantile along
        C, SoftTube along epsilon, Quantile along tau. Its other hyper-parameters are not changed.
    tol
        Above 0 and below 1: the tolerance at which the certificate of each breakpoint must hold.
    **parameter
        One name with both ends: ``C=(0.01, 100)``, ``epsilon=(1.0, 0.01)``. The path begins at the first end; there is
        less to do from the smaller C, and from the larger epsilon. Where samples have costs of their own, the ends are
        proportional to each other: ``C=(0.01 * costs, 100 * costs)``. The largest cost then marks the place.

    Raises
    ------
    ParameterError, ShapeError
        If the model has no such hyper-parameter or is not linear in it, or an end is outside its range.
    SolverFailedError
        If the path cannot be continued.
    GramTooLargeError
        If the kernel matrix would exceed its limit of memory.

    Examples
    --------
    >>> from formulations import SoftMargin, exact_path
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1]
    >>> path = exact_path(SoftMargin(X, y), C=(0.01, 10.0))
    >>> print(path.status, path.breakpoints.round(3))
    optimal [ 0.01   0.333 10.   ]
    >>> print(f"{path.at(2.0).objective:.3f}")
    5.556
    """
    from qpkernels.families.paths import trace

    checked_machine(model, "exact_path")
    check_tolerance(tol)
    name, first, last = _ends(model, parameter)
    begin = perf_counter()
    one = _with(model, name, first)
    line = _line(one, _with(model, name, last), name)
    beta = one.solve(tol=_START).beta
    solved = perf_counter()
    pieces = trace(line, beta)
    traced = perf_counter()
    found = ExactPath(one, name, pieces, (), tol, Seconds())
    certificates = tuple(_proofs(found))
    seconds = Seconds(gram=solved - begin, solve=traced - solved, certify=perf_counter() - traced)
    return replace(found, certificates=certificates, seconds=seconds)


def _with(model: Model[Any], name: str, value: Any) -> Model[Any]:
    found: Model[Any] = model.copy().set_params(**{name: value})
    return found


def _ends(model: Model[Any], parameter: dict[str, Any]) -> tuple[str, Any, Any]:
    """Return the name of the hyper-parameter and its values at both ends."""
    if len(parameter) != 1:
        raise ParameterError(
            f"an exact path takes one hyper-parameter with both ends, such as C=(0.01, 100), but {len(parameter)} came."
        )
    ((name, ends),) = parameter.items()
    known = {each.name: each for each in model.entry.parameters}
    if name not in known:
        has = f"its hyper-parameters are {', '.join(known)}" if known else "it has none"
        raise ParameterError(f"a {model.name} has no hyper-parameter {name!r}; {has}.")
    if not isinstance(ends, tuple | list) or len(ends) != 2:
        raise ParameterError(f"{name} must be two ends, such as (0.01, 100), but {shown(ends)} came.")
    one, other = (known[name].checked(value, len(model)) for value in ends)
    if not is_scalar(ends[0]) or not is_scalar(ends[1]):
        _require_proportion(name, one, other)
    return name, ends[0], ends[1]


def _require_proportion(name: str, one: Vector, other: Vector) -> None:
    share, same = one / one.max(), other / other.max()
    if not np.allclose(share, same, rtol=1e-12, atol=0.0):
        raise ParameterError(
            f"the {name} of single samples must be in the same proportion at both ends, such as (0.01 * costs, 100 * "
            "costs)."
        )


def _line(one: Model[Any], other: Model[Any], name: str) -> ParametricQP:
    """Return the KernelQPs between two models, in the hyper-parameter of that name."""
    from qpkernels.families.paths.parametric import LINEAR, ParametricQP

    start, end = one.qp(), other.qp()
    first, last = (float(np.max(each.value_of(name))) for each in (one, other))
    if start is None or end is None:
        raise ParameterError(
            f"a {one.name} is no KernelQP, along which its answer would be piecewise linear; use path."
        )
    line = ParametricQP(start, end, first, last)
    middle = 0.5 * (first + last)
    stated = _with(one, name, middle if one.value_of(name).ndim == 0 else one.value_of(name) * (middle / first)).qp()
    expected = line.at(middle)
    if stated is None or not all(_agree(stated, expected, each) for each in (*LINEAR, "ridge")):
        raise ParameterError(f"the KernelQP of a {one.name} is not linear in {name}; use path, with a list of values.")
    return line


def _agree(one: KernelQP, other: KernelQP, name: str) -> bool:
    return np.allclose(getattr(one, name), getattr(other, name), rtol=1e-12, atol=0.0)


def _proofs(path: ExactPath) -> Iterator[Certificate]:
    """Yield the certificate of each breakpoint."""
    batch: list[tuple[float, Vector, float]] = []
    for number, each in enumerate(path.pieces.breakpoints()):
        batch.append(each)
        if len(batch) == _AT_ONCE or number + 1 == len(path):
            yield from _proofs_of(path, number + 1 - len(batch), batch)
            batch = []


def _proofs_of(path: ExactPath, first: int, batch: list[tuple[float, Vector, float]]) -> Iterator[Certificate]:
    products = _products(path.model.gram, np.array([beta for _, beta, _ in batch]))
    for number, ((p, beta, b), product) in enumerate(zip(batch, products, strict=True), first):
        certificate = KernelQPBounds(path.pieces.path.at(p)).certify(beta, b, product=product)
        if not certificate.holds(path.tol):
            # Where beta or b jumps, the end of the piece before is an answer as well.
            others = (path.judged_at(p, piece)[1] for piece in (number, number - 1) if 0 <= piece < len(path.pieces))
            certificate = min((certificate, *others), key=lambda each: each.error)
        yield certificate


def _products(gram: Gram, betas: Matrix) -> list[BoundedProduct | None]:
    """Return K beta for the rows of ``betas``, all at once where K is multiplied entry by entry; else None for each."""
    if not betas.size or gram.correction is not None or gram.features is not None:
        return [None] * len(betas)
    exact = np.zeros(len(gram))
    return [BoundedProduct(beta, values, exact) for beta, values in zip(betas, betas @ gram.dense, strict=True)]
