# SPDX-License-Identifier: BSD-3-Clause
r"""How a statement penalises the norms of its functions, read from the rows that concern only norms.

Let x_k stand for the coordinates of function k. Rows of norms say t_k >= a_k ||x_k||, and all other rows with the t_k
must be sums of them, with factors of at least 0, and p-norms of such multiples. These, or their squares, are in the
objective. At an optimum every row of this kind is an equation, since the objective rises with its left side.

A p-norm, t >= || (a_1, ..., a_n) ||_p, is lowered to t = r_1 + ... + r_n with a_j <= r_j^(1/p) t^(1 - 1/p), which is
made of geometric means of two numbers, w^2 <= u v, each a cone of three rows: their logarithms are linear equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from formulations.language.projection import with_rows
from formulations.language.recognition import SAME, NotSeparable, same_entries
from formulations.modelling.lowering import Lowered
from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.problems import Cone, ConeProgram, Nonnegative, NormPenalty, SecondOrder, Zero

__all__ = ["PenaltyPart", "penalty_part"]


@dataclass(frozen=True, eq=False)
class PenaltyPart:
    """The penalties of a statement, and what it is without them.

    Attributes
    ----------
    penalties
        Those of the norms, by their numbers.
    rest
        The program without the rows of the penalties.
    rows
        The rows of the whole that are left.
    columns
        The variables that are in penalties alone, with what stands for coordinates.
    """

    penalties: tuple[NormPenalty, ...]
    rest: ConeProgram
    rows: Indices
    columns: Indices

    def again(self, known: ConeProgram, program: ConeProgram) -> PenaltyPart | None:
        """Return them of the same statement with other parameters; None: more than costs and right sides are others.

        Parameters
        ----------
        known
            The matrices that these penalties are of.
        program
            The others.
        """
        left = np.zeros(program.b.size, dtype=bool)
        left[self.rows] = True
        if not (
            known.cones == program.cones
            and same_entries(known.A, program.A)
            and same_entries(known.P, program.P)
            and np.array_equal(known.q[self.columns], program.q[self.columns])
            and np.array_equal(known.b[~left], program.b[~left])
        ):
            return None
        return replace(self, rest=with_rows(program, left))


def penalty_part(lowered: Lowered, norms: Sequence[Indices]) -> PenaltyPart:
    """Return how norms are penalised.

    Parameters
    ----------
    lowered
        The statement in matrices.
    norms
        The columns of what stands for the coordinates of each function.

    Raises
    ------
    NotSeparable
        With the reason, where it is otherwise.
    """
    return _Reading(lowered, norms).part()


class _Reading:
    """The penalties on their way from the rows."""

    def __init__(self, lowered: Lowered, norms: Sequence[Indices]) -> None:
        self.lowered, self.program, self.norms = lowered, lowered.program, norms
        self.A, self.P = csr_array(self.program.A), csr_array(self.program.P)
        self.A.eliminate_zeros()
        # What a column is at an optimum: a sum of multiples of norms.
        self.sums: dict[int, Vector] = {}
        # Or a p-norm of multiples, with p.
        self.powers: dict[int, tuple[Vector, float]] = {}

    def part(self) -> PenaltyPart:
        """Return them, or raise the reason."""
        rows, columns = self._own()
        self._require_undeclared(rows, columns)
        self._read_rows(rows, columns)
        penalties = self._of_objective(columns)
        left = np.ones(self.program.b.size, dtype=bool)
        left[rows] = False
        every = np.concatenate([self._coordinates, columns])
        return PenaltyPart(penalties, with_rows(self.program, left), np.flatnonzero(left), every)

    @cached_property
    def _coordinates(self) -> Indices:
        return np.concatenate(self.norms)

    # Which rows and columns are about norms alone

    def _own(self) -> tuple[Indices, Indices]:
        """Return the rows about norms, and the other columns in these."""
        rows, columns = self.A.shape
        links, squares = coo_array(self.A), coo_array(self.P)
        together = [np.arange(part.start, part.stop) for cone, part in self.program.parts() if _joins(cone)]
        heads = np.concatenate([links.row, rows + squares.row, *(part[:-1] for part in together)])
        tails = np.concatenate([rows + links.col, rows + squares.col, *(part[1:] for part in together)])
        graph = coo_array((np.ones(heads.size), (heads, tails)), shape=(rows + columns,) * 2)
        _, labels = connected_components(graph, directed=False)
        own = np.isin(labels, labels[rows + self._coordinates])
        own[rows + self._coordinates] = False
        return np.flatnonzero(own[:rows]), np.flatnonzero(own[rows:])

    def _require_undeclared(self, rows: Indices, columns: Indices) -> None:
        """Refuse constraints and variables of the user's own, whose values nothing here would say."""
        for block, number in zip(self.program.rows, self.lowered.numbers, strict=True):
            if number >= 0 and ((rows >= block.start) & (rows < block.stop)).any():
                raise NotSeparable(
                    f"the norm of a function is in a constraint, or in one row with others ({block.name})"
                )
        for variable in self.lowered.problem.variables():
            # One with a sign has another in its place, which no row here determines.
            start = self.lowered.columns.get(variable.id, -1 - variable.size)
            if ((columns >= start) & (columns < start + variable.size)).any():
                raise NotSeparable(f"the norm of a function is in one row with the variable {variable.name()}")

    # What the rows say

    def _read_rows(self, rows: Indices, columns: Indices) -> None:
        unread = self._units(rows)
        place = {int(c): k for k, each in enumerate(self.norms) for c in each}
        unknown = set(columns.tolist())
        triples: list[tuple[int, int, int]] = []
        while unread:
            left = [unit for unit in unread if not self._read(unit, place, triples)]
            if len(left) == len(unread):
                if triples and self._read_powers(left, unknown, triples):
                    left = []
                else:
                    raise NotSeparable("norms of functions are penalised by another function than a norm of theirs")
            unread = left
        if unknown - self.sums.keys() - self.powers.keys():
            raise NotSeparable("norms of functions are penalised by another function than a norm of theirs")

    def _units(self, rows: Indices) -> list[tuple[type, Indices]]:
        """Return the rows one by one, those of a cone of second order together."""
        units: list[tuple[type, Indices]] = []
        inside = np.zeros(self.program.b.size, dtype=bool)
        inside[rows] = True
        for cone, part in self.program.parts():
            own = np.arange(part.start, part.stop)[inside[part]]
            if own.size and not isinstance(cone, Zero | Nonnegative | SecondOrder):
                raise NotSeparable(f"the penalty of norms needs a cone of kind {type(cone).__name__}")
            if self.program.b[own].any():
                raise NotSeparable("the penalty of norms has a constant in it")
            units += [(type(cone), own)] if isinstance(cone, SecondOrder) and own.size else [
                (type(cone), own[[i]]) for i in range(own.size)
            ]  # fmt: skip
        return units

    def _entries(self, row: int) -> tuple[Indices, Vector]:
        """Return the columns and coefficients of s = -Ax in a row."""
        part = slice(self.A.indptr[row], self.A.indptr[row + 1])
        return np.asarray(self.A.indices[part], dtype=np.intp), np.asarray(-self.A.data[part])

    def _read(self, unit: tuple[type, Indices], place: dict[int, int], triples: list[tuple[int, int, int]]) -> bool:
        """Read a row, or a cone, and return whether it is settled."""
        kind, rows = unit
        if kind is SecondOrder:
            return self._read_norm(rows, place) or self._read_mean(rows, triples)
        columns, s = self._entries(int(rows[0]))
        new = [c for c in columns.tolist() if c not in self.sums]
        known = sum(
            (a * self.sums[c] for c, a in zip(columns.tolist(), s.tolist(), strict=True) if c in self.sums), 0.0
        )
        if not new:
            # A norm is at least 0.
            if kind is Nonnegative and (np.asarray(known) >= 0).all():
                return True
            raise NotSeparable("norms of functions are compared with each other")
        if len(new) > 1 or isinstance(known, float):
            return False
        a = float(s[columns.tolist().index(new[0])])
        bound = -known / a
        if kind is Nonnegative and (a < 0 or (bound <= 0).all()):
            # x >= -2 t beside x >= 2 t, which an absolute value is.
            return a > 0
        if (bound < 0).any():
            raise NotSeparable("a norm is penalised less where another is large")
        self.sums[new[0]] = bound
        return True

    def _read_norm(self, rows: Indices, place: dict[int, int]) -> bool:
        """Read t >= a ||x||."""
        parts = [self._entries(int(row)) for row in rows]
        if any(columns.size != 1 for columns, _ in parts):
            return False
        head, tail = int(parts[0][0][0]), [int(columns[0]) for columns, _ in parts[1:]]
        sizes = np.abs([float(s[0]) for _, s in parts])
        number = place.get(tail[0], -1) if tail else -1
        if number < 0 or sorted(tail) != self.norms[number].tolist() or np.ptp(sizes[1:]) > 0 or parts[0][1][0] <= 0:
            return False
        if head in self.sums:
            raise NotSeparable("one bound is that of several norms")
        self.sums[head] = np.zeros(len(self.norms))
        self.sums[head][number] = sizes[1] / sizes[0]
        return True

    def _read_mean(self, rows: Indices, triples: list[tuple[int, int, int]]) -> bool:
        """Read w^2 <= u v, which is || (u - v, 2 w) || <= u + v."""
        if rows.size != 3:
            return False
        first, second, third = (
            {int(c): float(a) for c, a in zip(*self._entries(int(row)), strict=True)} for row in rows
        )
        if len(third) != 1 or len(first) != 2 or first.keys() != second.keys():
            return False
        (u, v), (w,) = first, third
        size = abs(first[u])
        same = [abs(abs(each) - size) for each in (first[v], second[u], second[v], 0.5 * third[w])]
        if min(first.values()) <= 0 or second[u] * second[v] >= 0 or max(same) > SAME * size:
            return False
        triples.append((u, v, w))
        return True

    def _read_powers(
        self, left: list[tuple[type, Indices]], unknown: set[int], triples: list[tuple[int, int, int]]
    ) -> bool:
        """Read t = r_1 + ... + r_n where means tie every r_j to a multiple of a norm."""
        for kind, rows in left:
            columns, s = self._entries(int(rows[0]))
            # One of them is t, to which the means of all others lead.
            shared = [c for c in columns.tolist() if self._leads(columns, c, triples)]
            if kind is SecondOrder or len(shared) != 1 or np.ptp(np.abs(s)) > SAME * np.abs(s).max():
                return False
            (t,) = shared
            at = columns.tolist().index(t)
            if (np.delete(s, at) * s[at] >= 0).any() or (kind is Nonnegative and s[at] < 0):
                return False
            weights, orders = np.zeros(len(self.norms)), []
            for r in np.delete(columns, at).tolist():
                a, share = self._mean(r, t, triples)
                own = self.sums[a]
                if np.count_nonzero(own) != 1 or weights[own > 0].any():
                    return False
                weights += own
                orders.append(1.0 / share)
            if np.ptp(orders) > SAME * orders[0]:
                return False
            self.powers[t] = weights, round(orders[0], 12)
        used = {c for triple in triples for c in triple}
        unknown -= used - self.powers.keys()
        return True

    def _leads(self, columns: Indices, t: int, triples: list[tuple[int, int, int]]) -> bool:
        """Return whether the means of all other columns lead to t."""
        return columns.size > 1 and all(r == t or self._mean(r, t, triples)[0] >= 0 for r in columns.tolist())

    def _mean(self, r: int, t: int, triples: list[tuple[int, int, int]]) -> tuple[int, float]:
        """Return the a that is at most r^share t^(1 - share), and the share; a is -1 where there is none."""
        # The means that r leads to, without going through t.
        own, reached = [], {r}
        while True:
            more = [triple for triple in triples if triple not in own and reached & set(triple) - {t}]
            if not more:
                break
            own += more
            reached |= {c for triple in more for c in triple} - {t}
        found = [w for _, _, w in own]
        tops = [w for w in found if w in self.sums]
        others = {c for triple in own for c in triple} - set(found) - {r, t}
        if len(tops) != 1 or others or len(set(found)) < len(found) or r in found or t in found:
            return -1, 0.0
        number = {w: i for i, w in enumerate(found)}
        system, right = np.eye(len(found)), np.zeros((len(found), 2))
        for i, (u, v, _) in enumerate(own):
            for each in (u, v):
                if each in number:
                    system[i, number[each]] -= 0.5
                else:
                    right[i, 0 if each == r else 1] += 0.5
        shares: Matrix = np.asarray(np.linalg.solve(system, right), dtype=float)
        return tops[0], float(shares[number[tops[0]], 0])

    # What the objective says

    def _of_objective(self, columns: Indices) -> tuple[NormPenalty, ...]:
        penalties = [each for number in range(len(self.norms)) if (each := self._own_square(number)) is not None]
        for c in columns.tolist():
            penalties += self._of_column(c)
        members = np.concatenate([np.arange(0), *(each.members for each in penalties)])
        times = np.bincount(members, minlength=len(self.norms))
        if (times > 1).any():
            raise NotSeparable("the norm of a function is penalised in several ways")
        if (times < 1).any():
            raise NotSeparable("the norm of a function is not penalised")
        return tuple(penalties)

    def _own_square(self, number: int) -> NormPenalty | None:
        """Return the penalty that the objective has of what stands for coordinates itself."""
        own = self.norms[number]
        block, curvature = coo_array(self.P[own]), float(self.P[own[0], own[0]])
        plain = block.nnz == own.size and (self.P.diagonal()[own] == curvature).all()
        if self.program.q[own].any() or (block.nnz and not (plain and curvature > 0)):
            raise NotSeparable("the norm of a function is penalised by more than its square")
        return NormPenalty(np.array([number]), np.array([np.sqrt(curvature)])) if block.nnz else None

    def _of_column(self, c: int) -> list[NormPenalty]:
        """Return the penalties that a column makes of what it is, by its square or itself."""
        price, curvature = float(self.program.q[c]), float(self.P[c, c])
        if coo_array(self.P[[c]]).nnz != (curvature != 0) or curvature < 0 or price < 0:
            raise NotSeparable("norms of functions are penalised by another function than a norm of theirs")
        if price and curvature:
            raise NotSeparable("norms of functions are penalised by a norm and by its square")
        if not (price or curvature):
            return []
        weights, order = self.powers[c] if c in self.powers else (self.sums[c], 1.0)
        (members,) = np.nonzero(weights)
        if order >= 2.0:
            raise NotSeparable(f"norms of functions are penalised by their {order:g}-norm")
        groups = [members] if curvature or order > 1.0 else [members[[i]] for i in range(members.size)]
        factor = np.sqrt(curvature) if curvature else price
        return [NormPenalty(own, factor * weights[own], order, bool(curvature)) for own in groups]


def _joins(cone: Cone) -> bool:
    """Return whether rows of a cone are one condition."""
    return not isinstance(cone, Zero | Nonnegative)
