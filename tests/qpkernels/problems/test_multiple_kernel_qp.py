# SPDX-License-Identifier: BSD-3-Clause
"""Several kernels whose norms are penalised together: bounds by hand, and what is refused."""

import numpy as np
import pytest

from qpkernels import RBF, Gram, Linear
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.problems import KernelQP, MultipleKernelQP, NormPenalty, certify_kernel_qp
from qpkernels.problems.multiple_kernel_qp import MultipleKernelBounds

X = np.array([[-1.0, 0.0], [1.0, 0.0]])
Y = np.array([-1.0, 1.0])
BOX = (Y, np.minimum(2 * Y, 0), np.maximum(2 * Y, 0))
GRAMS = (Gram(Linear(), X), Gram(4.0 * Linear(), X))
ONES = np.ones(2)


def stated(*penalties: NormPenalty, total: float | None = 0.0, grams: tuple[Gram, ...] = GRAMS) -> MultipleKernelQP:
    return MultipleKernelQP(grams, penalties, *BOX, total)


@pytest.mark.parametrize(
    ("penalty", "value"),
    [
        # With beta = a y the radii are 2a and 4a, and 2a - phi* is at its largest.
        (NormPenalty(np.arange(2), ONES), 1 / 8),
        (NormPenalty(np.arange(2), np.array([1.0, 2.0])), 1 / 2),
        (NormPenalty(np.arange(2), ONES, 1.5), 0.5 * 4 / 72 ** (2 / 3)),
        (NormPenalty(np.arange(2), ONES, squared=False), 1 / 2),
    ],
    ids=["largest", "weighted", "p-norm", "not squared"],
)
def test_both_bounds_are_those_found_by_hand(penalty: NormPenalty, value: float) -> None:
    program = stated(penalty)
    radii = np.array([2.0, 4.0])
    a = 2 / (2 * penalty.conjugate(radii)) if penalty.squared else 1 / penalty.dual_norm(radii)
    # n = grad phi*(r) = eta r; here only its size and its shares are needed.
    share = (radii / penalty.weights) ** (1 / (penalty.order - 1)) if penalty.order > 1 else None
    if share is None:
        scaled = radii / penalty.weights
        share = (scaled == scaled.max()) / np.count_nonzero(scaled == scaled.max())
    share = share / penalty.weights
    # f must have the value 1 at the second sample: sum_j eta_j 2 a k_j = 1 with k = (1, 4).
    eta = share / radii / a
    eta /= 2 * a * float(eta @ [1.0, 4.0])
    certificate = MultipleKernelBounds(program).certify(a * Y, np.array([*eta, 0.0]))
    assert certificate.primal_value == pytest.approx(value, rel=1e-12)
    assert certificate.dual_value == pytest.approx(value, rel=1e-12)
    assert certificate.holds(1e-12)


def test_one_kernel_is_a_kernel_qp() -> None:
    program = stated(NormPenalty(np.arange(1), np.ones(1)), grams=GRAMS[:1])
    beta = np.array([-0.3, 0.3])
    usual = certify_kernel_qp(KernelQP(GRAMS[0], *BOX), beta, 0.1)
    certificate = MultipleKernelBounds(program).certify(beta, np.array([1.0, 0.1]))
    assert certificate.primal_value == pytest.approx(usual.primal_value, rel=1e-14)
    assert certificate.dual_value == pytest.approx(usual.dual_value, rel=1e-14)


def test_beta_is_made_as_small_as_a_norm_asks_for() -> None:
    program = stated(NormPenalty(np.arange(2), ONES, squared=False))
    beta = program.project(Y)
    assert program.radii([gram.product(beta) for gram in GRAMS], beta) == pytest.approx([0.5, 1.0])
    assert MultipleKernelBounds(program).certify(Y, np.array([0.0, 1.0, 0.0])).dual_residual == pytest.approx(0.75)


def test_weights_of_nothing_are_the_function_that_is_0() -> None:
    certificate = MultipleKernelBounds(stated(NormPenalty(np.arange(2), ONES))).certify(0.1 * Y, np.array([-1.0, 0, 0]))
    assert certificate.primal_value == pytest.approx(4.0)


def test_what_is_no_such_program_is_refused() -> None:
    both = NormPenalty(np.arange(2), ONES)
    with pytest.raises(ParameterError, match="at least 1 and below 2"):
        NormPenalty(np.arange(2), ONES, 2.0)
    with pytest.raises(ParameterError, match="a weight above 0"):
        NormPenalty(np.arange(2), np.zeros(2))
    with pytest.raises(ParameterError, match="a member of one penalty"):
        stated(both, NormPenalty(np.arange(1), np.ones(1)))
    with pytest.raises(ShapeError, match="of the same samples"):
        stated(both, grams=(GRAMS[0], Gram(RBF(1.0), X[:1])))
    with pytest.raises(ParameterError, match="square the norm"):
        stated(NormPenalty(np.arange(2), ONES, squared=False), total=1.0)
    with pytest.raises(ParameterError, match="finite bounds, or a ridge"):
        MultipleKernelQP(GRAMS, (both,), Y, np.minimum(Y, 0), np.full(2, np.inf), None)
