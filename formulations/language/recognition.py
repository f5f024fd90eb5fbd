# SPDX-License-Identifier: BSD-3-Clause
r"""From the matrices of a statement about functions to the KernelQP that it is, or the reason why it is not one.

Let v be the values of functionals of the functions, z0 the variables that several of them share, and z_i private
variables. The matrices state

    min  sum_j a_j ||f_j||^2 + q0'z0 + sum_i L_i(m_i'v + o_i'z0),    L_i(s) = min over z_i of a small program in s,

whenever the rows decompose in this way. Then each L_i is a loss of one functional, found with its pieces, and the dual
in beta_i = -L_i'(s_i) is a KernelQP whose samples are the functionals m_i, with O'beta = q0 for the matrix O of the
o_i. This is read from the rows and not from the names of atoms, so that a loss is found however it was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.optimize
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular
from scipy.sparse import coo_array, csc_array, csr_array, hstack, vstack
from scipy.sparse.csgraph import connected_components

from formulations.language.parametric import ENTRIES, MOST_ROWS, LossEntries, LossPieces, SmallPrograms
from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.problems import ConeProgram, Nonnegative, Zero

__all__ = ["SAME", "NotSeparable", "SeparatedLosses", "StatementColumns", "no_entries", "same_entries", "separate"]

_ROUNDING = 1e-12
"""Share of a slope below which a difference is rounding."""

SAME = 1e-10
"""Share of the sizes of coefficients, costs and marks of rows below which a difference is rounding."""

_AT_END = 1e-6
"""Share of the sizes in a row within which an answer, accurate as it is, makes it an equation."""


class NotSeparable(Exception):  # noqa: N818  no error: an answer
    """The statement does not fall apart into losses of one functional each; the message says why."""


@dataclass(frozen=True, eq=False)
class StatementColumns:
    """Which columns of the matrices are what.

    Attributes
    ----------
    values
        The numbers v that functionals take, in their order.
    norms
        What stands under the norms of functions.
    """

    values: Indices
    norms: Indices


@dataclass(frozen=True, eq=False)
class SeparatedLosses:
    """The statement as losses of functionals: sum_i L_i(m_i'v + o_i'z0) + q0'z0 + offset, as entries of a KernelQP.

    Attributes
    ----------
    entries
        The losses; ``of`` numbers the components.
    functionals
        m of each component, shape (components, number of values).
    directions
        o of each component, shape (components, number of shared variables).
    costs
        q0, shape (number of shared variables,).
    offset
        The value where every loss is at its least.
    shared
        The columns of z0.
    kinds
        The losses as small programs.
    """

    entries: LossEntries
    functionals: csr_array
    directions: Matrix
    costs: Vector
    offset: float
    shared: Indices
    kinds: tuple[_LossKind, ...]
    _program: ConeProgram
    _values: Indices

    def again(self, program: ConeProgram) -> SeparatedLosses | None:
        """Return the losses with other costs of variables and other right sides; None: more than these are others.

        Parameters
        ----------
        program
            The same matrices, or others.
        """
        known = self._program
        same = (
            same_entries(known.A, program.A)
            and same_entries(known.P, program.P)
            and known.cones == program.cones
            and np.array_equal(known.q[self._values], program.q[self._values])
        )
        if not same:
            return None
        kinds = tuple(each.having(program.q[each.columns], program.b[each.rows]) for each in self.kinds)
        entries, offset = _collected(kinds, program.offset)
        costs = self.costs + program.q[self.shared] - known.q[self.shared]
        return replace(self, entries=entries, costs=costs, offset=offset, kinds=kinds, _program=program)

    def write(self, s: Vector, slopes: Vector, x: Vector, multipliers: Vector) -> None:
        """Write private variables and multipliers of rows, given the arguments of all losses and their slopes there.

        Parameters
        ----------
        s, slopes
            Shape (components,).
        x, multipliers
            Where they are written to, of all columns and of all rows.
        """
        for kind in self.kinds:
            z, y = kind.pieces.at(s[kind.of], slopes[kind.of])
            y = kind.completed(y, slopes[kind.of], s[kind.of], z)
            x[kind.columns], multipliers[kind.rows] = z, y


@dataclass(frozen=True, eq=False)
class _LossKind:
    """Components with the same numbers of rows and variables.

    Attributes
    ----------
    of
        Their numbers.
    rows, columns
        Of the matrices, shapes (k, R) and (k, Z).
    multiple
        The same with other costs, and what these are multiplied by; None: there is none.
    """

    of: Indices
    rows: Indices
    columns: Indices
    programs: SmallPrograms
    multiple: tuple[_LossKind, Vector] | None = None

    def having(self, q: Matrix, d: Matrix) -> _LossKind:
        """Return them with other costs of variables and other right sides."""
        base = self if self.multiple is None else self.multiple[0]
        factors = None if base.found is None else base.programs.factors_to(q, d)
        programs = replace(self.programs, q=q, d=d)
        return replace(self, programs=programs, multiple=None if factors is None else (base, factors))

    @cached_property
    def found(self) -> LossPieces | None:
        if self.multiple is None:
            return self.programs.pieces()
        base, factors = self.multiple
        return base.pieces.times(factors)

    @property
    def pieces(self) -> LossPieces:
        assert self.found is not None
        return self.found

    @cached_property
    def least(self) -> Vector:
        """The least values of the losses, shape (k,)."""
        if self.multiple is not None:
            base, factors = self.multiple
            return factors * base.least
        programs, s = self.programs, self.pieces.minima()
        z, _ = self.pieces.at(s, np.zeros(s.size))
        quadratic = np.einsum("kz,kzy,ky->k", z, programs.P, z)
        linear = np.einsum("kz,kz->k", programs.q, z)
        return np.asarray(0.5 * quadratic + linear + 0.5 * programs.p * s**2 + programs.c * s)

    def completed(self, y: Matrix, slopes: Vector, s: Vector, z: Matrix) -> Matrix:
        """Return multipliers with the slope that they lack where L ends, given to the rows that end it."""
        programs = self.programs
        if not programs.equations.size:
            return y
        lacking = slopes - np.einsum("kr,kr->k", programs.t, y) - programs.c
        with np.errstate(divide="ignore", invalid="ignore"):
            added = np.where(programs.t != 0, lacking[:, None] / programs.t, 0.0)
        bare = ~programs.G.any(axis=2) & (programs.t != 0) & ((added > 0) | programs.equations)
        (at,) = np.nonzero((programs.p == 0) & bare.any(axis=1) & (np.abs(lacking) > _ROUNDING * np.abs(slopes)))
        y = y.copy()
        first = bare.argmax(axis=1)
        y[at, first[at]] += added[at, first[at]]
        lacking[at] = 0.0
        for k in np.flatnonzero((programs.p == 0) & (np.abs(lacking) > _ROUNDING * np.abs(slopes))):
            # Together, these rows leave no private variables beyond that end: their coefficients of z cancel.
            G, t, room = programs.G[k], programs.t[k], programs.d[k] - programs.t[k] * s[k] - programs.G[k] @ z[k]
            size = 1.0 + np.abs(programs.d[k]) + np.abs(t * s[k])
            rows = np.flatnonzero(programs.equations | (room <= _AT_END * size))
            signs = np.concatenate([np.ones(rows.size), -np.ones(int(programs.equations[rows].sum()))])
            rows = np.concatenate([rows, rows[programs.equations[rows]]])
            columns = np.vstack([G[rows].T, t[rows]]) * signs
            weights, _ = scipy.optimize.nnls(columns, np.append(np.zeros(G.shape[1]), lacking[k]))
            np.add.at(y[k], rows, signs * weights)
        return y


def separate(
    program: ConeProgram, columns: StatementColumns, known: SeparatedLosses | None = None, *, bare: bool = False
) -> SeparatedLosses:
    """Return the losses that the matrices are a sum of, beside the norms.

    Parameters
    ----------
    program, columns
        The matrices, and which columns are what.
    known
        What was found of the same statement with other parameters: how it falls apart is kept where that is the same.
    bare
        Whether it is not looked at what the losses are, which are entries without numbers then.

    Raises
    ------
    NotSeparable
        With the reason, where they are no such sum.
    """
    return (None if known is None else known.again(program)) or _Separation(program, columns).losses(bare=bare)


def same_entries(first: csr_array | csc_array, second: csr_array | csc_array) -> bool:
    """Return whether two sparse arrays of one format hold the same entries in the same places."""
    return first.shape == second.shape and all(
        np.array_equal(getattr(first, name), getattr(second, name)) for name in ("indptr", "indices", "data")
    )


class _Separation:
    """The matrices of a statement on their way to losses."""

    def __init__(self, program: ConeProgram, columns: StatementColumns) -> None:
        other = sorted({type(cone).__name__ for cone in program.cones if not isinstance(cone, Zero | Nonnegative)})
        if other:
            raise NotSeparable(f"its losses or constraints need cones of kind {', '.join(other)}")
        self.program, self.of_values = program, columns.values
        self.A, self.P = csr_array(program.A), csr_array(program.P)
        self.equations = np.concatenate(
            [np.full(part.stop - part.start, isinstance(cone, Zero)) for cone, part in program.parts()]
            or [np.ones(0, bool)]
        )
        rest = np.ones(program.q.size, dtype=bool)
        rest[columns.values] = rest[columns.norms] = False
        self.others = np.flatnonzero(rest)
        self.V = csr_array(self.A[:, columns.values])
        self.V.eliminate_zeros()
        self.V.sort_indices()
        self.Z = csr_array(self.A[:, self.others])

    # Which functional is in which row

    @cached_property
    def has_values(self) -> NDArray[np.bool_]:
        """Which rows have functionals."""
        return np.asarray(np.diff(self.V.indptr) > 0)

    @cached_property
    def direct(self) -> Indices:
        """The values that are in the objective themselves."""
        P = csr_array(self.P[self.of_values])
        linked = csr_array(P[:, self.others])
        if linked.nnz and np.abs(linked.data).max() > 0:
            raise NotSeparable("a quadratic term couples functions with other variables")
        among = coo_array(P[:, self.of_values])
        if ((among.row != among.col) & (among.data != 0)).any():
            raise NotSeparable("a quadratic term couples several functionals")
        return np.flatnonzero((self.program.q[self.of_values] != 0) | (self.curvatures != 0))

    @cached_property
    def curvatures(self) -> Vector:
        """The objective's part in the squares of the values."""
        return np.asarray(self.P.diagonal()[self.of_values])

    @cached_property
    def sums(self) -> csr_array:
        """The sum m'v + o'z0 in each row, without its factor; a row may be about z0 alone."""
        sums = csr_array(hstack([self.V, self.Z[:, np.flatnonzero(self.shared)]]))
        sums.eliminate_zeros()
        sums.sort_indices()
        return sums

    @cached_property
    def about(self) -> Indices:
        """The rows that have such a sum."""
        return np.flatnonzero(np.diff(self.sums.indptr) > 0)

    @cached_property
    def first(self) -> Vector:
        """The first coefficient of the sum in each row that has one, else 0: t."""
        t = np.zeros(self.sums.shape[0])
        t[self.about] = self.sums.data[self.sums.indptr[:-1][self.about]]
        return t

    # Which variables several functionals share

    @cached_property
    def shared(self) -> NDArray[np.bool_]:
        """Which of the other variables are in rows of several functionals."""
        (inside,) = np.nonzero(self.has_values)
        of_rows = np.full(self.V.shape[0], -1)
        of_rows[inside] = _numbers_of(_with_factor(csr_array(self.V[inside])))
        entries = coo_array(self.Z)
        inside = self.has_values[entries.row] & (entries.data != 0)
        column, number = entries.col[inside], of_rows[entries.row[inside]]
        low, high = np.full(self.others.size, np.iinfo(np.intp).max), np.full(self.others.size, -1)
        np.minimum.at(low, column, number)
        np.maximum.at(high, column, number)
        return np.asarray(high > low)

    @cached_property
    def shared_curvatures(self) -> Vector:
        """The objective's part in the squares of the shared variables."""
        columns = self.others[self.shared]
        P = coo_array(self.P[columns])
        if ((columns[P.row] != P.col) & (P.data != 0)).any():
            raise NotSeparable("a quadratic term couples a variable that several functionals share with others")
        return np.asarray(self.P.diagonal()[columns])

    # The components

    def losses(self, *, bare: bool) -> SeparatedLosses:
        """Return the losses, or raise the reason why there are none."""
        (private,) = np.nonzero(~self.shared)
        (shared,) = np.nonzero(self.shared)
        Z = csr_array(self.Z[:, private])
        costs = self.program.q[self.others[shared]].copy()
        # The objective has squares and multiples of values, and squares of shared variables, as losses of their own.
        direct, (squared,) = self.direct, np.nonzero(self.shared_curvatures)
        columns = np.concatenate([direct, self.of_values.size + squared])
        units: Any = csr_array(
            (np.ones(columns.size), (np.arange(columns.size), columns)), shape=(columns.size, self.sums.shape[1])
        )
        every = csr_array(vstack([_with_factor(csr_array(self.sums[self.about])), units]))
        every.sort_indices()
        numbers = _numbers_of(every)
        _, example = np.unique(numbers, return_index=True)
        sums = csr_array(every[example])
        functionals, directions = csr_array(sums[:, : self.of_values.size]), sums[:, self.of_values.size :].toarray()
        of_units = numbers[self.about.size :].copy()
        own = _numbers_of(csr_array(every[:, : self.of_values.size]))
        linear = np.concatenate([self.program.q[self.of_values[direct]], np.zeros(squared.size)])
        squares = np.concatenate([self.curvatures[direct], self.shared_curvatures[squared]])
        # A linear term goes with the loss of the same functional, and z0 pays for its part of the sum.
        known, at = np.unique(own[: self.about.size], return_index=True)
        wanted = own[self.about.size :]
        spot = np.minimum(np.searchsorted(known, wanted), max(0, known.size - 1))
        joined = (squares == 0) & (known[spot] == wanted) if known.size else np.zeros(columns.size, dtype=bool)
        of_units[joined] = numbers[at[spot[joined]]]
        costs -= linear[joined] @ directions[of_units[joined]]
        of_rows = np.full(self.V.shape[0], -1)
        of_rows[self.about] = numbers[: self.about.size]
        component, owner, count = self._components(Z, private, of_rows, len(example))
        # Rows in which functions and shared variables cancel are losses of nothing, which are constants.
        further = count - len(example)
        functionals = csr_array(vstack([functionals, csr_array((further, functionals.shape[1]))]))
        directions = np.vstack([directions, np.zeros((further, shared.size))])
        p, c = np.zeros(count), np.zeros(count)
        p[of_units], c[of_units] = squares, linear
        kinds = tuple(self._kinds(Z, private, component, owner, p, c))
        if bare:
            entries, offset = no_entries(np.arange(count)), self.program.offset
        else:
            entries, offset = _collected(kinds, self.program.offset)
        kept = _determined(directions[entries.of], costs)
        directions, costs, z0 = directions[:, kept], costs[kept], self.others[shared[kept]]
        return SeparatedLosses(entries, functionals, directions, costs, offset, z0, kinds, self.program, self.of_values)

    def _components(self, Z: csr_array, private: Indices, of_rows: Indices, count: int) -> tuple[Indices, Indices, int]:
        """Return of which sum each row, and each private variable, is, and the number of sums.

        Coefficients beyond the ``count`` sums belong to further ones, which are 0.
        """
        rows, size = self.V.shape[0], private.size
        links = coo_array(Z)
        quadratic = coo_array(self.P[self.others[private]][:, self.others[private]])
        heads = np.concatenate([links.row, rows + quadratic.row, self.about])
        tails = np.concatenate([rows + links.col, rows + quadratic.col, rows + size + of_rows[self.about]])
        graph = coo_array((np.ones(heads.size), (heads, tails)), shape=(rows + size + count,) * 2)
        _, labels = connected_components(graph, directed=False)
        of, own = np.full(int(labels.max(initial=-1)) + 1, -1), labels[rows + size :]
        if np.unique(own).size < count:
            raise NotSeparable("a loss or constraint couples several functionals")
        of[own] = np.arange(count)
        (bare,) = np.nonzero(of < 0)
        of[bare] = count + np.arange(bare.size)
        return of[labels[:rows]], of[labels[rows : rows + size]], count + bare.size

    def _kinds(
        self, Z: csr_array, private: Indices, component: Indices, owner: Indices, p: Vector, c: Vector
    ) -> Iterator[_LossKind]:
        count = p.size
        equal = np.bincount(component[self.equations], minlength=count)
        total, size = np.bincount(component, minlength=count), np.bincount(owner, minlength=count)
        # The rows and the variables of each component, in their order.
        by_row, by_column = np.argsort(component, kind="stable"), np.argsort(owner, kind="stable")
        first_row, first_column = np.cumsum(total) - total, np.cumsum(size) - size
        place, spot = np.empty_like(by_row), np.empty_like(by_column)
        place[by_row] = np.arange(by_row.size) - first_row[component[by_row]]
        spot[by_column] = np.arange(by_column.size) - first_column[owner[by_column]]
        entries, quadratic = coo_array(Z), coo_array(self.P[self.others[private]][:, self.others[private]])
        kinds, of_kind = np.unique(np.column_stack([equal, total, size]), axis=0, return_inverse=True)
        for number, (first, R, n) in enumerate(kinds):
            if R - first > MOST_ROWS:
                raise NotSeparable(f"one functional has {R - first} inequalities, more than {MOST_ROWS}")
            (members,) = np.nonzero(of_kind.reshape(-1) == number)
            at = np.full(count, -1)
            at[members] = np.arange(members.size)
            rows = by_row[first_row[members][:, None] + np.arange(R)]
            columns = by_column[first_column[members][:, None] + np.arange(n)]
            G, P = np.zeros((members.size, R, n)), np.zeros((members.size, n, n))
            chosen = at[component[entries.row]] >= 0
            row, column = entries.row[chosen], entries.col[chosen]
            G[at[component[row]], place[row], spot[column]] = entries.data[chosen]
            chosen = at[owner[quadratic.row]] >= 0
            row, column = quadratic.row[chosen], quadratic.col[chosen]
            P[at[owner[row]], spot[row], spot[column]] = quadratic.data[chosen]
            inside = self.others[private[columns]]
            programs = SmallPrograms(
                P,
                self.program.q[inside],
                G,
                self.first[rows],
                self.program.b[rows],
                np.arange(R) < first,
                p[members],
                c[members],
            )
            yield _LossKind(members, rows, inside, programs)


def no_entries(of: Indices) -> LossEntries:
    """Return entries of losses of which nothing is said but their numbers.

    Parameters
    ----------
    of
        The numbers.
    """
    return LossEntries(of, *np.zeros((len(ENTRIES), of.size)))


def _collected(kinds: tuple[_LossKind, ...], offset: float) -> tuple[LossEntries, float]:
    """Return the entries of all components, in their order, and the sum of the least values."""
    made: list[LossEntries] = []
    for kind in kinds:
        if kind.found is None:
            raise NotSeparable("a loss is nowhere finite, unbounded, or not settled by its rows")
        entries = kind.found.entries()
        if entries is None:
            raise NotSeparable("a loss has no least value: it falls or rises everywhere")
        made.append(LossEntries(kind.of[entries.of], *(getattr(entries, name) for name in ENTRIES)))
        offset += float(kind.least.sum())
    if not made:
        raise NotSeparable("no loss depends on a function")
    stacked = [np.concatenate([getattr(each, name) for each in made]) for name in ("of", *ENTRIES)]
    order = stacked[0].argsort(kind="stable")
    return LossEntries(*(each[order] for each in stacked)), offset


def _with_factor(rows: csr_array) -> csr_array:
    """Return rows, none of them empty, each divided by its first coefficient."""
    rows.data = rows.data / np.repeat(rows.data[rows.indptr[:-1]], np.diff(rows.indptr))
    return rows


def _determined(directions: Matrix, costs: Vector) -> Indices:
    """Return columns of which the others are sums, so that their variables may be 0.

    Raises
    ------
    NotSeparable
        If the costs of such a variable are another sum: the objective falls along it without end.
    """
    if costs.size < 2:
        return np.arange(costs.size)
    _, R, order = qr(directions, mode="economic", pivoting=True)
    sizes = np.abs(R.diagonal())
    rank = int((sizes > SAME * sizes.max(initial=0.0)).sum())
    kept, left = order[:rank], order[rank:]
    sums = solve_triangular(R[:rank, :rank], R[:rank, rank:])
    lacking = np.abs(costs[left] - costs[kept] @ sums)
    if (lacking > SAME * np.abs(costs).max() * (1.0 + np.abs(sums).sum(axis=0))).any():
        raise NotSeparable("variables that no loss determines together have a cost")
    return np.sort(kept)


def _numbers_of(rows: csr_array) -> Indices:
    """Return numbers from 0 that are the same for rows that are equal up to rounding."""
    marks = np.random.default_rng(0).standard_normal((rows.shape[1], 2))
    # Equal rows have equal marks up to rounding, and others have others but for a coincidence.
    seen = rows @ marks
    numbers = np.zeros(len(seen), dtype=np.intp)
    if len(seen) > 1:
        order = np.lexsort(np.round(seen, 9).T)
        ahead = np.abs(np.diff(seen[order], axis=0)).max(axis=1) > SAME * (1.0 + np.abs(seen[order][1:]).max(axis=1))
        numbers[order[1:]] = np.cumsum(ahead)
    return numbers
