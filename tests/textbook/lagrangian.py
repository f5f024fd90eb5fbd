# SPDX-License-Identifier: BSD-3-Clause
"""Convex problems with equations and inequalities: their Lagrangian, and the conditions of an optimum."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csc_array

from qpkernels.problems import Block, ConeProgram, Nonnegative, Zero, certify_cone_program
from qpkernels.solvers import find_solver
from textbook.cases import Pairs, formula

__all__: list[str] = []

P = np.array([[3.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 1.0]])
q = np.array([-1.0, 0.5, -2.0])
H, d = np.array([[1.0, 1.0, 1.0]]), np.array([1.0])
G, h = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 2.0, 0.0]]), np.array([0.1, 0.8, 3.0])
"""min 1/2 w'Pw + q'w s.t. Gw - h <= 0, Hw - d = 0, of which two inequalities are active."""


@cache
def solved() -> tuple[ConeProgram, np.ndarray, np.ndarray]:
    """Return the program, and what Clarabel answers through the library: w, and the multipliers (beta, alpha)."""
    program = ConeProgram(
        P=csc_array(P),
        q=q,
        A=csc_array(np.vstack([H, G])),
        b=np.append(d, h),
        cones=(Zero(1), Nonnegative(3)),
        variables=(Block("w", 0, 3),),
        rows=(Block("equation", 0, 1), Block("inequality", 1, 4)),
    )
    answer = find_solver("clarabel").solve(program, tol=1e-11)
    return program, answer.point, answer.multipliers


@formula
def constrained_problem() -> Pairs:
    program, w, _ = solved()
    best = minimize(
        lambda v: 0.5 * v @ P @ v + q @ v,
        np.zeros(3),
        jac=lambda v: P @ v + q,
        method="SLSQP",
        constraints=[{"type": "ineq", "fun": lambda v: h - G @ v}, {"type": "eq", "fun": lambda v: H @ v - d}],
        options={"ftol": 1e-15},
    )
    yield program.objective(w), best.fun
    yield w, best.x


@formula
def generalised_lagrangian() -> Pairs:
    program, w, z = solved()
    beta, alpha = z[:1], z[1:]

    def lagrangian(v: np.ndarray) -> float:
        return float(0.5 * v @ P @ v + q @ v + alpha @ (G @ v - h) + beta @ (H @ v - d))

    yield program.objective(w), lagrangian(w)
    for step in np.eye(3):
        yield program.objective(w) + 0.5 * step @ P @ step, lagrangian(w + step)


@formula
def kuhn_tucker_conditions() -> Pairs:
    program, w, z = solved()
    beta, alpha = z[:1], z[1:]
    yield P @ w + q + G.T @ alpha + H.T @ beta, np.zeros(3)
    yield H @ w - d, [0.0]
    yield alpha * (G @ w - h), np.zeros(3)
    yield np.maximum(G @ w - h, 0.0), np.zeros(3)
    yield np.minimum(alpha, 0.0), np.zeros(3)
    yield certify_cone_program(program, w, z).holds(1e-9), True
