# SPDX-License-Identifier: BSD-3-Clause
"""The program of a statement about functions: a KernelQP of functionals, or a ConeProgram in coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from scipy.sparse import block_diag, coo_array, csc_array, csr_array, eye_array
from scipy.sparse.csgraph import connected_components

import formulations.modelling.cvx as cp
from formulations.language.function import Combination, FittedFunction, Function, Norm, Values, stacked
from formulations.language.penalties import PenaltyPart, penalty_part
from formulations.language.projection import Projection
from formulations.language.recognition import (
    SAME,
    NotSeparable,
    SeparatedLosses,
    StatementColumns,
    no_entries,
    same_entries,
    separate,
)
from formulations.language.smooth import ExponentialTerms, SmoothTerms
from formulations.language.words import in_words
from formulations.modelling.lowering import Lowered, lower
from formulations.modelling.reasons import declared_groups, is_helper, name_of
from formulations.modelling.routes import FEW
from qpkernels.arrays import Indices, Matrix, Vector, is_sparse
from qpkernels.diagnosis import Group
from qpkernels.display import count
from qpkernels.errors import NoEnclosureError, NoProofError, ParameterError
from qpkernels.gram import Gram
from qpkernels.gram.definiteness import check_whole
from qpkernels.gram.features import PivotedCholesky, pivoted_cholesky
from qpkernels.kernels.functionals import FunctionalKernel, Representers
from qpkernels.problems import (
    Certificate,
    ConeProgram,
    Enclosure,
    FenchelBounds,
    KernelQP,
    KernelQPBounds,
    MultipleKernelQP,
    NormPenalty,
    Program,
    SemiparametricQP,
    SmoothRisk,
)
from qpkernels.problems.certificate import relative, with_rounding
from qpkernels.problems.multiple_kernel_qp import MultipleKernelBounds
from qpkernels.problems.semiparametric_qp import SemiparametricBounds
from qpkernels.solvers import Outcome, find_solver
from qpkernels.solvers.automatic import automatic_for
from qpkernels.solvers.interface import Method
from qpkernels.solvers.repair import Repaired, repair

if TYPE_CHECKING:
    from qpkernels.families.batch.machine import Fitted
    from qpkernels.files.proofs import Proof

__all__ = [
    "Compiled",
    "Found",
    "InCoordinates",
    "found_by",
    "in_coordinates",
    "recognised",
    "require_penalties",
    "with_others",
]


@dataclass(frozen=True, eq=False)
class Found:
    """The meaning of an answer to the program: the functions, the proof, and the constant between both values.

    Attributes
    ----------
    functions
        By the variables that they are of.
    certificate
        Of the program.
    offset
        What the value of the statement, as a minimisation, is above that of the program.
    point, multipliers
        What the certificate is of.
    """

    functions: dict[Function, FittedFunction]
    certificate: Certificate
    offset: float
    point: Vector
    multipliers: Vector


class Compiled(Protocol):
    """A statement as a program that solvers take."""

    @property
    def program(self) -> Program:
        """The program."""

    @property
    def programs(self) -> tuple[Program, ...]:
        """The program, the most special statement of it first."""

    @property
    def description(self) -> str:
        """Which program it is, in words."""

    @property
    def usual_method(self) -> Method:
        """Who solves it where nobody is named."""

    def begin(self, known: Compiled, point: Vector) -> Vector | None:
        """Return where to begin, given an answer to the same statement with other parameters; None: that is no use."""

    def at_once(self, tol: float, memory: int, begin: Vector | None) -> Fitted | None:
        """Return the answer of few samples by arrays, proved or not; None: arrays do not take the program."""

    def answer(self, outcome: Outcome, tol: float, certificate: Certificate | None = None) -> Found:
        """Return what an outcome means, judged, and write it to the variables and constraints of the statement."""

    def enclose(self, found: Found) -> Enclosure:
        """Return an interval that holds the optimum of the program in exact arithmetic."""

    def prove(self, found: Found) -> Proof:
        """Return the proof of an interval that holds the optimum of the program, for any reader to check."""


# As a KernelQP ------------------------------------------------------------------------------------------------


def recognised(
    lowered: Lowered, values: Sequence[Values], norms: Sequence[Norm], known: Compiled | None = None
) -> Compiled:
    """Return the KernelQP that a statement is.

    Parameters
    ----------
    lowered
        The statement in matrices.
    values, norms
        The leaves in it.
    known
        What the same statement was with other parameters: its kernel matrix is kept where the functionals are the same.

    Raises
    ------
    NotSeparable
        With the reason, if it is none.
    """
    before = known if isinstance(known, _AsKernelQP) else None
    part = None if before is None else before.part.again(before.statement.program, lowered.program)
    part = part or penalty_part(lowered, [_columns(lowered, [norm]) for norm in norms])
    spaces, penalties = _spaces(norms, part.penalties)
    silent = [function.name for function in spaces if all(each.function is not function for each in values)]
    if silent:
        raise NotSeparable(f"no functional of {silent[0]} is in it")
    columns = StatementColumns(_columns(lowered, values), part.columns)
    rest = part.rest
    if not penalties:
        spaces, rest = _without_linear(spaces, rest, values, columns.values)
    shift = np.zeros(columns.values.size)
    start = 0
    for each in values:
        if (center := spaces[each.function].known) is not None:
            shift[start : start + each.size] = each.of(center)
        start += each.size
    added = is_helper(lowered)
    projected = Projection.of(rest, np.setdiff1d(np.flatnonzero(added), part.columns))
    rest, smooth = _shifted(projected.program, columns.values, shift), None
    columns = StatementColumns(columns.values, np.append(columns.norms, projected.columns))
    if terms := ExponentialTerms.of(rest):
        if not added[terms.columns].all():
            raise NotSeparable("a variable is in exponential cones of its own")
        losses = separate(terms.program, terms.among(columns), bare=True)
        smooth = SmoothTerms.of(losses, terms)
        losses = replace(losses, kinds=(), entries=no_entries(smooth.numbers))
    else:
        losses = separate(rest, columns, None if before is None or before.is_smooth else before.losses)
    stated = tuple(values), tuple(norms), columns, part, projected, spaces, penalties, losses, smooth, shift, before
    return _kernel_qp(lowered, *stated)


@dataclass(frozen=True, eq=False)
class _Space:
    """A function, of which a ||f - g||^2 is penalised, or ||f - g|| together with other norms.

    Attributes
    ----------
    weight
        a, above 0; 1/2 where norms are penalised together.
    known
        g; None: 0.
    """

    weight: float
    known: FittedFunction | None


def _spaces(
    norms: Sequence[Norm], penalties: tuple[NormPenalty, ...]
) -> tuple[dict[Function, _Space], tuple[NormPenalty, ...]]:
    """Return the functions, and the penalties of their norms, which are none where each is penalised by its square."""
    together = any(each.members.size > 1 or not each.squared for each in penalties)
    squares = dict[int, float]()
    factors, known, spaces = np.ones(len(norms)), list[FittedFunction | None](), dict[Function, _Space]()
    for number, norm in enumerate(norms):
        combination = norm.combination
        if len(combination.terms) != 1:
            raise NotSeparable(f"it has the norm of a sum of functions, {combination}")
        ((factors[number], function),) = combination.terms
        if factors[number] == 0 or function in spaces:
            raise NotSeparable(f"several norms of {function.name} are penalised, or a multiple by 0")
        # a f + g is a (f + g / a), and what is penalised is the distance of f to -g / a.
        a = float(factors[number])
        known.append(found_by(Combination((), combination.known) * (-1.0 / a), {}) if combination.known else None)
        spaces[function] = _Space(0.5, known[-1])
    moved = tuple(replace(each, weights=each.weights * np.abs(factors[each.members])) for each in penalties)
    if together:
        return spaces, moved
    for each in moved:
        squares[int(each.members[0])] = 0.5 * float(each.weights[0]) ** 2
    return {f: _Space(squares[k], space.known) for k, (f, space) in enumerate(spaces.items())}, ()


def _without_linear(
    spaces: dict[Function, _Space], program: ConeProgram, values: Sequence[Values], columns: Indices
) -> tuple[dict[Function, _Space], ConeProgram]:
    """Let functions be drawn to where linear terms alone leave them, in place of terms of functionals in nothing else.

    a ||f - g||^2 + <f, h> is a ||f - (g - h / 2a)||^2 + <g, h> - ||h||^2 / 4a.
    """
    used = np.diff(csc_array(program.A).indptr) + np.diff(csc_array(program.P).indptr) > 0
    slopes, start, offset, made = np.where(used[columns], 0.0, program.q[columns]), 0, program.offset, dict(spaces)
    if not slopes.any() or not used[columns].any():
        return spaces, program
    for each in values:
        own = slopes[start : start + each.size]
        start += each.size
        if own.any():
            a, g = made[each.function].weight, made[each.function].known
            h = FittedFunction((each.points,), own if each.weights is None else np.asarray(own @ each.weights))
            offset += (0.0 if g is None else float(own @ each.of(g))) - h.squared_norm / (4.0 * a)
            drawn = [*([] if g is None else g.terms), (each.points, -0.5 / a * h.coefficients)]
            made[each.function] = _Space(a, FittedFunction.of(drawn))
    q = program.q.copy()
    q[columns] -= slopes
    return made, replace(program, q=q, offset=offset)


def require_penalties(lowered: Lowered, norms: Sequence[Norm]) -> None:
    """Refuse functions of whose norms nothing is left in the matrices: any values at points cost them nothing.

    Parameters
    ----------
    lowered
        The statement in matrices.
    norms
        The norms in it.

    Raises
    ------
    ParameterError
        If there is one.
    """
    program, seen = lowered.program, dict[Function, bool]()
    for norm in norms:
        columns = _columns(lowered, [norm])
        entries = sum(float(abs(part[:, columns]).sum()) for part in (program.P, program.A))
        for function in norm.functions:
            seen[function] = seen.get(function, False) or entries > 0
    free = [function.name for function, is_seen in seen.items() if not is_seen]
    if free:
        raise ParameterError(
            f"the norm of {free[0]} has the weight 0, so that nothing determines {free[0]} away from its points; "
            "give it a weight above 0."
        )


def _columns(lowered: Lowered, variables: Sequence[Any]) -> Indices:
    """Return the columns of variables, in their order."""
    parts = [lowered.columns[each.id] + np.arange(each.size) for each in variables]
    return np.concatenate([np.arange(0), *parts])


def _shifted(program: ConeProgram, columns: Indices, shift: Vector) -> ConeProgram:
    """Return the program in variables that are less by ``shift``."""
    if not shift.any():
        return program
    full = np.zeros(program.q.size)
    full[columns] = shift
    slope = program.P @ full
    offset = program.offset + float(full @ (program.q + 0.5 * slope))
    return ConeProgram(
        program.P, program.q + slope, program.A, program.b - program.A @ full, program.cones, program.variables,
        program.rows, offset, program.name,
    )  # fmt: skip


def _kernel_qp(
    lowered: Lowered,
    values: tuple[Values, ...],
    norms: tuple[Norm, ...],
    columns: StatementColumns,
    part: PenaltyPart,
    projected: Projection,
    spaces: dict[Function, _Space],
    penalties: tuple[NormPenalty, ...],
    losses: SeparatedLosses,
    smooth: SmoothTerms | None,
    shift: Vector,
    known: _AsKernelQP | None,
) -> Compiled:
    if losses.entries.of.size == 0:
        # Losses that are constant have the slope 0 alone.
        losses = replace(losses, entries=no_entries(np.arange(losses.functionals.shape[0])))
    entries = losses.entries
    directions, costs = losses.directions[entries.of], losses.costs
    rows, apart = csr_array(losses.functionals[entries.of]), bool(penalties)
    same = known is not None and known.is_of(rows, spaces) and isinstance(known.program, MultipleKernelQP) == apart
    grams = known.grams if known is not None and same else _grams(values, spaces, rows, apart=apart)
    gram = grams[0]
    parts = (entries.target, entries.lower, entries.upper)
    others = (entries.epsilon, entries.ridge, lowered.program.name)
    factor = 1.0
    program: KernelQP | SemiparametricQP | MultipleKernelQP | SmoothRisk
    single = directions.shape[1] == 1 and bool(directions[0, 0]) and bool((directions == directions[0, 0]).all())
    try:
        if smooth is not None:
            scale = float(np.abs(directions.T @ smooth.l).sum() + np.abs(smooth.cost * smooth.a).sum())
            if penalties or directions.shape[1] > single or (np.abs(costs) > SAME * scale).any():
                raise NotSeparable(
                    "smooth losses stand beside free directions other than an intercept, or joined norms"
                )
            factor = float(directions[0, 0]) if single else 1.0
            program = SmoothRisk(gram, smooth.losses(), 0.0 if single else None, lowered.program.name)
        elif penalties:
            if directions.shape[1] and not single:
                raise NotSeparable("norms are penalised together, beside free directions other than an intercept")
            factor = float(directions[0, 0]) if single else 1.0
            total = float(costs[0]) / factor if single else None
            program = MultipleKernelQP(grams, penalties, *parts, total, *others)
        elif directions.shape[1] == 0:
            program = KernelQP(gram, *parts, None, *others)
        elif single:
            factor = float(directions[0, 0])
            program = KernelQP(gram, *parts, float(costs[0]) / factor, *others)
        else:
            program = SemiparametricQP(gram, *parts, directions, costs, *others)
    except ParameterError as error:
        raise NotSeparable(f"it has no dual point, or free directions that nothing determines: {error}") from error
    return _AsKernelQP(program, lowered, values, norms, columns, part, projected, spaces, losses, shift, factor, rows)


def _grams(
    values: Sequence[Values], spaces: dict[Function, _Space], functionals: csr_array, *, apart: bool
) -> tuple[Gram, ...]:
    """Return the inner products of the functionals with the weights of the penalties: of all functions, or of each."""
    functions = tuple(spaces)
    plain = all(each.weights is None and not each.points.axes for each in values)
    if plain and len(functions) == 1 and functionals.nnz == functionals.shape[0] and (functionals.data == 1.0).all():
        kernel, weight = functions[0].kernel, spaces[functions[0]].weight
        X = stacked([each.points.X for each in values])
        chosen = functionals.indices
        every = chosen.size == X.shape[0] and bool((chosen == np.arange(chosen.size)).all())
        return (Gram(kernel if weight == 0.5 else kernel * (0.5 / weight), X if every else X[chosen]),)
    if plain and apart and (common := _common_samples(values, functions, functionals)) is not None:
        X, rows = common
        chosen = X if rows is None else X[rows]
        return tuple(Gram(function.kernel, chosen) for function in functions)
    parts, mixing = _representers(values, functions, spaces)
    samples: Any = functionals @ mixing
    if not apart:
        return (Gram(FunctionalKernel([each for each in parts if each]), samples),)
    for function, each in zip(functions, parts, strict=True):
        if not each:
            raise NotSeparable(f"no functional of {function.name} is in the statement, only its norm")
    return tuple(Gram(FunctionalKernel(parts, number), samples) for number in range(len(functions)))


def _common_samples(
    values: Sequence[Values], functions: Sequence[Function], functionals: csr_array
) -> tuple[Any, Indices | None] | None:
    """Return the points of which all functions are added, and which of them, where every functional is such a sum."""
    first, count = values[0].points.X, len(values)
    place = {each.function: number for number, each in enumerate(values)}
    same = all(each.points.X.shape == first.shape and not is_sparse(each.points.X) for each in values)
    if len(place) < count or set(place) != set(functions) or not same:
        return None
    if not all(np.array_equal(each.points.X, first) for each in values[1:]) or not (functionals.data == 1.0).all():
        return None
    n = first.shape[0]
    if (np.diff(functionals.indptr) != count).any():
        return None
    numbers = functionals.indices.reshape(-1, count)
    if (numbers != numbers[:, :1] + n * np.arange(count)).any():
        return None
    rows = np.asarray(numbers[:, 0], dtype=np.intp)
    return first, None if rows.size == n and (rows == np.arange(n)).all() else rows


def _representers(
    values: Sequence[Values], functions: Sequence[Function], spaces: dict[Function, _Space]
) -> tuple[list[list[Representers]], csr_array]:
    """Return the representers of each function, scaled as it is penalised, and what the values are of them."""
    grouped = [[each for each in values if each.function is function] for function in functions]
    parts = []
    for function, members in zip(functions, grouped, strict=True):
        scale = 0.5 / spaces[function].weight
        kernel = function.kernel if scale == 1.0 else function.kernel * scale
        parts.append([Representers(kernel, each.points.X, each.points.axes) for each in members])
    place = {each.id: number for number, each in enumerate(values)}
    order = [place[each.id] for members in grouped for each in members]
    blocks = [
        each.weights if each.weights is not None else eye_array(len(each.points), format="csr") for each in values
    ]
    starts = np.cumsum([0] + [block.shape[0] for block in blocks])
    rows = np.concatenate([np.arange(starts[i], starts[i + 1]) for i in order])
    mixing = csr_array(block_diag([blocks[i] for i in order], format="csr"))
    # Its rows are in the order of the functions, and those of the values are wanted.
    back = np.empty_like(rows)
    back[rows] = np.arange(rows.size)
    return parts, csr_array(mixing[back])


@dataclass(frozen=True, eq=False)
class _AsKernelQP:
    """A statement that is a KernelQP, or one with several free directions, of functionals; see :class:`Compiled`."""

    program: KernelQP | SemiparametricQP | MultipleKernelQP | SmoothRisk
    statement: Lowered
    values: tuple[Values, ...]
    norms: tuple[Norm, ...]
    columns: StatementColumns
    part: PenaltyPart
    projected: Projection
    spaces: dict[Function, _Space]
    losses: SeparatedLosses
    shift: Vector
    factor: float
    functionals: csr_array

    def is_of(self, functionals: csr_array, spaces: Mapping[Function, _Space]) -> bool:
        """Return whether it is about these functionals, with these weights of the penalties."""
        weights, others = ({f: each.weight for f, each in some.items()} for some in (self.spaces, spaces))
        return weights == others and same_entries(self.functionals, functionals)

    @property
    def is_smooth(self) -> bool:
        """Whether its losses are smooth ones."""
        return isinstance(self.program, SmoothRisk)

    def begin(self, known: Compiled, point: Vector) -> Vector | None:
        if not isinstance(known, _AsKernelQP) or not self.is_of(known.functionals, known.spaces):
            return None
        if isinstance(self.program, SmoothRisk) or isinstance(known.program, SmoothRisk):
            return None
        # The largest multiple that is feasible, as along a path.
        beta, program = known.program.project(point), self.program
        used = beta != 0
        room = np.where(beta > 0, program.upper, program.lower)[used] / beta[used]
        factor = float(room.min(initial=np.inf))
        return program.project(factor * beta if 0.0 < factor < np.inf else beta)

    @property
    def grams(self) -> tuple[Gram, ...]:
        """The kernel matrices of the program."""
        return self.program.grams if isinstance(self.program, MultipleKernelQP) else (self.program.gram,)

    @cached_property
    def programs(self) -> tuple[Program, ...]:
        program = self.program
        if not isinstance(program, KernelQP):
            return (program,)
        bounded = np.isfinite(program.lower).any() or np.isfinite(program.upper).any() or program.has_epsilon
        if bounded or program.total:
            return (program,)
        return program.linear_system(), program

    @property
    def description(self) -> str:
        size = f"{len(self.program)} functionals"
        if isinstance(self.program, SemiparametricQP):
            return f"a SemiparametricQP of {size} and {count(self.program.totals.size, 'free direction')}"
        intercept = " with an intercept" if self.program.total is not None else ""
        if isinstance(self.program, MultipleKernelQP):
            return f"a MultipleKernelQP of {size} and {count(len(self.program.grams), 'kernel')}{intercept}"
        return f"a {type(self.program).__name__} of {size}{intercept}"

    @property
    def usual_method(self) -> Method:
        return automatic_for(self.programs[0])

    def at_once(self, tol: float, memory: int, begin: Vector | None) -> Fitted | None:
        program = self.program
        if not isinstance(program, KernelQP) or program.is_hard or len(self.programs) > 1:
            return None
        if program.size > FEW or not program.gram.trusted:
            return None
        # Its compiled loops need numba, which takes its time to import.
        from qpkernels.families.batch.arrays import KernelQPs, solve_kernel_qps

        solved = solve_kernel_qps(KernelQPs.of(program, begin), tol=tol, memory=memory, jobs=1)
        return None if solved is None else solved.fitted(0, tol)

    def answer(self, outcome: Outcome, tol: float, certificate: Certificate | None = None) -> Found:
        program, z = self.program, outcome.multipliers
        if isinstance(program, SmoothRisk):
            fenchel = FenchelBounds(program.gram, program.losses, program.total)
            beta = fenchel.feasible(outcome.point)
        else:
            beta = program.project(outcome.point)
        values = outcome.values[None] if certificate is not None and outcome.values is not None else None
        scales = np.array([0.5 / space.weight for space in self.spaces.values()])
        match program:
            case SemiparametricQP():
                certificate = SemiparametricBounds(program).certify(outcome.point, z)
            case MultipleKernelQP():
                apart = MultipleKernelBounds(program)
                products = apart.products(outcome.point, z)
                certificate = apart.certify(outcome.point, z, products)
                scales, z = np.split(z, [scales.size])
                values = scales[:, None] * products
            case SmoothRisk():
                certificate = fenchel.certify(outcome.point, float(z[0]) if z.size else 0.0)
            case _ if certificate is None:
                bounds, b = KernelQPBounds(program), float(z[0]) if z.size else 0.0
                product = bounds.product(beta, b)
                certificate = bounds.certify(outcome.point, b, product=product)
                values = product.values[None]
        assert certificate is not None
        functions = self._functions(beta, scales)
        self._write(beta, z / self.factor, functions, scales, values, solved=certificate.holds(tol))
        return Found(functions, certificate, self.losses.offset, outcome.point, z)

    def enclose(self, found: Found) -> Enclosure:
        if not isinstance(self.program, KernelQP):
            raise NoEnclosureError(
                f"nothing is known of rounding errors in {self.description}; its certificate bounds the optimum up to "
                "these."
            )
        b = float(found.multipliers[0]) if found.multipliers.size else 0.0
        return KernelQPBounds(self.program).enclose(self.program.project(found.point), b)

    def prove(self, found: Found) -> Proof:
        from qpkernels.files.proofs import prove_machine  # few answers are proved, and it takes its time to import

        program, words = self.program, _statement_in_words(self.statement.problem, found.offset)
        if isinstance(program, KernelQP | SemiparametricQP):
            bounds = KernelQPBounds(program) if isinstance(program, KernelQP) else SemiparametricBounds(program)
            free = found.multipliers if found.multipliers.size else np.zeros(1)
            return prove_machine(bounds, program.project(found.point), free, words)
        raise NoProofError(f"a portable proof has no words for {self.description}.")

    def _functions(self, beta: Vector, scales: Vector) -> dict[Function, FittedFunction]:
        weights = beta @ self.functionals
        found, start = dict[Function, FittedFunction](), 0
        parts: dict[Function, list[tuple[Representers, Vector]]] = {function: [] for function in self.spaces}
        for each in self.values:
            own = weights[start : start + each.size]
            start += each.size
            parts[each.function].append((each.points, own if each.weights is None else own @ each.weights))
        for scale, (function, space) in zip(scales.tolist(), self.spaces.items(), strict=True):
            listed = [(part, scale * c) for part, c in parts[function]]
            found[function] = FittedFunction.of(listed + ([] if space.known is None else space.known.terms))
        return found

    def _write(
        self,
        beta: Vector,
        shared: Vector,
        functions: dict[Function, FittedFunction],
        scales: Vector,
        values: Matrix | None,
        *,
        solved: bool,
    ) -> None:
        """Write an answer to the statement.

        Functions are ``scales`` times beta; ``values`` are theirs, together or of each, where they are known.
        """
        losses, matrices = self.losses, self.statement.program
        v = None if values is None else self._spread(values)
        if v is None:
            v = np.concatenate([each.of(functions[each.function]) for each in self.values])
        s = losses.functionals @ (v - self.shift) + losses.directions @ shared
        slopes = -np.bincount(losses.entries.of, weights=beta, minlength=s.size).astype(float)
        x, multipliers = np.zeros(matrices.q.size), np.zeros(matrices.b.size)
        own = np.zeros(self.projected.program.b.size)
        x[self.columns.values], x[losses.shared] = v, shared
        losses.write(np.asarray(s), slopes, x, own)
        multipliers[self.part.rows] = self.projected.expand(x, own)
        for norm in self.norms:
            ((factor, function), *others) = norm.combination.terms
            alone = values is not None and len(self.spaces) == len(values) and self.spaces[function].known is None
            if values is not None and alone and not others:
                place = tuple(self.spaces).index(function)
                size = factor**2 * float(scales[place] * (beta @ values[place]))
            else:
                size = found_by(norm.combination, functions).squared_norm
            x[_columns(self.statement, [norm])] = np.sqrt(max(0.5 * size, 0.0))
        self.statement.write_back(x, multipliers, solved=solved)

    def _spread(self, values: Matrix) -> Vector | None:
        """Return the numbers that functionals take, where each is that of a function in a loss; None: some are not."""
        functionals, v = self.functionals, np.full(self.columns.values.size, np.nan)
        places = {function: place for place, function in enumerate(self.spaces)}
        of = np.repeat([places[each.function] for each in self.values], [each.size for each in self.values])
        losses = np.repeat(np.arange(functionals.shape[0]), np.diff(functionals.indptr))
        for place, row in enumerate(values):
            own = slice(None) if len(values) == 1 else of[functionals.indices] == place
            if (np.diff(losses[own]) > 0).all() and (functionals.data[own] == 1.0).all():
                v[functionals.indices[own]] = row[losses[own]]
        return None if np.isnan(v).any() else v + self.shift


def found_by(combination: Combination, functions: Mapping[Function, FittedFunction]) -> FittedFunction:
    """Return a combination of functions of one space, the unknown ones being those that were found.

    Parameters
    ----------
    combination
        What is wanted.
    functions
        What was found.
    """
    found = (*((a, functions[f]) for a, f in combination.terms), *combination.known)
    return FittedFunction.of((part, a * c) for a, each in found for part, c in each.terms)


# In coordinates -----------------------------------------------------------------------------------------------


def in_coordinates(problem: Any, values: Sequence[Values], norms: Sequence[Norm], name: str) -> InCoordinates:
    """Return a statement as a ConeProgram, each function having coordinates in the span of the functionals.

    With a factor G = L L' of the inner products of all representers, f = sum_j c_j l_j has the coordinates u = L'c, in
    which ||f|| = ||u||, and the functionals take the values L u.

    Parameters
    ----------
    problem
        The statement.
    values, norms
        The leaves in it.
    name
        What it is called.
    """
    spans = _spans(values, norms)
    u = {f: cp.Variable(span.rank, name=f"coordinates of {f.name}") for f, span in spans.items()}
    replaced = {}
    for norm in norms:
        terms, known = norm.combination.terms, norm.combination.known
        span = spans[terms[0][1]]
        replaced[norm.id] = sum([a * u[f] for a, f in terms] + [c * span.coordinates_of(g) for c, g in known])
    objective = type(problem.objective)(with_others(problem.objective.args[0], replaced))
    constraints = [with_others(each, replaced) for each in problem.constraints]
    links = [each == spans[each.function].rows_of(each) @ u[each.function] for each in values]
    for link, each in zip(links, values, strict=True):
        link.set_label(each.name())
    made = cp.Problem(objective, [*constraints, *links])
    return InCoordinates(lower(made, name), problem, tuple(constraints), tuple(norms), tuple(values), spans, u)


def with_others(expression: Any, replaced: Mapping[int, Any]) -> Any:
    """Return an expression or constraint with other expressions in place of some leaves; as it is without such.

    Parameters
    ----------
    expression
        Of CVXPY.
    replaced
        The other expressions by the ids of variables and parameters.
    """
    if not any(each.id in replaced for each in (*expression.variables(), *expression.parameters())):
        return expression
    if isinstance(expression, cp.Variable | cp.Parameter):
        return replaced[expression.id]
    return expression.copy([with_others(each, replaced) for each in expression.args])


@dataclass(frozen=True, eq=False)
class _RepresenterSpan:
    """The span of representers of one space, in which functions have coordinates.

    Attributes
    ----------
    parts
        The representers.
    cholesky
        L, with what leads from coordinates to coefficients.
    gram
        G, the inner products of all representers.
    """

    parts: tuple[Representers, ...]
    cholesky: PivotedCholesky
    gram: Matrix

    @classmethod
    def of(cls, parts: Sequence[Representers]) -> _RepresenterSpan:
        K = np.block([[left.inner(right) for right in parts] for left in parts])
        if not parts[0].kernel.positive_semidefinite:
            check_whole(parts[0].kernel, K.diagonal(), K, K.__matmul__)
        return cls(tuple(parts), pivoted_cholesky(K, K.diagonal().copy()), K)

    @property
    def rank(self) -> int:
        return int(self.cholesky.factor.shape[1])

    def _rows(self, points: Representers) -> Matrix:
        start = 0
        for part in self.parts:
            if part is points:
                return self.cholesky.factor[start : start + len(part)]
            start += len(part)
        raise AssertionError("representers of another span")

    def rows_of(self, values: Values) -> Matrix:
        """Return what values are of the coordinates."""
        rows = self._rows(values.points)
        return rows if values.weights is None else np.asarray(values.weights @ rows)

    def share_beyond(self, weights: Vector) -> float:
        """Return the share of ||sum_r w_r l_r||^2 that L leaves out: w'(G - LL')w over w'LL'w, rounding included.

        Parameters
        ----------
        weights
            w, one of each representer.
        """
        w = weights.astype(np.longdouble)
        within = self.cholesky.factor.T @ w
        inside, whole = float(within @ within), w @ (self.gram @ w)
        size = float(np.abs(w) @ (np.abs(self.gram) @ np.abs(w)))
        beyond = abs(float(whole - within @ within)) + 2 * (w.size + 2) * float(np.finfo(np.longdouble).eps) * size
        return relative(beyond, inside)

    def weights_of(self, values: Values, multipliers: Vector) -> Vector:
        """Return w with sum_r w_r l_r the combination of functionals that has these multipliers."""
        found, start = np.zeros(len(self.gram)), 0
        for part in self.parts:
            if part is values.points:
                own = multipliers if values.weights is None else multipliers @ values.weights
                found[start : start + len(part)] = own
            start += len(part)
        return found

    def coordinates_of(self, known: FittedFunction) -> Vector:
        """Return those of a known function, whose representers are among these."""
        return np.asarray(sum(c @ self._rows(part) for part, c in known.terms))

    def function(self, coordinates: Vector) -> FittedFunction:
        """Return the function of these coordinates."""
        return FittedFunction(self.parts, np.asarray(self.cholesky.coefficients(coordinates)))


def _spans(values: Sequence[Values], norms: Sequence[Norm]) -> dict[Function, _RepresenterSpan]:
    """Return a span for each function, the same for functions that stand under one norm."""
    functions = list(dict.fromkeys([*(each.function for each in values), *(f for n in norms for f in n.functions)]))
    place = {function: number for number, function in enumerate(functions)}
    links = [(place[norm.functions[0]], place[f]) for norm in norms for f in norm.functions]
    heads, tails = np.array([*links, *((i, i) for i in place.values())]).T
    graph = coo_array((np.ones(heads.size), (heads, tails)), shape=(len(place),) * 2)
    _, labels = connected_components(graph, directed=False)
    made = {}
    for label in dict.fromkeys(labels.tolist()):
        members = {function for function in functions if labels[place[function]] == label}
        parts = [each.points for each in values if each.function in members]
        known = [g for norm in norms if norm.functions[0] in members for _, g in norm.combination.known]
        parts += [part for g in known for part in g.parts]
        if not parts:
            name = next(iter(members)).name
            raise ParameterError(f"no functional of {name} is in the statement, only its norm; leave {name} out.")
        made[label] = _RepresenterSpan.of(parts)
    return {function: made[labels[place[function]]] for function in functions}


@dataclass(frozen=True, eq=False)
class InCoordinates:
    """A statement as a ConeProgram; see :class:`Compiled`."""

    lowered: Lowered
    problem: Any
    constraints: tuple[Any, ...]
    norms: tuple[Norm, ...]
    values: tuple[Values, ...]
    spans: dict[Function, _RepresenterSpan]
    u: dict[Function, Any]

    @property
    def program(self) -> ConeProgram:
        """The matrices."""
        return self.lowered.program

    @property
    def programs(self) -> tuple[Program, ...]:
        """The program alone."""
        return (self.program,)

    def groups(self) -> tuple[Group, ...]:
        """Return the constraints of the statement, each with what the coordinates say of the values of functions."""
        every = declared_groups(self.lowered)
        count, links = len(self.constraints), len(self.lowered.problem.constraints)
        linked = np.concatenate([np.arange(0), *self._links()])
        stated = self.stated_names
        own = [
            replace(group, name=stated[group.name], auxiliary=np.concatenate([group.auxiliary, linked]))
            for group in every[:count]
        ]
        return (*own, *every[links:])

    @property
    def stated_names(self) -> dict[str, str]:
        """The written names of the constraints by their names in coordinates."""
        every = zip(self.problem.constraints, self.constraints, strict=True)
        return {
            name_of(copied, number): name_of(own, number, in_words(own)) for number, (own, copied) in enumerate(every)
        }

    @cached_property
    def description(self) -> str:
        """Which program it is, in words."""
        return f"a ConeProgram of {self.program.q.size} variables in coordinates"

    @property
    def usual_method(self) -> Method:
        """Clarabel."""
        return find_solver("clarabel")

    def begin(self, known: Compiled, point: Vector) -> None:
        """Return that there is no beginning.

        Parameters
        ----------
        known, point
            What was found with other parameters.
        """

    def at_once(self, tol: float, memory: int, begin: Vector | None) -> None:
        """Return that arrays do not take it.

        Parameters
        ----------
        tol, memory, begin
            What would be asked of them.
        """

    def answer(self, outcome: Outcome, tol: float, certificate: Certificate | None = None) -> Found:
        """Return what an outcome means, repaired and judged; the statement holds it then.

        Parameters
        ----------
        outcome
            A point with multipliers.
        tol
            The tolerance at which it is good enough as it is.
        certificate
            What is proved of it already; None: it is judged.
        """
        del certificate
        repaired = repair(self.program, outcome.point, outcome.multipliers, tol)
        functions = {}
        for f, span in self.spans.items():
            start = self.lowered.columns[self.u[f].id]
            functions[f] = span.function(repaired.point[start : start + span.rank])
        certificate = self._of_whole_space(repaired)
        found = Found(functions, certificate, 0.0, repaired.point, repaired.multipliers)
        self.write(found, tol)
        return found

    def _of_whole_space(self, repaired: Repaired) -> Certificate:
        """Return what is proved of functions, of which coordinates leave out what rounding hides.

        The functions that were found are in the span, and so is the primal value theirs. The dual value counts the norm
        of the combination of representers that the multipliers make, less what of it is outside of the span: as a share
        of all terms of the values that bounds what a penalty of its square changes.
        """
        certificate, program = repaired.certificate, self.program
        weights: dict[int, Vector] = {}
        spans = {id(span): span for span in self.spans.values()}
        for rows, values in zip(self._links(), self.values, strict=True):
            span = self.spans[values.function]
            own = span.weights_of(values, repaired.multipliers[rows])
            weights[id(span)] = weights.get(id(span), np.zeros(own.size)) + own
        share = max((spans[key].share_beyond(each) for key, each in weights.items()), default=0.0)
        x, z = np.abs(repaired.point), np.abs(repaired.multipliers)
        size = float(np.abs(program.q) @ x + np.abs(program.b) @ z + 0.5 * x @ (abs(program.P) @ x))
        return with_rounding(certificate, share * size)

    def _links(self) -> list[Indices]:
        """Return the rows that say what values are of the coordinates, of each functional in turn."""
        every, count = declared_groups(self.lowered), len(self.constraints)
        return [group.all_rows for group in every[count : len(self.lowered.problem.constraints)]]

    def write(self, found: Found, tol: float) -> None:
        """Write an answer to the statement.

        Parameters
        ----------
        found, tol
            The answer, and the tolerance at which it is good enough.
        """
        self.lowered.write_back(found.point, found.multipliers, solved=found.certificate.holds(tol))
        for own, copied in zip(self.problem.constraints, self.constraints, strict=True):
            if own is not copied:
                for variable, other in zip(own.dual_variables, copied.dual_variables, strict=True):
                    variable.save_value(other.value)
        for norm in self.norms:
            size = found_by(norm.combination, found.functions).squared_norm
            cp.Variable.save_value(norm, np.full(2, np.sqrt(0.5 * size)))

    def enclose(self, found: Found) -> Enclosure:
        """Refuse: the coordinates of functions are rounded, and an exact proof of these is none of the functions.

        Parameters
        ----------
        found
            The answer.
        """
        del found
        raise NoEnclosureError(
            "a statement in coordinates has no enclosure, since coordinates of functions are rounded; its certificate "
            "counts that. enclose_cone_program(machine.matrices(), ...) encloses the optimum of the matrices."
        )

    def prove(self, found: Found) -> Proof:
        """Return the proof of an interval that holds the optimum of the matrices, whose coordinates are rounded.

        Parameters
        ----------
        found
            The answer.
        """
        from qpkernels.files.proofs import prove_cone_program  # as above

        words = f"{_statement_in_words(self.problem, found.offset)}, in coordinates of functions as rounded"
        return prove_cone_program(self.program, found.point, found.multipliers, words)


def _statement_in_words(problem: Any, offset: float) -> str:
    verb = "minimise" if isinstance(problem.objective, cp.Minimize) else "minimise the negative of"
    rows = ", ".join(map(in_words, problem.constraints))
    stated = f"{verb} {in_words(problem.objective.args[0])}" + (f" subject to {rows}" if rows else "")
    return f"{stated}, less the constant {offset!r}" if offset else stated
