# SPDX-License-Identifier: BSD-3-Clause
"""From a CVXPY problem to a ConeProgram, and the answer back to the problem's variables and multipliers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from operator import itemgetter
from types import SimpleNamespace
from typing import Any, Literal, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from scipy.sparse import csc_array, diags_array

import formulations.modelling.cvx as cp
from qpkernels.arrays import Matrix, Vector, check_choice
from qpkernels.errors import ParameterError, UnsupportedProgramError
from qpkernels.problems import Block, Cone, ConeProgram, Exponential, Nonnegative, Power, PSDTriangle, SecondOrder, Zero
from qpkernels.problems.cone_program.elimination import defining_rows, eliminate

__all__ = [
    "ConeAnswer",
    "Lowered",
    "Structure",
    "is_lowered",
    "is_written_back",
    "lower",
]

Structure: TypeAlias = Literal["textbook", "lowered"]
"""Which matrices of a form.

"textbook" is in the variables of the declaration: P is YKY in the dual of a soft margin, and [[K, -K], [-K, K]] in that
of a tube. Variables that no equation defines stay, and are named "auxiliary": those above a hinge, an absolute value, a
largest entry, a norm, an exponential or a power. A dual that the textbook solves as a linear system is written as such,
with b among the unknowns and the objective 0. "lowered" is the form that solvers get: the norm of a dual in few
features, and that of a tube, has auxiliary variables of its own.
"""

_AUXILIARY = "auxiliary"
"""Name of the blocks that the reduction adds to the declared ones; they are numbered in order."""


_WRITING, _LOWERING = ContextVar("writing", default=False), ContextVar("lowering", default=False)


def is_written_back() -> bool:
    """Return whether an answer of this library, and not one that CVXPY found, is being written to variables."""
    return _WRITING.get()


def is_lowered() -> bool:
    """Return whether a problem is being lowered, for which its variables have no values."""
    return _LOWERING.get()


@dataclass(frozen=True, eq=False)
class Lowered:
    """A CVXPY problem, its matrices, and the way back from these.

    Attributes
    ----------
    problem
        The problem as declared.
    program
        The same in matrices; always a minimisation, so the objective of a ``Maximize`` is negated. Every block keeps
        the name of its variable or the label of its constraint.
    columns
        The first column of each variable, by its CVXPY id.
    numbers
        For each block of rows, the number of its declared constraint, from 0; -1 where the reduction added it.
    """

    problem: cp.Problem
    program: ConeProgram
    columns: Mapping[int, int]
    numbers: tuple[int, ...]
    chain: Any
    inverse_data: Any

    @property
    def added(self) -> frozenset[str]:
        """Names of the blocks of rows that the reduction added."""
        blocks = zip(self.program.rows, self.numbers, strict=True)
        return frozenset(block.name for block, number in blocks if number < 0)

    def write_back(self, x: Vector, z: Vector, solved: bool) -> None:
        """Write a point and its multipliers to the variables and constraints of the problem.

        ``problem.status`` becomes "optimal" if ``solved``, and otherwise "optimal_inaccurate".
        """
        raw = SimpleNamespace(
            status="Solved" if solved else "AlmostSolved",
            obj_val=self.program.objective(x) - self.program.offset,
            x=x,
            z=z,
            solve_time=0.0,
            iterations=0,
        )
        token = _WRITING.set(True)
        try:
            self.problem.unpack(self.chain.invert(raw, self.inverse_data))
        finally:
            _WRITING.reset(token)

    def matrices(self, structure: Structure) -> ConeProgram:
        """Return the program itself, or without auxiliary variables that equations define.

        Raises
        ------
        ParameterError
            If ``structure`` is neither.
        """
        check_choice(structure, "structure", ("textbook", "lowered"))
        program = self.program
        if structure == "textbook":
            declared = {variable.name() for variable in self.problem.variables()}
            for name in (block.name for block in self.program.variables if block.name not in declared):
                if defining_rows(program, name) is not None:
                    program = eliminate(program, [name]).program
        return program


@dataclass(frozen=True, eq=False)
class ConeAnswer:
    """The answer of a cone solver: the lowered problem, whose variables hold the point, and its multipliers.

    Attributes
    ----------
    lowered
        The problem in matrices; its ``problem`` holds the point that was found.
    z
        Multipliers of its rows, shape (rows of A,), in the sign of Px + q + A'z = 0.
    """

    lowered: Lowered
    z: Vector

    def epigraphs(self, expression: cp.Expression) -> list[Vector]:
        """Return the multipliers of each block of inequalities that the reduction added and that use ``expression``.

        These are the multipliers of epigraph rows t >= a(expression), which no declared constraint shows. They are in
        the order of the reduction: rows of the textbook's objective come before those of the user's additions.

        Parameters
        ----------
        expression
            A CVXPY expression of the declaration. Its variables determine which inequalities use it.
        """
        touching = np.zeros(self.lowered.program.q.size, dtype=bool)
        for variable in expression.variables():
            start = self.lowered.columns[variable.id]
            touching[start : start + variable.size] = True
        rows = np.diff(self.lowered.program.A[:, touching].tocsr().indptr) > 0
        inequality = np.zeros(self.z.size, dtype=bool)
        for cone, part in self.lowered.program.parts():
            inequality[part] = isinstance(cone, Nonnegative)
        return [
            self.z[block.range]
            for block in self.lowered.program.rows
            if block.name in self.lowered.added and (rows & inequality)[block.range].any()
        ]


def lower(problem: cp.Problem, name: str) -> Lowered:
    """Return the matrices of ``problem`` in Clarabel's form, with names for all blocks.

    Parameters of the problem enter with their present values; only the first call compiles.

    Raises
    ------
    UnsupportedProgramError
        If the problem is not convex by CVXPY's rules, or needs a cone that has no class here.
    ParameterError
        If a parameter has no value.
    """
    if not problem.is_dcp():
        raise UnsupportedProgramError(
            f"{name} is not convex by CVXPY's rules (DCP), so no certificate exists for it; "
            "look for the offending term with `term.is_convex()`."
        )
    if problem.is_mixed_integer():
        raise UnsupportedProgramError(f"{name} has integer or boolean variables, so it is not convex; relax them.")
    missing = [parameter.name() for parameter in problem.parameters() if parameter.value is None]
    if missing:
        raise ParameterError(f"the parameters {', '.join(missing)} of {name} have no value; set them first.")
    if problem not in _OUTLINES:
        _OUTLINES[problem] = _Outline.of(problem)
    outline = _OUTLINES[problem]
    compiling = problem if outline is None else outline.problem
    # CVXPY begins what it adds at values of variables, and fails at that for atoms such as cvar: they have none here.
    held: list[Any] = list(map(vars, problem.variables()))
    kept, token = list(map(itemgetter("_value"), held)), _LOWERING.set(True)
    try:
        for each in held:
            each["_value"] = None
        data, chain, inverse_data = compiling.get_problem_data("CLARABEL", solver_opts={"use_quad_obj": True})
    finally:
        _LOWERING.reset(token)
        for each, value in zip(held, kept, strict=True):
            each["_value"] = value
    compiled = data["param_prob"]
    n = data["c"].size
    declared = {variable.name() for variable in problem.variables()}
    variables = [
        (variable.name() if variable.name() in declared else None, variable.size) for variable in compiled.variables
    ]
    declared_as = _declared_numbers(problem, chain, inverse_data)
    numbers = tuple(declared_as.get(constraint.id, -1) for constraint in compiled.constraints)
    labels = [constraint.label or f"constraint {k}" for k, constraint in enumerate(problem.constraints, start=1)]
    rows = [
        (labels[number] if number >= 0 else None, constraint.size)
        for number, constraint in zip(numbers, compiled.constraints, strict=True)
    ]
    P = csc_array((n, n)) if data.get("P") is None else data["P"]
    if outline is None:
        P = csc_array(_symmetric(P))
    elif (block := outline.place(P, compiled, declared)) is not None:
        P = outline.filled(P, block)
    else:
        _OUTLINES[problem] = None
        return lower(problem, name)
    program = ConeProgram(
        P=P,
        q=np.asarray(data["c"], dtype=np.float64),
        A=csc_array(data["A"]),
        b=np.asarray(data["b"], dtype=np.float64),
        cones=tuple(_cones(data["dims"], name)),
        variables=_blocks(variables),
        rows=_blocks(rows),
        offset=float(inverse_data[-1].inverse_data["offset"]),
        name=name,
    )
    return Lowered(problem, program, compiled.var_id_to_col, numbers, chain, inverse_data)


def _symmetric(P: Any) -> Any:
    """Return P without what rounding parts its triangles by: files and solvers keep one of them."""
    return 0.5 * (P + P.T)


@dataclass(frozen=True, eq=False)
class _Outline:
    """A problem with 1/2 c'Kc in its objective, and the same with the diagonal of K in place of K.

    CVXPY takes a matrix apart into triplets and sorts them twice, which is most of the time of a lowering where a dense
    K has thousands of samples. So it lowers the outline, and the entries off the diagonal are put into P afterwards.

    Attributes
    ----------
    problem
        The outline; its variables and constraints are those of the problem itself.
    matrix
        K, dense, shape (m, m).
    argument
        c, affine in the variables.
    """

    problem: cp.Problem
    matrix: Matrix
    argument: cp.Expression

    @classmethod
    def of(cls, problem: cp.Problem) -> _Outline | None:
        """Return the outline, or None where the objective has no such term, or too many on its variable."""
        objective = problem.objective
        found = _outlined(objective.args[0])
        if found is None:
            return None
        expression, form = found
        argument, wrapped = form.args
        if isinstance(argument, cp.Variable) and _squares(expression, argument) > 2:
            # A sum of three terms depends on their order, and that in CVXPY on how many entries are sorted.
            return None
        return cls(cp.Problem(type(objective)(expression), problem.constraints), wrapped.args[0].value, argument)

    def place(self, P: csc_array, compiled: Any, declared: set[str]) -> slice | None:
        """Return the columns of c in P, the lowered outline; None: they cannot be told from others.

        An expression has a variable of its own in the lowering, whose squares have the diagonal of K as coefficients.
        """
        if isinstance(self.argument, cp.Variable):
            start = compiled.var_id_to_col.get(self.argument.id)
            return None if start is None else slice(start, start + self.argument.size)
        diagonal, own, found = P.diagonal(), self.matrix.diagonal(), []
        for variable in compiled.variables:
            start = compiled.var_id_to_col[variable.id]
            block = slice(start, start + variable.size)
            if variable.name() not in declared and np.array_equal(diagonal[block], own):
                found.append(block)
        return found[0] if len(found) == 1 else None

    def filled(self, P: csc_array, block: slice) -> csc_array:
        """Return the P of the problem itself, given that of its outline and the columns of c."""
        # In place, since fresh memory costs more than the arithmetic. Halved and doubled as there, which costs the
        # smallest numbers a digit.
        dense = 0.5 * self.matrix
        dense *= 2.0
        np.fill_diagonal(dense, 0.0)
        known = P[block, block].tocoo()
        dense[known.row, known.col] += known.data
        dense += dense.T
        dense *= 0.5
        kept = dense != 0
        rows = np.broadcast_to(np.arange(block.start, block.stop), kept.shape)[kept]
        rest = csc_array(_symmetric(P))
        before, after = rest.indptr[block.start], rest.indptr[block.stop]
        counts = np.diff(rest.indptr)
        counts[block] = kept.sum(axis=1)
        return csc_array(
            (
                np.concatenate([rest.data[:before], dense[kept], rest.data[after:]]),
                np.concatenate([rest.indices[:before], rows, rest.indices[after:]]),
                np.concatenate([[0], np.cumsum(counts)]),
            ),
            shape=P.shape,
        )


_OUTLINES: WeakKeyDictionary[cp.Problem, _Outline | None] = WeakKeyDictionary()
"""The outlines of problems that were lowered: each keeps what CVXPY compiled, for other values of the parameters."""


def _outlined(node: Any) -> tuple[Any, Any] | None:
    """Return a sum with the diagonal of K in its first term 0.5 * quad_form(c, psd_wrap(K)), and that form; or None."""
    if isinstance(node, cp.atoms.affine.add_expr.AddExpression | cp.atoms.affine.unary_operators.NegExpression):
        for place, each in enumerate(node.args):
            if (found := _outlined(each)) is not None:
                return node.copy([*node.args[:place], found[0], *node.args[place + 1 :]]), found[1]
        return None
    if not (isinstance(node, cp.multiply) and isinstance(node.args[0], cp.Constant) and node.args[0].value == 0.5):
        return None
    form = node.args[1]
    K = form.args[1].args[0].value if len(form.args) == 2 and isinstance(form.args[1], cp.psd_wrap) else None
    if not isinstance(K, np.ndarray) or K.dtype.kind != "f":
        return None
    return 0.5 * cp.quad_form(form.args[0], cp.psd_wrap(diags_array(K.diagonal(), format="csc"))), form


def _squares(node: Any, variable: cp.Variable) -> int:
    """Return how often terms that may be squares name a variable."""
    if isinstance(node, cp.Variable):
        return int(node.id == variable.id)
    return sum(_squares(each, variable) for each in node.args) if node.has_quadratic_term() else 0


def _declared_numbers(problem: cp.Problem, chain: Any, inverse_data: Any) -> Mapping[int, int]:
    """Return the numbers of the declared constraints by the id that their rows have after all reductions."""
    final = {constraint.id: constraint.id for constraint in problem.constraints}
    for _, inverse in zip(chain.reductions, inverse_data, strict=True):
        renamed = getattr(inverse, "cons_id_map", None) or {}
        final = {declared: renamed.get(current, current) for declared, current in final.items()}
    return {final[constraint.id]: number for number, constraint in enumerate(problem.constraints)}


def _blocks(parts: list[tuple[str | None, int]]) -> tuple[Block, ...]:
    blocks, start, number = [], 0, 0
    taken = {name for name, _ in parts}
    for name, size in parts:
        while name is None:
            number += 1
            name = None if f"{_AUXILIARY} {number}" in taken else f"{_AUXILIARY} {number}"
        blocks.append(Block(name, start, start + size))
        start += size
    return tuple(blocks)


def _cones(dims: Any, name: str) -> Iterator[Cone]:
    if dims.pnd:
        raise UnsupportedProgramError(
            f"{name} needs power cones of more than three dimensions, which have no class here."
        )
    if dims.zero:
        yield Zero(dims.zero)
    if dims.nonneg:
        yield Nonnegative(dims.nonneg)
    yield from (SecondOrder(size) for size in dims.soc)
    yield from (PSDTriangle(order) for order in dims.psd)
    yield from (Exponential() for _ in range(dims.exp))
    yield from (Power(alpha) for alpha in dims.p3d)
