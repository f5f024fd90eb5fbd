# SPDX-License-Identifier: BSD-3-Clause
"""Every model's answer carries a proof that the checker accepts, or a stated reason why it cannot."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
import sklearn.svm

from formulations import KernelRidge, NuTube, OneVersusOne, SoftMargin, audit
from formulations.estimators import SVC
from formulations.modelling import Stated
from model_data import CASES, Case, measured, overlapping
from qpkernels.errors import NoProofError, ParameterError, ShapeError
from qpkernels.files.proofs import machines
from qpkernels.gram import Gram, LowRank
from qpkernels.kernels import RBF, Kernel, Laplacian, Linear, Matern, Polynomial, Precomputed, Sigmoid, Spectrum

MODELS = [case for case in CASES if case.form == next(name for name, _ in Stated.of(case.model))]
each_model = pytest.mark.parametrize("case", MODELS, ids=str)

WITHOUT_WORDS = ("logistic", "power", "Logistic")
"""Losses that the vocabulary does not know, as the examples spell them."""


@each_model
def test_an_answer_carries_a_proof_of_9_digits_or_a_reason(case: Case) -> None:
    model = case.state_model()
    solution = model.solve()
    if any(word in str(case) for word in WITHOUT_WORDS):
        with pytest.raises(NoProofError, match="no words for it"):
            model.prove(solution)
        return
    proof = model.prove(solution)
    assert proof.check()[-1].startswith("PROVED to ")
    assert proof.digits >= 9


def small(kernel: Kernel | None = None) -> SoftMargin:
    X, y = overlapping()
    return SoftMargin(X[:12], y[:12], RBF(0.5) if kernel is None else kernel, C=1.0)


KERNELS = [
    RBF([0.5, 0.0, 0.25]),
    Laplacian(0.3),
    *(Matern(1.5, nu) for nu in (0.5, 1.5, 2.5, np.inf)),
    Polynomial(3, 0.7, 1.0),
    Linear() + 2.0 * RBF(0.1) * Laplacian(0.2),
    Linear().polynomial([0.5, 0.0, 2.0]) + RBF(0.3) ** 2,
]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_kernels_are_stated_in_the_vocabulary(kernel: Kernel) -> None:
    model = small(kernel)
    solution = model.solve(tol=1e-10)
    proof, known = model.prove(solution), model.enclose(solution)
    proof.check()
    assert proof.lower <= known.upper
    assert known.lower <= proof.upper
    assert proof.digits >= 9


@pytest.mark.parametrize("normalise", [False, True])
def test_text_is_stated_in_the_vocabulary(normalise: bool) -> None:
    texts, y = ["abab", "abba", "aabb", "cdcd", "cddc", "ccdd"], [1, 1, 1, -1, -1, -1]
    proof = SoftMargin(texts, y, Spectrum(2, normalise=normalise), C=1.0).solve().prove(points=["abcd"])
    assert proof.check()[-1].startswith("PROVED")


def test_a_matrix_comes_with_the_factor_that_proves_it_semidefinite() -> None:
    X, y = overlapping()
    K = RBF(0.5)(X, X)
    notes = SoftMargin(np.arange(len(y)), y, Precomputed(K), C=1.0).solve().prove().check()
    assert any("K - GG'" in note for note in notes)


def test_kernels_without_words_are_given_by_their_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    class Doubled(RBF):
        def matrix(self, X: Any, Z: Any) -> Any:
            return 2.0 * super().matrix(X, Z)

        def diagonal(self, X: Any) -> Any:
            return 2.0 * super().diagonal(X)

    X, y = overlapping()
    clipped = SoftMargin(Gram(Sigmoid(1.0), X[:12], indefinite="clip"), y[:12], C=1.0)
    for model in (small(Linear().exp()), small(Doubled(0.5)), clipped):
        proof = model.solve().prove()
        assert proof.statement["kernel"]["name"] == "matrix"
        assert "as rounded to float64" in proof.check()[0]
    monkeypatch.setattr(machines, "LARGEST_MATRIX", 5)
    with pytest.raises(NoProofError, match="no words for the kernel Exponential"):
        small(Linear().exp()).solve().prove()


def test_predictions_hold_those_of_the_optimum() -> None:
    X, _ = overlapping()
    loose, sharp = small().solve(tol=1e-4), small().solve(tol=1e-12).decision_function(X)
    proof = loose.prove(digits=4, points=X)
    said = proof.claim["predictions"]
    lower, upper = (np.array([float.fromhex(end) for end in said[side]]) for side in ("lower", "upper"))
    assert (lower <= sharp).all()
    assert (sharp <= upper).all()
    assert "at 30 of 30 points" in " ".join(proof.check()) or (lower * upper <= 0).any()
    with pytest.raises(ShapeError, match="3 features, but those of X have 1 feature"):
        loose.prove(points=[[1.0]])
    with pytest.raises(NoProofError, match="one balance"):
        NuTube(*measured(), RBF(0.5), C=1.0, nu=0.3).solve().prove(points=measured()[0])


def test_a_loose_answer_to_an_extended_form_is_refined() -> None:
    form = small().dual
    proof = form.extend(cp.sum(form.problem.variables()[0]) <= 1.0).solve(tol=1e-3).prove(digits=10)
    assert proof.digits >= 10


def test_samples_of_low_rank_are_their_features() -> None:
    X, y = overlapping()
    model = SoftMargin(LowRank(RBF(0.5), X, rank=8), y, C=1.0)
    assert model.solve().prove(points=X[:3]).check()[-1].startswith("PROVED")


def test_a_copy_is_proved_by_its_model() -> None:
    model = small()
    copied = copy.copy(model.solve())
    with pytest.raises(NoProofError, match=r"model\.prove\(solution\)"):
        copied.prove()
    assert model.prove(copied).digits >= 9


def test_what_is_asked_is_checked() -> None:
    solution = small().solve()
    with pytest.raises(ParameterError, match="from 1 to 15"):
        solution.prove(digits=16)
    with pytest.raises(ParameterError, match="path"):
        solution.prove(3)  # type: ignore[arg-type]


def test_large_machines_claim_what_floating_point_encloses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines, "_LARGE", 0)
    proof = small().solve().prove()
    assert proof.check()[-1].startswith("PROVED")
    assert proof.digits >= 9


def test_several_machines_are_a_bundle(tmp_path: Path) -> None:
    X, y = overlapping()
    bundle = (
        OneVersusOne(X, np.arange(len(y)) % 3, RBF(0.5), C=1.0).solve(progress=False).prove(tmp_path / "all.proof.gz")
    )
    assert len(bundle.proofs) == 3
    assert bundle.check()[0].startswith("problem: 'class 1 against 0: SoftMargin: 1/2 ")
    targets = KernelRidge(X, X[:, 0], RBF(0.5), regularisation=0.1).solve().prove()
    assert targets.digits >= 9


def test_estimators_and_audits_prove_the_optimum() -> None:
    X, y = overlapping()
    assert SVC(gamma=0.5).fit(X, y).prove().digits >= 9
    peer = sklearn.svm.SVC(gamma=0.5, tol=1.0).fit(X, y)
    (proof,) = audit(peer, X, y).prove().proofs
    sharp = SoftMargin(X, y, RBF(0.5), C=1.0).solve(tol=1e-12).certificate.primal_value
    assert proof.lower <= sharp * (1.0 + 1e-12)
    assert sharp <= proof.upper * (1.0 + 1e-12)
    assert proof.digits >= 9
