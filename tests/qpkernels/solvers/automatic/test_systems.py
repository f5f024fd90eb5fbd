# SPDX-License-Identifier: BSD-3-Clause
"""Which method a linear system gets: a factorisation, conjugate gradients, or one after the other."""

from __future__ import annotations

import numpy as np
import pytest

from qpkernels.errors import UnsupportedOptionError
from qpkernels.gram import Gram
from qpkernels.kernels import RBF, Kernel, Linear
from qpkernels.problems import LinearSystem, RidgedGram
from qpkernels.solvers import AutomaticSystem, Claim, Outcome


def system(m: int, ridge: float = 0.1, kernel: Kernel | None = None, memory: float = 2**32) -> LinearSystem:
    X = np.random.default_rng(m).normal(size=(m, 3))
    gram = Gram(RBF(0.1) if kernel is None else kernel, X, memory)
    return LinearSystem(RidgedGram(gram, np.full(m, ridge)), np.sin(X[:, 0]) + X[:, 1], name="ridge")


def solved(program: LinearSystem, **options: object) -> Outcome:
    backend = AutomaticSystem()
    backend.prepare(program)
    outcome = backend.solve(program, **options)
    assert outcome.claim is Claim.OPTIMAL
    assert program.residual(outcome.point, 0.0) <= 1e-3
    return outcome


@pytest.mark.parametrize(
    ("program", "solver"),
    [
        (system(300), "linear"),
        (system(500, kernel=Linear()), "conjugate-gradient"),
        (system(2100), "conjugate-gradient"),
        (system(300, memory=1e5), "conjugate-gradient"),
        (LinearSystem(np.diag([1.0, 2.0]), np.ones(2)), "linear"),
    ],
    ids=["small", "few features", "large", "beyond memory", "dense"],
)
def test_the_structure_chooses(program: LinearSystem, solver: str) -> None:
    assert solved(program).solver == solver


def test_it_factors_where_too_many_iterations_are_expected() -> None:
    outcome = solved(system(2100, 1e-8, RBF(9.0)))
    assert (outcome.solver, outcome.iterations) == ("linear", None)
    assert outcome.message.startswith("conjugate-gradient: gave up, since about ")
    assert "; then linear: Cholesky, relative residual " in outcome.message


def test_a_limit_of_iterations_ends_it() -> None:
    outcome = AutomaticSystem().solve(system(2100, 0.01, RBF(1.0)), tol=1e-10, max_iter=2)
    assert (outcome.claim, outcome.solver, outcome.iterations) == (Claim.STOPPED, "conjugate-gradient", 2)


def test_a_factorisation_has_no_start() -> None:
    with pytest.raises(UnsupportedOptionError, match="solver 'linear' has no warm_start"):
        AutomaticSystem().solve(system(300), warm_start=np.zeros(300))
    assert solved(system(2100), warm_start=np.zeros(2100)).solver == "conjugate-gradient"
