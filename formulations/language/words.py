# SPDX-License-Identifier: BSD-3-Clause
"""Statements about functions, and the duals that they are compiled to, in words and formulas."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

import formulations.modelling.cvx as cp
from qpkernels.arrays import Vector
from qpkernels.display import Fact, to_text
from qpkernels.problems import KernelQP, MultipleKernelQP, Program, SemiparametricQP

__all__ = ["culprit", "dual_in_words", "in_words"]

_TERMS = {
    "target": ("t", "t'beta", "{}ones'beta"),
    "epsilon": ("epsilon", "epsilon'|beta|", "{}sum |beta_i|"),
    "ridge": ("r", "1/2 beta'diag(r) beta", "{}beta'beta"),
}
"""Vectors of a program: their letters, what the dual has of them, and what that is where all entries are one number."""


def dual_in_words(program: Program) -> tuple[Fact, ...]:
    """Return the dual that a statement was compiled to; nothing of a program over cones.

    It is in the coefficients beta of the functionals, whose inner products are G. A value that is the same for all of
    them stands as a number; other vectors have letters, with their least and their largest entry.

    Parameters
    ----------
    program
        What the statement was recognised as.
    """
    if not isinstance(program, KernelQP | SemiparametricQP | MultipleKernelQP):
        return ()
    gain, losses, ranges = "", "", list[str]()
    for name, (letter, general, of_one) in _TERMS.items():
        values = np.atleast_1d(getattr(program, name))
        if values.any():
            number, told = _number(letter, values)
            one = 0.5 * values[0] if name == "ridge" else values[0]
            term = general if number is None else of_one.format("" if one == 1 else f"{one:g} ")
            gain, losses = (term, losses) if name == "target" else (gain, f"{losses} - {term}")
            ranges += told
    norm, known = _norms(program)
    domain, bounds = _domain(program)
    value = to_text(f"{gain} - {norm}{losses}") if gain else "−" + to_text(norm + losses)
    facts = [Fact("dual", f"maximise {value}")]
    facts += [Fact("over", domain)] if domain else []
    facts += [Fact("with", "; ".join(to_text(each) for each in (*known, *ranges, *bounds)))]
    return tuple(each for each in facts if each.value)


def _norms(program: KernelQP | SemiparametricQP | MultipleKernelQP) -> tuple[str, tuple[str, ...]]:
    """Return what the dual has of the inner products, and what the letters in it are."""
    if not isinstance(program, MultipleKernelQP):
        return "1/2 beta'G beta", ()
    (first, *others) = program.penalties
    if not others and first.squared and first.order == 1 and (first.weights == 1).all():
        return "1/2 max_j beta'G_j beta", ()
    return "sum_g phi_g*(r)", ("phi_g the penalties of the norms", "r_j^2 = beta'G_j beta")


def _domain(program: KernelQP | SemiparametricQP | MultipleKernelQP) -> tuple[str, tuple[str, ...]]:
    """Return the constraints of the dual, and the ranges of the vectors in them."""
    sides, ranges = ["", ""], list[str]()
    for side, (letter, values) in enumerate((("l", program.lower), ("u", program.upper))):
        if not np.isinf(values).all():
            number, told = _number(letter, values)
            sides[side] = number or f"{letter}_i"
            ranges += told
    low, high = sides
    bounds = " <= ".join(each for each in (low, "beta_i", high) if each)
    if isinstance(program, SemiparametricQP):
        sums = ["B'beta = 0" if not program.totals.any() else "B'beta = q"]
    else:
        sums = [] if program.total is None else [f"ones'beta = {program.total:g}"]
    return ", ".join(to_text(each) for each in ([bounds] if low or high else []) + sums), tuple(ranges)


def _number(letter: str, values: Vector) -> tuple[str | None, list[str]]:
    """Return the number that all entries are, to the digits that are told, or None and the range of the letter."""
    low, high = f"{values.min():g}", f"{values.max():g}"
    return (low, []) if low == high else (None, [f"{letter} from {low} to {high}"])


_RULES = (
    (r"\b(\w+)Approx\(", r"\1("),
    (r"(?:quad_over_lin|QuadOverLin)\(coordinates of (.+?), 1\.0(?:, None, False)?\)", r"||\1||^2"),
    (r"(?:Pnorm|norm)\(coordinates of (.+?), 2\)", r"||\1||"),
    (r"Promote\(((?:[^()]|\([^()]*\))*), \(\d+,\)\)", r"\1"),
    (r", None, False\)", ")"),
    (r"\b(\d+)\.0\b(?!\d)", r"\1"),
    (r"(?<![\d.])1 \* ", ""),
    (r"\bSum\(", "sum("),
)
"""How CVXPY writes what is shown in other words."""


def in_words(expression: Any) -> str:
    """Return an expression or constraint in one line, arrays of numbers by their shapes, norms as norms.

    Parameters
    ----------
    expression
        Of CVXPY.
    """
    text = str(expression)
    for constant in sorted({str(each) for each in expression.constants() if each.size > 1}, key=len, reverse=True):
        text = text.replace(constant, "data")
    for pattern, shorter in _RULES:
        text = re.sub(pattern, shorter, text)
    return " ".join(text.split())


def culprit(problem: Any) -> str:
    """Return in words the part of a problem that breaks CVXPY's rules.

    Parameters
    ----------
    problem
        Of CVXPY.
    """
    expression = problem.objective.args[0]
    if not problem.objective.is_dcp():
        wanted = "convex" if isinstance(problem.objective, cp.Minimize) else "concave"
        return f"the curvature of the objective {in_words(expression)} is {expression.curvature.lower()}, not {wanted}"
    bad = next(each for each in problem.constraints if not each.is_dcp())
    return f"the constraint {in_words(bad)} breaks them"
