# SPDX-License-Identifier: BSD-3-Clause
r"""The exact path of a model along C, or along epsilon: all its answers between two values of it.

With a cost C in the bounds, or a tube of half width epsilon, the optimum of

    min  1/2 beta'K beta - y'beta + epsilon |beta|_1   s.t.  lower C <= beta <= upper C,  1'beta = 0

is piecewise linear in the one as in the other. Between two breakpoints the same samples F are free (on the margin, or
on an edge of the tube), the others stay at their bounds or at 0, and beta_F and b are linear: they solve

    K_FF beta_F + b 1 = y_F - epsilon sign(beta_F) - K_FB beta_B,    1'beta = 0.

At a breakpoint a coefficient comes to an end of its interval, or a sample to the margin. The same holds of any KernelQP
whose targets, bounds and epsilon are linear in a parameter, as those of the quantile are in tau. Sources: Hastie,
Rosset, Tibshirani and Zhu, The entire regularization path for the support vector machine (2004), for C; Gunter and Zhu,
Efficient computation and model selection for the support vector regression (2007), for the tube;
Takeuchi, Nomura and Kanamori, Nonparametric conditional density estimation using piecewise-linear solution path of
kernel quantile regression (2009), for tau.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from formulations.modelling import Model
from formulations.modelling.solution import Seconds
from formulations.selection.folds import checked_model
from formulations.selection.search.piecewise import ExactPath
from qpkernels.arrays import Matrix, Vector, check_tolerance, is_scalar, shown
from qpkernels.errors import ParameterError
from qpkernels.gram import BoundedProduct, Gram
from qpkernels.problems import Certificate, KernelQP, KernelQPBounds

if TYPE_CHECKING:
    from qpkernels.paths import ParametricQP

__all__ = ["exact_path"]

_AT_ONCE = 64
"""Breakpoints whose products with K are made together."""

_START = 1e-6
"""Tolerance of the answer from which a path starts; it is made exact there."""


def exact_path(model: Model[Any], *, tol: float = 1e-9, **parameter: tuple[ArrayLike, ArrayLike]) -> ExactPath:
    """Follow the answer of a model from one value of a hyper-parameter to another, and prove every breakpoint.

    The kernel matrix is kept in memory, and a breakpoint takes a time that grows as the number of samples times that of
    free ones: seconds for some thousand samples.

    Parameters
    ----------
    model
        A model that is a KernelQP with finite bounds, linear in that parameter: SoftMargin, SoftTube and Quantile along
        C, SoftTube along epsilon, Quantile along tau. Its other hyper-parameters stay as they are.
    tol
        Above 0 and below 1: what the certificate of each breakpoint must show.
    **parameter
        One name with both ends: ``C=(0.01, 100)``, ``epsilon=(1.0, 0.01)``. The path begins at the first; less is to be
        done from the smaller C, and the larger epsilon. Where samples have costs of their own, ends in proportion to
        each other: ``C=(0.01 * costs, 100 * costs)``; the largest of them then tells the place.

    Raises
    ------
    ParameterError, ShapeError
        If the model has no such hyper-parameter or is not linear in it, or an end is outside its range.
    SolverFailedError
        If the path cannot go on.
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
    from qpkernels.paths import trace

    checked_model(model, "exact_path")
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
    known = {each.name: each for each in model.hyperparameters}
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
    from qpkernels.paths import LINEAR, ParametricQP

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
