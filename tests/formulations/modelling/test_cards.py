# SPDX-License-Identifier: BSD-3-Clause
"""How models and forms show themselves; tests/contracts/test_display.py asks all of them."""

from typing import Any

import cvxpy as cp
import numpy as np
import pytest

from formulations import (
    ChebyshevFit,
    LinearProgramMachine,
    OneVersusRest,
    PenalisedTube,
    ResidualLossRegression,
    SoftMargin,
    SoftTube,
)
from formulations.losses import AbsolutePower
from formulations.modelling import Stated
from formulations.models.classification.margins.soft_margin import SoftMarginDual
from model_data import overlapping
from qpkernels import RBF, Columns, Gram, Polynomial, Precomputed

X, Y = overlapping()


def test_the_card_of_a_model() -> None:
    assert str(SoftMargin(X, Y, RBF(0.1), C=1.0)) == "\n".join(
        (
            "SoftMargin",
            "",
            "  minimize    ½ ‖f‖² + Σᵢ Cᵢ ξᵢ",
            "  subject to  yᵢ (f(xᵢ) + b) ≥ 1 − ξᵢ",
            "              ξᵢ ≥ 0",
            "",
            "  data        30 samples, 3 features, 10 of -1 and 20 of 1",
            "  kernel      RBF(gamma=0.1): k(x, z) = exp(−0.1 ‖x − z‖²)",
            "  with        C = 1",
            "  intercept   b",
            "  forms       primal, hinge, dual",
            "  solvers     coordinate-descent, interior-point, semismooth-newton, smo for the model as it is; "
            "clarabel and others for its forms",
        )
    )


class Silent(SoftMarginDual):
    """A form whose class does not say what it is in maths."""

    textbook = None


class Own(SoftMargin):
    """A model with one form more."""

    silent = Stated(Silent)


def test_a_kernel_is_shown_whole_in_a_card_and_shortened_in_a_line() -> None:
    kernel = Columns(RBF(0.1), [0, 1]) * Columns(Polynomial(3, coef0=1.0), 2)
    model = SoftMargin(X, Y, kernel)
    assert f"kernel      {kernel!r}: k(x, z) = exp(−0.1 ‖" in str(model)
    assert ", Product(left=Columns(base=RBF(gamma=0.1), columns=(0, 1))..., C = 1>" in repr(model)


def test_a_form_without_maths_shows_the_rest() -> None:
    form = Own(X, Y, C=1.0).silent
    assert str(form).startswith("Silent\n\n  model      Own\n")
    assert "text/latex" not in form._repr_mimebundle_()
    assert repr(form) == "<Silent: 30 samples, 3 features, 10 of -1 and 20 of 1, no kernel, C = 1>"


def test_costs_of_single_samples_are_a_range() -> None:
    model = SoftMargin(X, Y, C=np.linspace(0.5, 2.0, 30))
    assert "C = 0.5 to 2, one for each sample" in str(model)
    assert repr(model) == "<SoftMargin: 30 samples, 3 features, 10 of -1 and 20 of 1, no kernel, C = 0.5 to 2>"


def test_a_changed_hyperparameter_is_shown() -> None:
    model = SoftMargin(X, Y, C=1.0)
    model.dual.problem  # noqa: B018  makes the CVXPY parameter
    assert "C = 7" in str(model.set_params(C=7.0))


def test_a_form_named_loss_is_no_loss() -> None:
    model = SoftTube(X, X[:, 0])
    assert model.loss.name == "SoftTubeLoss"
    assert "ψ" not in str(model) + repr(model)
    assert "loss ψ = AbsolutePower(p=1.5)" in repr(ResidualLossRegression(X, X[:, 0], loss=AbsolutePower(1.5)))


def test_the_dual_of_another_scaling_says_what_its_cost_is() -> None:
    model = PenalisedTube(X, X[:, 0], regularisation=0.3, epsilon=0.1)
    assert "C = 1/(2 λ)" in str(model.dual)
    assert "regularisation (λ) = 0.3" in str(model.dual)
    assert "C = 1/(2 λ)" not in str(model.loss)


def test_an_extended_form_shows_what_was_added() -> None:
    form = SoftMargin(X, Y, C=1.0).primal
    extended = form.extend((cp.norm1(form.w) <= 2.0).set_label("budget"), objective=cp.sum(form.xi))
    assert "extended by  budget: norm1(var" in str(extended) or "extended by  budget: norm1(w)" in str(extended)
    assert "the objective Sum(" in str(extended)
    assert "extended" not in str(form)


class Counting(RBF):
    """Counts how often its values are asked for."""

    asked = 0

    def matrix(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        Counting.asked += 1
        return super().matrix(X, Z)

    @property
    def positive_semidefinite(self) -> bool:
        return True


@pytest.mark.parametrize("state", [SoftMargin, SoftTube, OneVersusRest, ChebyshevFit, LinearProgramMachine])
def test_showing_computes_no_kernel_value(state: Any) -> None:
    model = state(X, Y, Counting(0.5))
    gram = Gram(Counting(0.5), X)
    before = Counting.asked
    assert "Counting" in str(model) + repr(model)
    assert "not formed yet" in str(gram)
    assert Counting.asked == before


@pytest.mark.parametrize("samples", [np.arange(4), np.arange(4)[:, None]])
def test_row_numbers_have_no_features(samples: np.ndarray) -> None:
    model = SoftMargin(samples, [0, 1, 0, 1], Precomputed(np.eye(4)))
    assert "4 samples, 2 of 0 and 2 of 1" in str(model)
    assert "K  " not in repr(model)
