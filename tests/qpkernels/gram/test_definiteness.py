# SPDX-License-Identifier: BSD-3-Clause
"""When a matrix counts as positive semidefinite, and how an indefinite one is corrected."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from qpkernels import RBF, Expansion, Gram, Kernel, Linear, Polynomial, Precomputed, Sigmoid
from qpkernels.errors import GramTooLargeError, IndefiniteKernelError, NotSymmetricError, ParameterError, ShapeError
from qpkernels.gram.definiteness import PSD_TOLERANCE, Correction
from qpkernels.problems import KernelQP, certify_kernel_qp


@pytest.mark.parametrize("smallest", [-1e-3, -1.0, -1e3])
def test_an_indefinite_matrix_is_refused_with_its_eigenvalue(smallest: float) -> None:
    Q = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 6)))[0]
    K = Q @ np.diag([smallest, 0.0, 1.0, 2.0, 3.0, 5.0]) @ Q.T
    with pytest.raises(IndefiniteKernelError, match="not positive semidefinite") as caught:
        Gram(Precomputed((K + K.T) / 2), np.arange(6)).require_psd()
    assert caught.value.smallest_eigenvalue == pytest.approx(smallest, rel=1e-9)
    assert f"{caught.value.smallest_eigenvalue:.6g}" in str(caught.value)


def test_a_polynomial_with_a_negative_constant_is_checked_on_the_data() -> None:
    kernel = Polynomial(2, 1.0, -1.0)
    with pytest.raises(IndefiniteKernelError):
        Gram(kernel, np.array([[1.0], [0.0]])).require_psd()
    Gram(kernel, np.array([[0.0], [0.0]])).require_psd()


@pytest.mark.parametrize(
    "K", [np.zeros((3, 3)), np.ones((3, 3)), np.diag([1.0, 0.0, 0.0]), 1e-9 * np.ones((3, 3)), 1e9 * np.ones((3, 3))]
)
def test_a_singular_matrix_is_accepted(K: np.ndarray) -> None:
    Gram(Precomputed(K), np.arange(3)).require_psd()


def test_the_tolerance_is_relative_to_the_diagonal() -> None:
    for scale in (1e-6, 1.0, 1e6):
        K = scale * np.diag([1.0, 0.5, -0.5 * PSD_TOLERANCE])
        Gram(Precomputed(K), np.arange(3)).require_psd()
        K[2, 2] = -2 * PSD_TOLERANCE * scale
        with pytest.raises(IndefiniteKernelError):
            Gram(Precomputed(K), np.arange(3)).require_psd()


def test_kernels_known_to_be_positive_semidefinite_cost_nothing_to_check() -> None:
    gram = Gram(RBF(1.0), np.zeros((4, 1)), memory_limit=0)
    gram.require_psd()
    assert not gram.is_formed


_Q = np.linalg.qr(np.random.default_rng(2).normal(size=(7, 7)))[0]


_EIGENVALUES = np.array([-2.0, -0.25, 0.0, 1.0, 1.5, 3.0, 5.0])


INDEFINITE_MATRIX = _Q @ np.diag(_EIGENVALUES) @ _Q.T


INDEFINITE_MATRIX = (INDEFINITE_MATRIX + INDEFINITE_MATRIX.T) / 2


CORRECTED = {"clip": _Q @ np.diag(np.maximum(_EIGENVALUES, 0)) @ _Q.T, "shift": INDEFINITE_MATRIX + 2.0 * np.eye(7)}


either = pytest.mark.parametrize("kind", ["clip", "shift"])


@either
def test_every_view_is_that_of_the_corrected_matrix(kind: Any) -> None:
    gram, expected = Gram(Precomputed(INDEFINITE_MATRIX), np.arange(7), indefinite=kind), CORRECTED[kind]
    v = np.random.default_rng(0).normal(size=7)
    np.testing.assert_allclose(gram.product(v), expected @ v, atol=1e-13)
    np.testing.assert_allclose(gram.diagonal, expected.diagonal(), atol=1e-13)
    np.testing.assert_allclose(gram.dense, expected, atol=1e-13)
    np.testing.assert_array_equal(gram.dense, gram.dense.T)
    # The clipped matrix has rank 4: those of its eigenvalues that were above 0.
    np.testing.assert_allclose(gram.factor @ gram.factor.T, expected, atol=1e-13)
    u = gram.factor.T @ v
    np.testing.assert_allclose(gram.factor.T @ gram.coefficients(u), u, atol=1e-12)
    gram.require_psd()
    for array in (gram.dense, gram.diagonal, gram.factor):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0


@either
def test_a_correction_says_what_was_done(kind: Any) -> None:
    gram = Gram(Precomputed(INDEFINITE_MATRIX), np.arange(7), indefinite=kind)
    correction = gram.correction
    assert isinstance(correction, Correction)
    assert correction.kind == kind
    assert correction.smallest_eigenvalue == pytest.approx(-2.0, rel=1e-12)
    assert correction.negative_eigenvalues == 2
    assert correction.shift == pytest.approx(2.0 if kind == "shift" else 0.0, rel=1e-12)
    words = {"clip": "the smallest -2; they were set to 0", "shift": "they were lifted by adding 2 to the diagonal"}
    assert words[kind] in str(correction)
    assert "2 of its eigenvalues were negative" in str(correction)


@either
def test_the_function_of_a_corrected_matrix_extends_it(kind: Any) -> None:
    gram = Gram(Precomputed(INDEFINITE_MATRIX), np.arange(7), indefinite=kind)
    beta = np.random.default_rng(1).normal(size=7)
    c = gram.expansion_coefficients(beta)
    at_samples = Expansion(gram.kernel, gram.X, c)(gram.X)
    assert gram.correction is not None
    np.testing.assert_allclose(at_samples + gram.correction.shift * c, gram.product(beta), atol=1e-13)
    np.testing.assert_allclose(c @ at_samples + gram.correction.shift * c @ c, beta @ gram.product(beta), rtol=1e-12)
    if kind == "shift":
        np.testing.assert_array_equal(c, beta)
    with pytest.raises(ShapeError, match="beta must have 7 entries"):
        gram.expansion_coefficients(np.ones(3))


@pytest.mark.parametrize("indefinite", ["refuse", "clip", "shift"])
@pytest.mark.parametrize(
    ("kernel", "trusted"),
    [(RBF(1.0), True), (Linear(), True), (Precomputed(np.diag([1.0, 2.0, -1e-12])), False)],
    ids=["rbf", "linear", "within the tolerance"],
)
def test_a_positive_semidefinite_matrix_is_left_alone(indefinite: Any, kernel: Kernel, trusted: bool) -> None:
    X = np.arange(3) if isinstance(kernel, Precomputed) else np.random.default_rng(0).normal(size=(3, 2))
    gram = Gram(kernel, X, indefinite=indefinite)
    assert gram.correction is None
    assert gram.trusted is trusted
    np.testing.assert_array_equal(gram.dense, kernel(X))
    np.testing.assert_array_equal(gram.diagonal, kernel.diagonal(gram.X))
    np.testing.assert_array_equal(gram.expansion_coefficients([1.0, 2.0, 3.0]), [1.0, 2.0, 3.0])
    assert (gram.features is None) == (not isinstance(kernel, Linear))
    gram.require_psd()


def test_a_matrix_is_trusted_once_it_is_corrected() -> None:
    kernel, X = Precomputed(INDEFINITE_MATRIX), np.arange(7)
    assert not Gram(kernel, X).trusted
    assert Gram(kernel, X).correction is None
    assert Gram(kernel, X, indefinite="clip").trusted
    assert Gram(kernel, X, indefinite="shift").trusted


def test_kernels_known_to_be_positive_semidefinite_are_corrected_at_no_cost() -> None:
    gram = Gram(RBF(1.0), np.zeros((4, 1)), memory_limit=0, indefinite="clip")
    gram.require_psd()
    assert gram.trusted
    np.testing.assert_array_equal(gram.product(np.ones(4)), 4.0)
    np.testing.assert_array_equal(gram.diagonal, 1.0)
    assert not gram.is_formed


@either
def test_a_sigmoid_kernel_is_corrected(kind: Any) -> None:
    X = np.random.default_rng(0).normal(size=(30, 3))
    kernel = Sigmoid(0.5, 1.0)
    with pytest.raises(IndefiniteKernelError) as caught:
        Gram(kernel, X).require_psd()
    for words in (
        'Gram(kernel, X, indefinite="clip")',
        'indefinite="shift"',
        f"{caught.value.smallest_eigenvalue:.6g}",
    ):
        assert words in str(caught.value)
    gram = Gram(kernel, X, indefinite=kind)
    eigenvalues, expected = np.linalg.eigvalsh(gram.dense), np.linalg.eigvalsh(kernel(X))
    np.testing.assert_allclose(
        eigenvalues, np.maximum(expected, 0) if kind == "clip" else expected - expected[0], atol=1e-12
    )


@either
def test_a_matrix_without_a_positive_eigenvalue_is_corrected_to_nothing(kind: Any) -> None:
    gram = Gram(Precomputed(-np.eye(3)), np.arange(3), indefinite=kind)
    np.testing.assert_array_equal(gram.dense, np.zeros((3, 3)))
    assert gram.factor.shape == (3, 1)
    np.testing.assert_array_equal(gram.coefficients(np.zeros(1)), np.zeros(3))


@pytest.mark.parametrize("bad", ["Clip", "", None, True, 0.5])
def test_another_word_for_indefinite_is_refused(bad: Any) -> None:
    with pytest.raises(ParameterError, match=f"indefinite must be 'refuse', 'clip' or 'shift', but {bad!r} came"):
        Gram(Linear(), np.ones((2, 1)), indefinite=bad)


def test_a_correction_keeps_the_memory_limit() -> None:
    gram = Gram(Sigmoid(), np.zeros((10, 1)), memory_limit=799, indefinite="clip")
    with pytest.raises(GramTooLargeError, match="memory_limit"):
        _ = gram.diagonal


# --- what is settled of a kernel that somebody else wrote ---


@dataclass(frozen=True)
class NegativeDistance(Kernel):
    """-|x - z|^2, which is symmetric and indefinite."""

    def matrix(self, X: Any, Z: Any) -> np.ndarray:
        return -cdist(X, Z, "sqeuclidean")

    def diagonal(self, X: Any) -> np.ndarray:
        return np.zeros(len(X))


@dataclass(frozen=True)
class Skewed(Kernel):
    """exp(x_1 - z_1 - |x - z|^2), which is not symmetric."""

    def matrix(self, X: Any, Z: Any) -> np.ndarray:
        return np.exp(X[:, :1] - Z[:, 0] - cdist(X, Z, "sqeuclidean"))

    def diagonal(self, X: Any) -> np.ndarray:
        return np.ones(len(X))


class Boastful(NegativeDistance):
    """It says of itself what is not so."""

    positive_semidefinite = True  # type: ignore[assignment]


class BoastfulSkewed(Skewed):
    """It says of itself what is not so."""

    positive_semidefinite = True  # type: ignore[assignment]


CLOUD = np.random.default_rng(3).normal(size=(80, 2))


def test_of_a_kernel_that_says_nothing_the_whole_matrix_is_checked() -> None:
    gram = Gram(NegativeDistance(), CLOUD)
    assert not gram.trusted
    with pytest.raises(IndefiniteKernelError) as caught:
        gram.require_psd()
    assert caught.value.smallest_eigenvalue == pytest.approx(np.linalg.eigvalsh(gram.dense)[0], rel=1e-9)


@pytest.mark.parametrize("kernel", [Boastful(), 2 * Boastful(), Boastful() + RBF(1.0)], ids=["itself", "scaled", "sum"])
def test_what_a_kernel_says_of_itself_is_checked_on_some_samples(kernel: Kernel) -> None:
    gram = Gram(kernel, CLOUD, memory_limit=0)
    with pytest.raises(IndefiniteKernelError, match="smallest eigenvalue is at most -"):
        gram.require_psd()
    assert not gram.is_formed


class Turned(RBF):
    """A matrix of its own under a name that is tested."""

    def matrix(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return -super().matrix(X, Z)


def test_a_matrix_of_ones_own_is_not_believed_for_its_name() -> None:
    X = np.random.default_rng(0).normal(size=(40, 2))
    assert RBF(0.5).tested
    assert not Turned(0.5).tested
    with pytest.raises(IndefiniteKernelError, match=r"an estimator .* must not say that it is positive_s"):
        Gram(Turned(0.5), X).require_psd()


@pytest.mark.parametrize("kernel", [Skewed(), BoastfulSkewed()], ids=["says nothing", "says it is"])
@pytest.mark.parametrize("memory_limit", [0, 2**30], ids=["products", "matrix"])
def test_a_kernel_that_is_not_symmetric_is_refused(kernel: Kernel, memory_limit: int) -> None:
    with pytest.raises(NotSymmetricError, match=r"gives k\(x, z\) = .* and k\(z, x\) = .* for a pair"):
        Gram(kernel, CLOUD, memory_limit).require_psd()


def test_a_matrix_that_is_not_symmetric_is_never_formed() -> None:
    with pytest.raises(NotSymmetricError):
        _ = Gram(Skewed(), CLOUD).dense


@pytest.mark.parametrize("kernel", [NegativeDistance(), Sigmoid(0.5, 1.0)], ids=["distance", "tanh"])
def test_lanczos_finds_a_negative_eigenvalue_of_a_matrix_that_is_too_large(kernel: Kernel) -> None:
    smallest = float(np.linalg.eigvalsh(kernel(CLOUD))[0])
    with pytest.raises(IndefiniteKernelError, match="at most") as caught:
        Gram(kernel, CLOUD, memory_limit=0).require_psd()
    assert smallest - 1e-12 * abs(smallest) <= caught.value.smallest_eigenvalue <= 0.99 * smallest


@pytest.mark.parametrize("K", [np.zeros((90, 90)), np.ones((90, 90)), np.eye(90), np.diag(np.arange(90.0))])
def test_lanczos_accepts_a_large_matrix_without_one(K: np.ndarray) -> None:
    gram = Gram(Precomputed(K), np.arange(90), memory_limit=0)
    gram.require_psd()
    assert not gram.is_formed


def test_a_part_of_a_settled_matrix_is_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    gram = Gram(Precomputed(np.eye(40)), np.arange(40))
    gram.require_psd()
    part = gram.part(np.arange(5, 20))
    monkeypatch.setattr("qpkernels.gram.gram.is_psd", lambda *_: pytest.fail("it is settled again"))
    part.require_psd()
    gram.require_psd()


def test_an_answer_of_negative_norm_refutes_what_the_few_samples_did_not() -> None:
    """The matrix of all samples has an eigenvalue of -1 that that of few samples has not."""

    class Hidden(Precomputed):
        positive_semidefinite = True  # type: ignore[assignment]

    K = np.eye(100)
    K[1, 2] = K[2, 1] = 2.0
    gram = Gram(Hidden(K), np.arange(100))
    gram.require_psd()
    v = np.zeros(100)
    v[[1, 2]] = 1.0, -1.0
    gram.require_nonnegative(np.abs(v), gram.product(np.abs(v)))
    with pytest.raises(IndefiniteKernelError, match="at most -1 ") as caught:
        gram.require_nonnegative(v, gram.product(v))
    assert caught.value.smallest_eigenvalue == -1.0
    with pytest.raises(IndefiniteKernelError):
        certify_kernel_qp(KernelQP(gram, np.zeros(100), -1.0, 1.0), v, 0.0)
