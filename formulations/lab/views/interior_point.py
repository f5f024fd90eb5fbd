# SPDX-License-Identifier: BSD-3-Clause
r"""The iterates of an interior-point method: Clarabel's on the dual of the machine.

For min 1/2 x'Px + q'x s.t. Ax + s = b, s in K, with multipliers z in K*, its iterates keep s and z inside their cones,
and lower at once the residuals ||Ax + s - b|| and ||Px + q + A'z|| and the mean mu of the products s_i z_i. On the
central path all products are equal to mu. Clarabel has no way to be watched, but is deterministic: it is run anew for
each iterate, with a limit of that many iterations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from formulations.lab.settings import Setting
from formulations.lab.views.view import (
    TOL,
    Drawn,
    FormRoute,
    JudgedIterate,
    form_route,
    model_to_record,
    percent,
    roles,
    stepped,
)
from qpkernels.arrays import Vector
from qpkernels.errors import SolverFailedError
from qpkernels.problems import ConeProgram, Nonnegative, Zero
from qpkernels.solvers import Answer, Claim, Request
from qpkernels.solvers.backends.clarabel import Clarabel

__all__ = ["INTERIOR_POINT", "record_interior_point"]

_MOST = 60
"""Iterations; more than 30 are rare."""

_ACCURATE = 1e-9
"""Gap that the method is asked for: some iterates beyond what is proved are worth seeing."""

_SMALLEST = 1e-14

_SOLVED = "Solved"


@dataclass(frozen=True, eq=False)
class InteriorIterate:
    """An iterate.

    Attributes
    ----------
    judged
        In the terms of the model, with its certificate.
    primal_residual, dual_residual
        ||Ax + s - b|| and ||Px + q + A'z|| in the maximum norm, relative to the largest of |A||x|, |s|, |b|, and of
        |P||x|, |q|, |A|'|z|.
    mu
        s'z over the degree of the cones.
    slacks, multipliers
        s and z of the inequalities, shape (inequalities,).
    """

    judged: JudgedIterate
    primal_residual: float
    dual_residual: float
    mu: float
    slacks: Vector
    multipliers: Vector


@dataclass(frozen=True, eq=False)
class InteriorRun:
    """The iterates from the start on.

    Attributes
    ----------
    rows
        Names of the blocks of inequalities, with their sizes: what the slacks and multipliers are, in this order.
    is_linear
        Whether there are equations alone, so that no slack has to be kept inside a cone.
    message
        What the method said at the end.
    """

    iterates: tuple[InteriorIterate, ...]
    rows: tuple[tuple[str, int], ...]
    is_linear: bool
    message: str

    @property
    def ends(self) -> tuple[float, float, float, float]:
        """The least and largest slack, and the least and largest multiplier, of all iterates; all above 0."""
        slacks = np.concatenate([iterate.slacks for iterate in self.iterates])
        multipliers = np.concatenate([iterate.multipliers for iterate in self.iterates])
        return *_extent(slacks), *_extent(multipliers)


def record_interior_point(setting: Setting) -> InteriorRun:
    """Run Clarabel on the machine of a setting, iterate by iterate."""
    model, solver = model_to_record(setting), Clarabel()
    route = form_route(model, model.bounds(), solver)
    program, iterates, message = route.program, [], ""
    for count in range(_MOST + 1):
        solution = solver.own_solution(
            program, Request(TOL), max_iter=count, tol_gap_abs=_SMALLEST, tol_gap_rel=_ACCURATE
        )
        message = str(solution.status)
        if "Infeasible" in message or int(solution.iterations) < count:
            break
        iterate = _iterate(route, solution)
        if iterate is None:
            break
        iterates.append(iterate)
        if message == _SOLVED:
            break
    if not iterates:
        raise SolverFailedError(f"the interior-point method has no iterate to show: it says {message!r}.")
    return InteriorRun(tuple(iterates), _blocks(program), _degree(program) == 0, message)


def _iterate(route: FormRoute, solution: Any) -> InteriorIterate | None:
    p = route.program
    x, s, z = (np.array(part, dtype=float) for part in (solution.x, solution.s, solution.z))
    message = str(solution.status)
    judged = route.judge(Answer(x, z, Claim.OPTIMAL if message == _SOLVED else Claim.STOPPED, message))
    if judged is None or not np.isfinite(s).all():
        return None
    inequalities = _inequalities(p)
    return InteriorIterate(
        judged,
        _relative(p.A @ x + s - p.b, abs(p.A) @ np.abs(x), s, p.b),
        _relative(p.P @ x + p.q + p.A.T @ z, abs(p.P) @ np.abs(x), p.q, abs(p.A).T @ np.abs(z)),
        float(s @ z) / max(1, _degree(p)),
        s[inequalities],
        z[inequalities],
    )


def _extent(values: Vector) -> tuple[float, float]:
    inside = values[values > 0]
    return (float(inside.min()), float(inside.max())) if inside.size else (1.0, 1.0)


def _relative(residual: Vector, *terms: Vector) -> float:
    size = max(float(np.abs(term).max(initial=0.0)) for term in terms)
    return float(np.abs(residual).max(initial=0.0)) / (size or 1.0)


def _inequalities(program: ConeProgram) -> Vector:
    mask = np.zeros(program.b.size, dtype=bool)
    for cone, rows in program.parts():
        mask[rows] = isinstance(cone, Nonnegative)
    return mask


def _degree(program: ConeProgram) -> int:
    """Return the degree of the barrier: 1 for each inequality and norm cone, 3 for each exponential or power cone."""
    degree = 0
    for cone in program.cones:
        match cone:
            case Zero():
                pass
            case Nonnegative():
                degree += cone.size
            case _:
                degree += 3 if type(cone).__name__ in ("Exponential", "Power") else 1
    return degree


def _blocks(program: ConeProgram) -> tuple[tuple[str, int], ...]:
    """Return the names of the blocks of inequalities with their sizes, in the order of the rows."""
    mask = _inequalities(program)
    sizes = [(block.name, int(mask[block.range].sum())) for block in program.rows]
    return tuple((name, size) for name, size in sizes if size)


def _drawn(path: InteriorRun, step: int) -> Drawn:
    iterates = path.iterates
    k = min(step, len(iterates) - 1)
    now = iterates[k]
    answer = now.judged.answer
    return Drawn(
        {
            "words": _words(path, k),
            "steps": len(iterates) - 1,
            "step": k,
            "tol": TOL,
            "mu": now.mu,
            "rows": path.rows,
            "ends": path.ends,
        },
        {
            "gap": np.array([each.judged.error for each in iterates]),
            "primal_residual": np.array([each.primal_residual for each in iterates]),
            "dual_residual": np.array([each.dual_residual for each in iterates]),
            "mu": np.array([each.mu for each in iterates]),
            "slacks": now.slacks,
            "multipliers": now.multipliers,
        },
        function=answer.function,
        multipliers=answer.beta,
        roles=roles(answer.beta),
    )


def _words(path: InteriorRun, k: int) -> str:
    now = path.iterates[k]
    products = now.slacks * now.multipliers
    said = f"Iterate {k}: all slacks and multipliers are inside their cones."
    if products.size and now.mu > 0:
        spread = f"{products.min() / now.mu:.2g} and {products.max() / now.mu:.2g}"
        said = (
            f"Iterate {k}: the products of slacks and multipliers lie between {spread} times their mean, {now.mu:.1e}."
        )
    elif path.is_linear:
        said = f"Iterate {k}: without inequalities there is no barrier, and the answer is that of one linear system."
    left = f"The certificate leaves {percent(now.judged.error)} open"
    return f"{said} {left}: {'the answer is proved' if now.judged.proved else 'this proves nothing yet'}."


INTERIOR_POINT = stepped("interior-point", "Interior point", record_interior_point, _drawn)
