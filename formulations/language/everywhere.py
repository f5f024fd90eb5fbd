# SPDX-License-Identifier: BSD-3-Clause
r"""Constraints at every point of a box, which lie between a relaxation and a reserve, both finite programs.

A constraint g(x) >= 0 for all x of a box, with g(x) = sum_j a_j D^{s_j} f_j(x) + o'z + c + w'x, is imposed at the
corners v of cells that cover the box. This is a relaxation, whose dual value is below the optimum. With the reserve

    g(v) >= sum_j |a_j| e_j(cell) ||f_j||,   e_j = min( sum_k h_k^2/8 N(s_j + 2k),  sum_k h_k/2 N(s_j + k) )

for each cell with sides h it holds everywhere, where N(s) is the largest norm of D^s k(x, .) in the box: on a cell the
multilinear interpolation of D^s f is within sum_k h_k^2/8 max |D^(s + 2k) f| of it, and takes its least value at a
corner; D^s f changes by at most h_k/2 max |D^(s + k) f| along each axis from the nearest corner; and
|D^s f(x)| <= N(s) ||f||. Terms that are affine in x are interpolated exactly. In place of ||f_j|| the reserve uses a
number R_j, and the constraint ||f_j|| <= R_j is added, so that the program stays of its kind.

The reserve costs about the sum of multipliers times reserves, which shows which cells to halve.

Source: P.-C. Aubin-Frankowski and Z. Szabo, NeurIPS 33 (2020), "Hard shape-constrained kernel machines", whose reserve
is of the first order in h.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.language.function import Function, Values
from formulations.modelling.lowering import lower
from qpkernels.arrays import Indices, Matrix, Vector, is_integer, shown
from qpkernels.arrays.checks import float_array
from qpkernels.errors import InfeasibleError, ParameterError, SolverFailedError
from qpkernels.kernels.functionals import largest_norm
from qpkernels.problems import Certificate, Status
from qpkernels.problems.certificate import certify_values

__all__ = ["Bracket", "Everywhere", "bracketed"]

_START = 32
"""Cells of a box at first, about."""

_ROUNDS, _HALVINGS = 40, 6
"""Programs with a reserve that are solved at most, and how often a cell is halved between two of them."""

_SHARES = (1 / 64, 1 / 4)
"""Share of a reserve that is left when its cell is halved, at least and at most."""

_USABLE = 0.1
"""The relative gap up to which the first relaxation tells where to look."""

_ROOM = 1.02
"""How much larger than the norms that were found the norms of the reserve are."""

_AFFINE = 1e-9
"""Share of their size by which numbers differ from affine ones, or from each other, by rounding."""


class Everywhere:
    """A constraint at every point of a box.

    Parameters
    ----------
    at
        A callable that returns the constraint at points of shape (n, d): an inequality between n numbers that are
        affine in functionals of functions at these points, such as ``lambda x: f.derivative(x, axis=0) >= 0``, with the
        same coefficients everywhere; constants and coefficients of other variables may be affine in the points.
    box
        The ends of each of the d axes, shape (d, 2).
    label
        The name of the constraint.
    most_points
        The largest number of points at which it is imposed.

    Attributes
    ----------
    points, dual_value
        The points of the last solve, shape (n, d), and the multipliers there, shape (n,), which show where it binds.

    Raises
    ------
    ParameterError
        If it is not such a constraint, or the kernels of the functions do not say how large their derivatives can be.
        RBF, Matern, Linear and Polynomial do, and sums, products, powers and multiples of these, for one more
        derivative than the constraint has.

    Examples
    --------
    >>> import cvxpy as cp
    >>> import numpy as np
    >>> from formulations import Everywhere, Function, Machine
    >>> from qpkernels import RBF
    >>> x, t = np.linspace(0.0, 1.0, 9)[:, None], np.array([0, 2, 1, 3, 4, 3, 5, 6, 5.0])
    >>> f, b = Function(RBF(2.0)), cp.Variable()
    >>> rises = Everywhere(lambda x: f.derivative(x, axis=0) >= 0, box=[(0.0, 1.0)])
    >>> machine = Machine(cp.Minimize(f.squared_norm + cp.sum_squares(f(x) + b - t)), [rises])
    >>> solution = machine.solve(tol=1e-3)
    >>> fine = np.linspace(0.0, 1.0, 1001)[:, None]
    >>> print(solution.status, f.derivative(fine, axis=0).value.min() >= 0)
    optimal True
    """

    def __init__(
        self, at: Callable[[Matrix], Any], box: ArrayLike, label: str = "everywhere", *, most_points: int = 2000
    ) -> None:
        if not callable(at):
            raise ParameterError(
                "a constraint everywhere is a function of points that returns the constraint there, such as "
                f"lambda x: f(x) >= 0, but {shown(at)} came."
            )
        ends = float_array(box, "box")
        if ends.ndim != 2 or ends.shape[1] != 2 or not (np.isfinite(ends).all() and (ends[:, 0] < ends[:, 1]).all()):
            raise ParameterError(
                "a box is a list with a pair (low, high) of finite numbers, low < high, for each axis, but "
                f"{shown(box)} came; write box=[(0, 1)] for one axis."
            )
        if not is_integer(most_points) or most_points < 2 ** len(ends):
            raise ParameterError(
                f"most_points must be at least {2 ** len(ends)}, the corners of the box, but {shown(most_points)} came."
            )
        self.at, self.box, self.label, self.most_points = at, ends, str(label), int(most_points)
        self.points: Matrix | None = None
        self.dual_value: Vector | None = None

    def rows(self, points: Matrix, reserves: Vector | float = 0.0) -> Any:
        """Return the CVXPY constraint at some points.

        Parameters
        ----------
        points
            Shape (n, d).
        reserves
            The reserves with which it must hold, shape (n,).
        """
        constraint = self.at(points)
        if not isinstance(constraint, cp.constraints.nonpos.Inequality) or constraint.expr.shape != (len(points),):
            raise ParameterError(
                f"the constraint {self.label!r} must be an inequality between {len(points)} numbers at "
                f"{len(points)} points, but {shown(constraint)} came; f(x) is one number for each point."
            )
        return (constraint.expr + reserves <= 0).set_label(self.label)

    def corners(self) -> Matrix:
        """Return the points at which it is imposed first, shape (n, d)."""
        return _Grid.of(self).points

    @cached_property
    def reaches(self) -> tuple[Reach, ...]:
        """How far each term can deviate between corners."""
        low, high = self.box.T
        shares = np.random.default_rng(0).random((2 * len(low) + 4, len(low)))
        points = low + (high - low) * shares
        row = self.rows(points)
        variables = row.variables()
        lowered = lower(cp.Problem(cp.Minimize(0), [row]), self.label)
        program, n = lowered.program, len(points)
        if program.A.shape[0] != n or program.q.size != sum(each.size for each in variables):
            raise ParameterError(
                f"the constraint {self.label!r} must be affine; state |f| <= 1 as two constraints, f <= 1 and f >= -1."
            )
        made, others = [], [program.b[:, None]]
        for each in variables:
            block = program.A[:, lowered.columns[each.id] + np.arange(each.size)].toarray()
            if not isinstance(each, Values):
                others.append(block)
                continue
            if each.weights is not None or not np.array_equal(each.points.X, points):
                raise ParameterError(
                    f"the constraint {self.label!r} at points x must be about functions at these points, but "
                    f"{each.name()} is about others."
                )
            a = block.diagonal()
            if np.abs(block - a[0] * np.eye(n)).max() > _AFFINE * np.abs(a).max():
                raise ParameterError(
                    f"the coefficients of functions must be the same everywhere, but that of {each.name()} in "
                    f"{self.label!r} is not."
                )
            made.append(Reach.of(each, abs(float(a[0])), self.box))
        rest, affine = np.hstack(others), np.column_stack([np.ones(n), points])
        off = rest - affine @ np.linalg.lstsq(affine, rest)[0]
        if np.abs(off).max() > _AFFINE * (1.0 + np.abs(rest).max()):
            raise ParameterError(
                f"the constraint {self.label!r} has constants, or coefficients of variables, that are not affine in x; "
                "take a function of the space for them."
            )
        return tuple(made)

    def __repr__(self) -> str:
        ends = " x ".join(f"[{low:g}, {high:g}]" for low, high in self.box)
        return f"<Everywhere: {self.label} on {ends}>"


@dataclass(frozen=True, eq=False)
class Reach:
    """How much a term a D^s f(x) changes within a cell, for each unit of ||f||.

    Attributes
    ----------
    function
        f.
    first, second
        |a| N(s + k) / 2 and |a| N(s + 2k) / 8 for each axis k, shape (d,); infinite where the kernel has no such
        derivative.
    """

    function: Function
    first: Vector
    second: Vector

    @classmethod
    def of(cls, values: Values, factor: float, box: Matrix) -> Reach:
        """Return that of the values of a functional.

        Parameters
        ----------
        values
            The values.
        factor
            |a|.
        box
            Where they are taken.
        """
        kernel, axes = values.function.kernel, values.points.axes

        def norms(order: int) -> Vector:
            if kernel.smoothness < len(axes) + order:
                return np.full(len(box), np.inf)
            return np.array([largest_norm(kernel, axes + (k,) * order, box) for k in range(len(box))])

        first = norms(1)
        if np.isinf(first).any():
            raise ParameterError(
                f"a constraint everywhere on derivatives of order {len(axes)} needs one derivative more, but "
                f"{kernel!r} has {kernel.smoothness:g}; take a smoother kernel."
            )
        return cls(values.function, 0.5 * factor * first, 0.125 * factor * norms(2))

    def along(self, sides: Matrix) -> Matrix:
        """Return what each axis adds in cells of these sides, shape (n, d)."""
        with np.errstate(invalid="ignore"):
            second = sides**2 * self.second
        first = sides * self.first
        less = second.sum(axis=1) <= first.sum(axis=1)
        return np.where(less[:, None], second, first)


@dataclass(frozen=True, eq=False)
class _Grid:
    """Cells that cover the box of a constraint.

    Attributes
    ----------
    condition
        The constraint.
    low, high
        The ends of the cells, shape (n, d).
    origin
        Of which cell each is a part.
    """

    condition: Everywhere
    low: Matrix
    high: Matrix
    origin: Indices

    @classmethod
    def of(cls, condition: Everywhere) -> _Grid:
        d = len(condition.box)
        count = max(1, round(min(_START, condition.most_points / 2**d) ** (1.0 / d)))
        edges = [np.linspace(low, high, count + 1) for low, high in condition.box]
        low, high = (
            np.stack(np.meshgrid(*(each[part] for each in edges), indexing="ij"), axis=-1).reshape(-1, d)
            for part in (slice(None, -1), slice(1, None))
        )
        return cls(condition, low, high, np.arange(len(low)))

    @cached_property
    def _corners(self) -> tuple[Matrix, Indices]:
        """The corners, each once, and those of each cell by their numbers, shape (n, 2^d)."""
        d = self.low.shape[1]
        corners = np.stack(
            [np.where(np.array(each), self.high, self.low) for each in product((0, 1), repeat=d)], axis=1
        )
        points, numbers = np.unique(corners.reshape(-1, d), axis=0, return_inverse=True)
        return points, numbers.reshape(len(self.low), -1)

    @property
    def points(self) -> Matrix:
        return self._corners[0]

    @property
    def left(self) -> int:
        """How many cells may still be halved."""
        return int(max(0, self.condition.most_points - len(self.points)) // 2 ** (self.low.shape[1] - 1))

    def of_cells(self, norms: dict[Function, float]) -> Matrix:
        """Return what the reserve of each cell is, by axes, shape (n, d)."""
        sides = self.high - self.low
        each_of = [norms[each.function] * each.along(sides) for each in self.condition.reaches]
        return np.asarray(np.sum(each_of, axis=0))

    def reserves(self, norms: dict[Function, float]) -> Vector:
        """Return the reserve at each point: the largest of the cells whose corner it is."""
        points, corners = self._corners
        made = np.zeros(len(points))
        np.maximum.at(made, corners, self.of_cells(norms).sum(axis=1)[:, None])
        return made

    def halved(self, norms: dict[Function, float], wanted: Callable[[_Grid], Vector]) -> _Grid:
        """Return it with cells halved until none has more reserve than is wanted at its corners.

        Parameters
        ----------
        norms
            Of the functions.
        wanted
            What is wanted of each cell of a grid, shape (n,).
        """
        grid = self
        for _ in range(_HALVINGS * self.low.shape[1]):
            by_axis = grid.of_cells(norms)
            own, goals = by_axis.sum(axis=1), wanted(grid)
            (large,) = np.nonzero(own > goals)
            with np.errstate(divide="ignore"):
                large = large[np.argsort(-own[large] / goals[large], kind="stable")[: grid.left]]
            if not large.size:
                break
            axis = by_axis[large].argmax(axis=1)
            middle = 0.5 * (grid.low[large, axis] + grid.high[large, axis])
            low, high, number = grid.low[large].copy(), grid.high.copy(), grid.origin[large]
            low[np.arange(large.size), axis] = high[large, axis] = middle
            grid = _Grid(
                self.condition,
                np.concatenate([grid.low, low]),
                np.concatenate([high, grid.high[large]]),
                np.concatenate([grid.origin, number]),
            )
        return replace(grid, origin=np.arange(len(grid.low)))

    def least(self, at_points: Vector) -> Vector:
        """Return the least of numbers at the corners of each cell, shape (n,)."""
        return np.asarray(at_points[self._corners[1]].min(axis=1))

    def require_room(self, norms: dict[Function, float]) -> None:
        """Refuse a point with a reserve where the constraint is 0 >= 0 whatever the functions are."""
        variables = self.condition.rows(self.points).variables()
        if not all(isinstance(each, Values) for each in variables):
            return
        moved = np.sum([each.points.squared_norms() for each in variables], axis=0) > 0
        (stuck,) = np.nonzero(~moved & (self.room() <= 0) & (self.reserves(norms) > 0))
        if stuck.size:
            raise SolverFailedError(
                f"the constraint {self.condition.label!r} holds with equality at {self.points[stuck[0]].tolist()} for "
                f"every function of {variables[0].function.kernel!r}, so that it cannot be proved around that point; "
                "leave it out of the box, or take a kernel with a constant, such as Polynomial(3, 0.5, 1.0)."
            )

    def room(self) -> Vector:
        """Return g at the points, of the functions and variables as they are."""
        return np.asarray(-self.condition.rows(self.points).expr.value)


@dataclass(frozen=True, eq=False)
class Bracket:
    """Two answers between whose values the optimum is.

    Attributes
    ----------
    answer
        The solution with the reserve, whose constraints hold everywhere.
    certificate
        Its value, and the proved bound of the relaxation.
    points
        How many the last programs had.
    exhausted
        Whether more points would have been needed.
    """

    answer: Any
    certificate: Certificate
    points: int
    exhausted: bool


def bracketed(
    conditions: Sequence[Everywhere], solve: Callable[[list[Any]], tuple[Any, Any]], tol: float, sign: float
) -> Bracket:
    """Bracket the optimum of a statement with constraints everywhere.

    Parameters
    ----------
    conditions
        These constraints.
    solve
        Returns the solution, and the problem of CVXPY, of the statement with some constraints in their place.
    tol
        The relative width of the bracket that is wanted.
    sign
        -1.0 of a maximisation, else 1.0.

    Raises
    ------
    InfeasibleError
        If the relaxation has no solution.
    SolverFailedError
        If a relaxation was not solved, no answer with a reserve was found, or no function leaves room for one.
    """
    grids = [_Grid.of(each) for each in conditions]
    lower = _SolvedWithRows.of(grids, None, solve, sign)
    unsolved = lower.answer.status in (Status.STOPPED, Status.FAILED)
    if unsolved or not lower.answer.certificate.relative_gap <= _USABLE:
        raise SolverFailedError(
            f"the relaxation at {sum(len(each.points) for each in grids)} points was not solved: "
            f"{lower.answer.message}; it may be infeasible."
        )
    norms = lower.norms(_ROOM)
    finer = _where_it_is_near(lower, norms, tol)
    best: _SolvedWithRows | None = None
    for _ in range(_ROUNDS):
        grids, exhausted = finer, not all(each.left for each in finer)
        try:
            reserved = _SolvedWithRows.of(grids, norms, solve, sign)
            lacking = reserved.lacks()
        except (InfeasibleError, SolverFailedError) as error:
            if exhausted:
                raise SolverFailedError(
                    f"with a reserve at {sum(len(each.points) for each in grids)} points no solution was found, "
                    "although there may be one without; raise most_points, or leave the constraints more room."
                ) from error
            finer = [grid.halved(norms, _shares(grid, norms, _SHARES[0])) for grid in grids]
            continue
        if lacking:
            norms = {f: max(norms[f], norm) * _ROOM for f, norm in reserved.norms(1.0).items()}
            continue
        if best is None or reserved.value < best.value:
            best = reserved
        certificate = _certificate(best, lower)
        cheap = reserved.cost() <= 0.5 * tol * abs(reserved.value)
        if not certificate.holds(tol) and (exhausted or cheap):
            lower = max(lower, _SolvedWithRows.of(grids, None, solve, sign), key=lambda each: each.bound)
            certificate = _certificate(best, lower)
        # Where the reserve costs little, what is missing is in both proofs, and more points do not help.
        if exhausted or cheap or certificate.holds(tol):
            break
        norms = {f: min(norms[f], norm) for f, norm in reserved.norms(_ROOM).items()}
        finer = _where_it_binds(reserved, norms, tol)
    if best is None:
        raise SolverFailedError(
            f"in {_ROUNDS} rounds no answer held everywhere; ask for a larger tol, or a weaker constraint."
        )
    best.restore()
    return Bracket(best.answer, certificate, sum(len(each.points) for each in grids), not certificate.holds(tol))


@dataclass(frozen=True, eq=False)
class _SolvedWithRows:
    """A statement that was solved with the constraints at corners of cells, and what it wrote to its variables.

    Attributes
    ----------
    answer
        The solution.
    grids
        The cells.
    rows
        The constraints there.
    reserves
        With how much room each row was to hold; None: with none.
    multipliers
        Of the rows.
    written
        Values of variables, and multipliers of constraints, by what they are of.
    sign
        -1.0 of a maximisation.
    """

    answer: Any
    grids: Sequence[_Grid]
    rows: list[Any]
    reserves: list[Vector] | None
    multipliers: list[Vector]
    written: list[tuple[Any, Any]]
    sign: float

    @classmethod
    def of(
        cls,
        grids: Sequence[_Grid],
        norms: dict[Function, float] | None,
        solve: Callable[[list[Any]], tuple[Any, Any]],
        sign: float,
    ) -> _SolvedWithRows:
        reserves = None if norms is None else [grid.reserves(norms) for grid in grids]
        room: list[Any] = [0.0] * len(grids) if reserves is None else list(reserves)
        rows = [grid.condition.rows(grid.points, each) for grid, each in zip(grids, room, strict=True)]
        answer, problem = solve(rows)
        duals = [variable for constraint in problem.constraints for variable in constraint.dual_variables]
        written = [(each, each.value) for each in (*problem.variables(), *duals)]
        multipliers = [np.abs(row.dual_value) for row in rows]
        return cls(answer, grids, rows, reserves, multipliers, written, sign)

    @property
    def value(self) -> float:
        """The value of the statement, as a minimisation."""
        return self.sign * float(self.answer.objective)

    @property
    def bound(self) -> float:
        """A lower bound of the optimum with these rows."""
        return float(self.answer.certificate.dual_value)

    def norms(self, times: float) -> dict[Function, float]:
        """Return the norms of the functions, each as often."""
        return {f: times * size for f, size in self._sizes.items()}

    @cached_property
    def _sizes(self) -> dict[Function, float]:
        return {f: float(np.sqrt(fitted.squared_norm)) for f, fitted in self.answer.functions.items()}

    def lacks(self) -> bool:
        """Return whether there is less room somewhere than the functions that were found need.

        Raises
        ------
        SolverFailedError
            If the answer misses rows by more than rounding, for which no larger reserve makes up.
        """
        assert self.reserves is not None
        norms, proof = self.norms(1.0), self.answer.certificate
        found = [reserve - row.expr.value for reserve, row in zip(self.reserves, self.rows, strict=True)]
        lacking = any((room < grid.reserves(norms)).any() for room, grid in zip(found, self.grids, strict=True))
        if lacking and not proof.is_counted:
            raise SolverFailedError(f"the solver left rows violated: {proof.worst}")
        return lacking

    def cost(self) -> float:
        """Return about what the reserves add to the value."""
        assert self.reserves is not None
        return sum(float(a @ each) for a, each in zip(self.multipliers, self.reserves, strict=True))

    def restore(self) -> None:
        """Write the answer again, which others came after."""
        for variable, value in self.written:
            cp.Variable.save_value(variable, value)
        for function, fitted in self.answer.functions.items():
            function.fitted = fitted
        for grid, multipliers in zip(self.grids, self.multipliers, strict=True):
            grid.condition.points, grid.condition.dual_value = grid.points, multipliers


def _certificate(best: _SolvedWithRows, lower: _SolvedWithRows) -> Certificate:
    """Return the proof that two answers give: a value that holds everywhere, and a bound of the relaxation."""
    above, below = best.answer.certificate, lower.answer.certificate
    return certify_values(
        best.value,
        lower.bound,
        primal_residual=above.primal_residual,
        dual_residual=below.dual_residual,
        uncounted=max(above.uncounted, below.uncounted),
        rounding=above.rounding + below.rounding,
    )


def _shares(grid: _Grid, norms: dict[Function, float], shares: Vector | float) -> Callable[[_Grid], Vector]:
    """Return what is wanted of cells that are parts of those of a grid: so large a share of its reserves."""
    goals = shares * grid.of_cells(norms).sum(axis=1)
    return lambda finer: goals[finer.origin]


def _affordable(solved: _SolvedWithRows, grid: _Grid, norms: dict[Function, float], tol: float) -> Vector:
    """Return the share of each cell's reserve that would cost 0.2 of the bracket, were all multipliers there."""
    total = sum(float(each.sum()) for each in solved.multipliers)
    with np.errstate(divide="ignore"):
        shares = np.divide(0.2 * tol * abs(solved.value), total * grid.of_cells(norms).sum(axis=1))
    return np.asarray(np.clip(shares, *_SHARES))


def _where_it_is_near(relaxed: _SolvedWithRows, norms: dict[Function, float], tol: float) -> list[_Grid]:
    """Return cells halved where the relaxation leaves less room than twice the reserve: there the reserve will bind."""

    def of(grid: _Grid) -> _Grid:
        grid.require_room(norms)
        affordable = _shares(grid, norms, _affordable(relaxed, grid, norms, tol))
        return grid.halved(norms, lambda finer: np.maximum(affordable(finer), 0.5 * finer.least(finer.room())))

    return [of(grid) for grid in relaxed.grids]


def _where_it_binds(reserved: _SolvedWithRows, norms: dict[Function, float], tol: float) -> list[_Grid]:
    """Return cells halved where there is less room than twice the reserve, as others would bind where it is less."""
    finer = []
    for grid in reserved.grids:
        near = grid.least(grid.room()) <= 2.0 * grid.of_cells(norms).sum(axis=1)
        goals = np.where(near, _affordable(reserved, grid, norms, tol), 1.0)
        finer.append(grid.halved(norms, _shares(grid, norms, goals)))
    return finer
