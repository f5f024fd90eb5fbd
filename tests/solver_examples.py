# SPDX-License-Identifier: BSD-3-Clause
"""All solvers, and a program for each."""

import numpy as np

from builders import manufacture
from formulations import Logistic
from qpkernels import RBF, Gram
from qpkernels.problems import (
    ConeProgram,
    KernelQP,
    LeastSquares,
    LevelQP,
    LinearSystem,
    MultipleKernelQP,
    NormPenalty,
    Program,
    ResidualNorm,
    SemiparametricQP,
    SigmoidFit,
    SmoothRisk,
)
from qpkernels.problems.linear_system import RidgedGram
from qpkernels.solvers import Solver, installed_solvers, registered_solvers

CVXPY = ["cvxpy:CLARABEL", "cvxpy:SCS", "cvxpy:OSQP"]

CVXPY_ALL = [f"cvxpy:{name}" for name in ("CLARABEL", "DAQP", "HIGHS", "OSQP", "PIQP", "PROXQP", "SCS")]
"""All that the extra installs, also where their accuracy is too low for other tests."""

REGISTERED = registered_solvers()
EXPECTED = {solver.name for solver in REGISTERED if type(solver).__module__.startswith("qpkernels.")}
"""What the package and its extra ``solvers`` install; a missing one fails the tests rather than shortening them."""

CONE_SOLVERS = [solver.name for solver in installed_solvers() if ConeProgram in solver.programs] + CVXPY
SOFT = manufacture("hinge").program
LOGISTIC = Logistic(np.asarray(SOFT.gram.X), np.where(np.arange(len(SOFT)) % 2, 1.0, -1.0)).bounds().program

EXAMPLES: dict[type[Program], Program] = {
    KernelQP: SOFT,
    ConeProgram: SOFT.to_cone_program(),
    LinearSystem: LinearSystem(RidgedGram(SOFT.gram, np.full(len(SOFT), 0.5)), SOFT.target, name="ridge"),
    LevelQP: LevelQP(
        SOFT.gram, SOFT.target, -np.ones(len(SOFT)), np.ones(len(SOFT)), 0.0, 1.0, least=False, name="a tube"
    ),
    SemiparametricQP: SemiparametricQP(
        SOFT.gram,
        SOFT.target,
        SOFT.lower,
        SOFT.upper,
        np.vander(np.linspace(0.0, 1.0, len(SOFT)), 2),
        np.zeros(2),
        np.zeros(len(SOFT)),
        np.zeros(len(SOFT)),
        name="a trend",
    ),
    MultipleKernelQP: MultipleKernelQP(
        (SOFT.gram, Gram(RBF(0.1), SOFT.gram.X)),
        (NormPenalty(np.arange(2), np.ones(2)),),
        SOFT.target,
        SOFT.lower,
        SOFT.upper,
        SOFT.total,
        name="two kernels",
    ),
    SmoothRisk: LOGISTIC,
    ResidualNorm: ResidualNorm(np.linalg.qr(np.asarray(SOFT.gram.X))[0], SOFT.target, "sum"),
    SigmoidFit: SigmoidFit(np.array([-2.0, -1.0, 0.5, 1.0]), np.array([0.0, 1.0, 0.0, 1.0]), name="a sigmoid"),
    LeastSquares: LeastSquares(np.asarray(SOFT.gram.X), SOFT.target, name="a fit"),
}
"""A program of each kind."""


def example_for(solver: Solver) -> Program:
    """Return a program that the solver takes."""
    return EXAMPLES[solver.programs[0]]
