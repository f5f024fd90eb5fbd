# SPDX-License-Identifier: BSD-3-Clause
"""Answers to a problem of low rank are bounded in the problem with the exact kernel, whatever the model."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from formulations.modelling import Solution
from model_data import MODEL_CASES, Case
from qpkernels import RBF, LowRank
from qpkernels.errors import InfeasibleError, ParameterError
from qpkernels.problems import FenchelBounds, KernelQPBounds, Status
from qpkernels.problems.level_qp.bounds import MarginLevelBounds, TubeLevelBounds

KERNEL = RBF(0.5)
METHODS = ("product", "trace")
RANKS = (6, 20)
PENALISED = KernelQPBounds | FenchelBounds | MarginLevelBounds | TubeLevelBounds


def low_rank(case: Case, rank: int) -> Any:
    """Return the model of a case with a matrix of that rank."""
    X, *targets = case.data()
    return case.model(LowRank(KERNEL, X, min(rank, len(X))), *targets, **case.example.parameters)


def is_bounded(case: Case) -> bool:
    return isinstance(low_rank(case, RANKS[-1]).bounds(), PENALISED)


BOUNDED = [case for case in MODEL_CASES if is_bounded(case)]
REFUSED = [case for case in MODEL_CASES if not is_bounded(case)]


@cache
def exact(case: Case) -> Solution:
    solution = low_rank(case, RANKS[-1]).with_exact_kernel().solve(tol=1e-7)
    assert isinstance(solution, Solution)
    assert solution.status is Status.OPTIMAL
    return solution


def test_there_are_models_of_both_kinds() -> None:
    assert len(BOUNDED) > 15
    assert len(REFUSED) > 4


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("case", BOUNDED, ids=str)
class TestBounds:
    def test_the_exact_optimum_lies_between_them(self, case: Case, rank: int) -> None:
        model, optimum = low_rank(case, rank), exact(case).certificate
        try:
            solution = model.solve(tol=1e-7)
        except InfeasibleError:
            # So few functions do not satisfy hard constraints.
            assert model.entry.hard
            return
        proofs = [model.certify_exact(solution, method) for method in METHODS]
        for proof in proofs:
            assert proof.dual_value - proof.rounding <= optimum.primal_value + optimum.rounding
            assert proof.primal_value + proof.rounding >= optimum.dual_value - optimum.rounding
            assert proof.kernel == KERNEL
        # What is computed is at most what the diagonal bounds it by, and the upper bound is the same.
        assert proofs[1].dual_value <= proofs[0].dual_value + proofs[0].rounding + proofs[1].rounding
        assert proofs[1].primal_value == proofs[0].primal_value == pytest.approx(solution.certificate.primal_value)

    def test_whatever_the_answer(self, case: Case, rank: int) -> None:
        model, optimum = low_rank(case, rank), exact(case).certificate
        rng = np.random.default_rng(rank)
        for size in (0.03, 3.0):
            answer = size * rng.normal(size=len(model)), float(rng.normal()) if model.fit_intercept else 0.0
            for method in METHODS:
                proof = model.certify_exact(answer, method)
                assert proof.dual_value - proof.rounding <= optimum.primal_value + optimum.rounding
                # A function that misses a hard constraint has no value, and the residual says so.
                feasible = proof.primal_residual <= 1e-9
                assert not feasible or proof.primal_value + proof.rounding >= optimum.dual_value - optimum.rounding


@pytest.mark.parametrize("case", BOUNDED, ids=str)
class TestExactModel:
    def test_with_all_samples_as_landmarks_nothing_is_left(self, case: Case) -> None:
        model = low_rank(case, 30)
        proof = model.certify_exact(model.solve(tol=1e-7))
        assert proof.suboptimality < 1e-4

    def test_refining_ends_at_the_exact_optimum(self, case: Case) -> None:
        model, optimum = low_rank(case, RANKS[-1]), exact(case).certificate
        refined = model.refine(model.solve(), tol=1e-6)
        assert refined.status is Status.OPTIMAL
        assert refined.function.kernel == KERNEL
        np.testing.assert_allclose(refined.certificate.primal_value, optimum.primal_value, rtol=3e-6)

    def test_nothing_but_the_matrix_is_another(self, case: Case) -> None:
        model = low_rank(case, RANKS[0])
        program, own = model.with_exact_kernel().qp(), model.qp()
        if own is None:
            return
        for name in ("target", "lower", "upper", "epsilon", "ridge"):
            np.testing.assert_array_equal(getattr(program, name), getattr(own, name))
        assert program.total == own.total


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_models_that_do_not_penalise_f_say_what_to_do(case: Case) -> None:
    model = low_rank(case, 8)
    with pytest.raises(ParameterError, match=r"only by solving it: model\.with_exact_kernel\(\)\.solve\(\)"):
        model.certify_exact((np.zeros(len(model)), 0.0))
