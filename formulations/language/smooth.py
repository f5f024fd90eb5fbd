# SPDX-License-Identifier: BSD-3-Clause
r"""Smooth losses of a statement, as the rows of exponential cones tell them: cost phi(a s + c) + l s of functionals.

phi is log(1 + e^u), which is lowered to two cones and a row, e^(-t) + e^(u - t) <= 1, or e^u, which is one cone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.special
from numpy.typing import NDArray
from scipy.sparse import coo_array, csc_array, csr_array, vstack

from formulations.language.projection import with_rows
from formulations.language.recognition import NotSeparable, SeparatedLosses, StatementColumns
from qpkernels.arrays import Indices, Vector
from qpkernels.problems import Block, ConeProgram, Exponential, Nonnegative, SampleLosses

__all__ = ["ExponentialTerms", "SmoothTerms"]

_OTHERWISE = "its losses need exponential cones otherwise than as logarithms of 1 + e^u, or e^u, of one functional each"


@dataclass(frozen=True, eq=False)
class ExponentialTerms:
    """A program in which a row u <= t stands for each term t >= phi(u), with what these terms are.

    Attributes
    ----------
    program
        The program with these rows.
    bounds
        The columns of the t.
    exponential
        Of which phi is e^u, shape of ``bounds``.
    columns
        All columns that terms have to themselves.
    """

    program: ConeProgram
    bounds: Indices
    exponential: NDArray[np.bool_]
    columns: Indices

    @classmethod
    def of(cls, program: ConeProgram) -> ExponentialTerms | None:
        """Return them; None: there is no exponential cone.

        Parameters
        ----------
        program
            The matrices.

        Raises
        ------
        NotSeparable
            If one is in another term.
        """
        first = np.array([part.start for cone, part in program.parts() if isinstance(cone, Exponential)], dtype=np.intp)
        if not first.size:
            return None
        A, b, q = csr_array(program.A), program.b, program.q
        A.eliminate_zeros()
        counts, entry = np.diff(A.indptr), A.indptr[:-1]
        # A cone is (u, 1, z) with a z of its own.
        last = first + 2
        _require(not counts[first + 1].any() and bool((b[first + 1] == 1).all() and (counts[last] == 1).all()))
        z = A.indices[entry[last]].astype(np.intp)
        columns = csc_array(A)
        uses = np.diff(columns.indptr)
        bent = np.zeros(q.size, dtype=bool)
        bent[coo_array(program.P).col] = True
        alone = uses[z] == 1
        _require(bool((A.data[entry[last]] == -1).all() and not b[last].any() and np.unique(z).size == z.size))
        _require(bool((alone | ((uses[z] == 2) & (q[z] == 0))).all() and (q[z] >= 0).all() and not bent[z].any()))
        rows, heads, t = _logarithms(program, A, first[~alone], z[~alone])
        _require(bool((uses[t] == 2).all() and not bent[t].any()))
        # u - t <= 0 for each.
        columns_of_terms = np.concatenate([z, t])
        bounds, every = np.concatenate([z[alone], t]), np.concatenate([first[alone], heads])
        exponential = np.arange(bounds.size) < int(alone.sum())
        used = q[bounds] > 0
        _require(bool(used.any()))
        bounds, every, exponential = bounds[used], every[used], exponential[used]
        (at,) = np.nonzero(exponential)
        missing = csr_array((np.ones(at.size), (at, bounds[at])), shape=(every.size, q.size))
        left = np.ones(b.size, dtype=bool)
        left[np.concatenate([first, first + 1, last, rows])] = False
        rest = with_rows(program, left)
        made = ConeProgram(
            P=rest.P,
            q=rest.q,
            A=csc_array(vstack([csr_array(rest.A), -csr_array(A[every]) - missing])),
            b=np.concatenate([rest.b, -b[every]]),
            cones=(*rest.cones, Nonnegative(every.size)),
            variables=rest.variables,
            rows=(*rest.rows, Block("smooth losses", rest.b.size, rest.b.size + every.size)),
            offset=rest.offset,
            name=rest.name,
        )
        return cls(made, bounds, exponential, columns_of_terms)

    def among(self, columns: StatementColumns) -> StatementColumns:
        """Return the columns of the statement without those that are in no row any more.

        Parameters
        ----------
        columns
            Of the statement.
        """
        return StatementColumns(columns.values, np.append(columns.norms, np.setdiff1d(self.columns, self.bounds)))


def _logarithms(program: ConeProgram, A: csr_array, first: Indices, z: Indices) -> tuple[Indices, Indices, Indices]:
    """Return the rows z + z' <= 1 of the terms t >= log(1 + e^u), the rows of their u - t, and the columns of t."""
    b, counts, entry, columns = program.b, np.diff(A.indptr), A.indptr[:-1], csc_array(A)
    ends = columns.indices[columns.indptr[z] + np.arange(2)[:, None]]
    other = np.where(ends[0] == first + 2, ends[1], ends[0]).astype(np.intp)
    order = np.argsort(other, kind="stable")
    _require(order.size % 2 == 0)
    pairs, rows = first[order].reshape(-1, 2), other[order].reshape(-1, 2)
    inequality = np.zeros(b.size, dtype=bool)
    for cone, part in program.parts():
        inequality[part] = isinstance(cone, Nonnegative)
    _require(bool((rows[:, 0] == rows[:, 1]).all() and inequality[rows].all()))
    at = entry[rows[:, 0]]
    _require(bool((b[rows] == 1).all() and (counts[rows] == 2).all()))
    _require(bool((A.data[at] == 1).all() and (A.data[at + 1] == 1).all()))
    # One of the two cones has -t alone, and the other u - t.
    bare = (counts[pairs] == 1) & (b[pairs] == 0) & (A.data[entry[pairs]] == 1)
    _require(bool((bare.sum(axis=1) == 1).all()))
    place = np.arange(len(pairs))
    t = A.indices[entry[pairs[place, bare.argmax(axis=1)]]].astype(np.intp)
    heads = pairs[place, bare.argmin(axis=1)]
    _require(bool((program.q[t] >= 0).all()))
    _require(not t.size or bool((np.asarray(A[heads, t]).reshape(-1) == 1).all()))
    return rows[:, 0], heads, t


def _require(holds: bool) -> None:
    if not holds:
        raise NotSeparable(_OTHERWISE)


@dataclass(frozen=True, eq=False)
class SmoothTerms:
    """The losses cost phi(a s + c) + l s, one of each functional.

    Attributes
    ----------
    numbers
        Which losses of the statement they are.
    cost, a, c, l
        Shape (n,), the costs above 0.
    exponential
        Of which phi is e^u and not log(1 + e^u), shape (n,).
    """

    numbers: Indices
    cost: Vector
    a: Vector
    c: Vector
    l: Vector  # noqa: E741
    exponential: NDArray[np.bool_]

    @classmethod
    def of(cls, losses: SeparatedLosses, terms: ExponentialTerms) -> SmoothTerms:
        """Return them, if every loss of a statement is one.

        Parameters
        ----------
        losses
            Those that the program with rows u <= t falls apart into.
        terms
            What these rows stand for.

        Raises
        ------
        NotSeparable
            If there are others.
        """
        count = losses.functionals.shape[0]
        values, seen = np.zeros((4, count)), np.zeros(count, dtype=bool)
        number = np.full(terms.program.q.size, -1)
        number[terms.bounds] = np.arange(terms.bounds.size)
        of_terms = np.zeros(count, dtype=np.intp)
        for kind in losses.kinds:
            programs = kind.programs
            if not (programs.G.shape[1] or programs.G.shape[2] or programs.p.any() or programs.c.any()):
                # The sum of a linear term that is another loss's.
                continue
            if programs.G.shape[1:] != (1, 1) or (number[kind.columns] < 0).any() or programs.p.any():
                raise NotSeparable("smooth losses stand beside others, or several are of one functional")
            seen[kind.of], of_terms[kind.of] = True, number[kind.columns[:, 0]]
            values[:, kind.of] = programs.q[:, 0], programs.t[:, 0], -programs.d[:, 0], programs.c
        (of,) = np.nonzero(seen)
        if not values[1][of].all():
            raise NotSeparable("a smooth loss is of no functional")
        cost, a, c, linear = values[:, of]
        return cls(of, cost, a, c, linear, terms.exponential[of_terms[of]])

    def losses(self) -> SampleLosses:
        """Return them as losses of the numbers s, with their conjugates."""
        ends = self.l, self.l + self.cost * self.a * np.where(self.exponential, np.inf, 1.0)
        return SampleLosses(
            value=self._value,
            conjugate=self._conjugate,
            lower=-np.maximum(*ends),
            upper=-np.minimum(*ends),
            slope=self._slope,
            curvature=self._curvature,
        )

    def _value(self, s: Vector) -> Vector:
        u = self.a * s + self.c
        with np.errstate(over="ignore"):
            return np.asarray(self.cost * np.where(self.exponential, np.exp(u), np.logaddexp(0.0, u)) + self.l * s)

    def _slope(self, s: Vector) -> Vector:
        u = self.a * s + self.c
        with np.errstate(over="ignore"):
            return self.cost * self.a * np.where(self.exponential, np.exp(u), scipy.special.expit(u)) + self.l

    def _curvature(self, s: Vector) -> Vector:
        u = self.a * s + self.c
        with np.errstate(over="ignore"):
            bent = np.where(self.exponential, np.exp(u), scipy.special.expit(u) * scipy.special.expit(-u))
        return np.asarray(self.cost * self.a**2 * bent)

    def _conjugate(self, beta: Vector) -> Vector:
        """Return the largest -beta s - L(s): with p the slope of phi, cost (phi*(p) - c p)."""
        p = np.clip((-beta - self.l) / (self.cost * self.a), 0.0, np.where(self.exponential, np.inf, 1.0))
        of_one = scipy.special.xlogy(p, p)
        rest = np.where(self.exponential, -p, scipy.special.xlog1py(1.0 - np.minimum(p, 1.0), -np.minimum(p, 1.0)))
        return np.asarray(self.cost * (of_one + rest - self.c * p))
