# SPDX-License-Identifier: BSD-3-Clause
"""The part of the deciding function of extended forms that is added to f + b, which no Solution holds.

In a primal, a further variable decides where it stands in one expression with f or b, as c does in |y - f - b - P c|.
It only serves where a greater value loosens, or tightens, everything that it shares with them, as for a slack or the
bound of a norm, or where an equation defines it by them.

In a dual, f is K times the multipliers, as long as only 1/2 ||f||^2 and the textbook's constraints tie the multipliers
of samples to each other. A further constraint or term for each sample by itself changes its cost or its target. One
that ties those of several samples adds its own derivative to f + b in the rows of the primal: P'beta = 0 adds P c, 1/2
beta'Mbeta adds M beta, and so does a kernel that is a variable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from scipy.sparse import coo_array, csc_array
from scipy.sparse.csgraph import connected_components

import formulations.modelling.cvx as cp
from formulations.modelling.lowering import Lowered, lower
from formulations.modelling.statement import Extension, Statement
from qpkernels.arrays import Indices, shown
from qpkernels.problems import Nonnegative, Zero

__all__ = [
    "left_out",
]

_BOTH = frozenset({-1, 1})


def left_out(form: Statement) -> tuple[str, ...]:
    """Return the names of all that decides in addition to f + b in an extended form; none for a textbook form."""
    if not form.is_extended:
        return ()
    textbook, extension = form.textbook_problem, form.extension
    if not form.is_dual:
        return _deciding_variables(textbook, extension)
    if not _ties_samples(textbook, extension, len(form.model), form.name):
        return ()
    own = {each.id for each in textbook.variables()}
    further = (each.name() for each in form.problem.variables() if each.id not in own)
    labels = (each.label or shown(str(each)) for each in extension.constraints)
    term = () if extension.objective is None else ("the derivative of the further objective term",)
    return (*further, *(f"the multipliers of {label}" for label in labels), *term)


def _deciding_variables(textbook: cp.Problem, extension: Extension) -> tuple[str, ...]:
    """Return the names of the variables that decide beside those of a primal."""
    own = _with_aliases({each.id for each in textbook.variables()}, extension.constraints)
    found: dict[int, cp.Variable] = {}
    ways: dict[int, frozenset[int]] = {}
    for part in (*extension.constraints, *_terms(extension.objective)):
        variables = part.variables()
        if not any(each.id in own for each in variables):
            continue
        for each in variables:
            if each.id not in own:
                found[each.id] = each
                ways[each.id] = ways.get(each.id, frozenset()) | _ways(part, each)
    return tuple(each.name() for each in found.values() if ways[each.id] == _BOTH)


def _with_aliases(own: set[int], constraints: Iterable[cp.Constraint]) -> set[int]:
    """Return the variables with those that equations define by them."""
    equations = [each.args for each in constraints if isinstance(each, cp.constraints.Equality)]
    sides = [pair for one, other in equations for pair in ((one, other), (other, one))]
    while True:
        defined = {
            side.id
            for side, other in sides
            if isinstance(side, cp.Variable) and {each.id for each in other.variables()} <= own
        }
        if defined <= own:
            return own
        own = own | defined


def _terms(expression: cp.Expression | None) -> Iterator[cp.Expression]:
    """Yield the terms of a sum."""
    if expression is None:
        return
    if isinstance(expression, cp.atoms.affine.add_expr.AddExpression):
        for term in expression.args:
            yield from _terms(term)
    else:
        yield expression


def _ways(part: cp.Constraint | cp.Expression, variable: cp.Variable) -> frozenset[int]:
    """Return whether a greater value of a variable makes a term, or the left side of a constraint, greater or less."""
    if isinstance(part, cp.constraints.Inequality):
        return _ways(part.expr, variable)
    if isinstance(part, cp.SOC):
        return _BOTH if _has(part.args[1], variable) else _ways(-part.args[0], variable)
    if isinstance(part, cp.Constraint):
        return _BOTH
    if isinstance(part, cp.Variable):
        return frozenset({1} if part.id == variable.id else ())
    found: frozenset[int] = frozenset()
    for place, argument in enumerate(part.args):
        inner = _ways(argument, variable) if _has(argument, variable) else frozenset()
        if part.is_incr(place):
            found |= inner
        elif part.is_decr(place):
            found |= {-way for way in inner}
        elif inner:
            found = _BOTH
    return found


def _has(expression: cp.Expression, variable: cp.Variable) -> bool:
    return any(each.id == variable.id for each in expression.variables())


def _ties_samples(textbook: cp.Problem, extension: Extension, samples: int, name: str) -> bool:
    """Return whether an extension of a dual ties the multipliers of several samples.

    A variable of shape (m,) has one entry for each sample, and one of another size none of any.
    """
    curved = [term for term in _terms(extension.objective) if not term.is_affine()]
    objective = type(textbook.objective)(sum(curved) if curved else 0.0)
    problem = cp.Problem(objective, list(extension.constraints))
    if not problem.variables():
        return False
    lowered = lower(problem, name)
    labels = _components(lowered)
    met: dict[int, int] = {}
    others = samples
    for variable in textbook.variables():
        start = lowered.columns.get(variable.id)
        if start is None:
            continue
        numbers = np.arange(variable.size)
        if variable.size != samples:
            numbers, others = numbers + others, others + variable.size
        for label, number in zip(labels[start : start + variable.size].tolist(), numbers.tolist(), strict=True):
            if met.setdefault(label, number) != number:
                return True
    return False


def _components(lowered: Lowered) -> Indices:
    """Return for each column the number of the set of columns that rows, cones and the quadratic part tie to it."""
    program = lowered.program
    n, count, groups = program.q.size, 0, np.zeros(program.b.size, dtype=np.intp)
    for cone, part in program.parts():
        size = groups[part].size
        single = isinstance(cone, Nonnegative | Zero)
        groups[part] = count + (np.arange(size) if single else 0)
        count += size if single else 1
    A, P = coo_array(csc_array(program.A)), coo_array(csc_array(program.P))
    rows = np.concatenate([groups[A.row[A.data != 0]] + n, P.row[P.data != 0]])
    columns = np.concatenate([A.col[A.data != 0], P.col[P.data != 0]])
    graph = coo_array((np.ones(rows.size), (rows, columns)), shape=(n + count, n + count))
    _, labels = connected_components(graph, directed=False)
    return np.asarray(labels[:n], dtype=np.intp)
