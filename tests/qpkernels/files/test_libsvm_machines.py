# SPDX-License-Identifier: BSD-3-Clause
"""Model files: LIBSVM's own are read, and what is written is what LIBSVM reads."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from builders import two_classes
from formulations import LeastSquaresClassifier, OneVersusOne, OneVersusRest
from qpkernels import RBF, Expansion, Kernel, Laplacian, Linear, Polynomial, Precomputed, Sigmoid
from qpkernels.arrays.files import read_number
from qpkernels.errors import DataFormatError, FileFormatError, ParameterError, UnsupportedProgramError
from qpkernels.files import (
    LibsvmMachines,
    LibsvmModel,
    SvmType,
    read_libsvm_machines,
    read_libsvm_model,
    write_libsvm_machines,
    write_libsvm_model,
)
from qpkernels.gram.functions import Expansions
from qpkernels.kernels import Matern

HEAD = "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 3\ntotal_sv 4\nrho 0.5 -0.25 2\nlabel 2 0 1\n"
THREE = HEAD + "nr_sv 2 1 1\nSV\n1 0.5 1:0.25 2:-1 \n0 1 2:3 \n-1 0.75 1:1 2:1 \n-1.5 -0.75 1:4 \n"


def written(folder: Path, text: str) -> Path:
    path = folder / "a.model"
    path.write_text(text)
    return path


def test_three_classes(tmp_path: Path) -> None:
    found = read_libsvm_machines(written(tmp_path, THREE))
    assert (found.svm_type, found.kernel) == ("c_svc", RBF(0.5))
    assert found.coefficients.tolist() == [[1, 0, -1, -1.5], [0.5, 1, 0.75, -0.75]]
    assert found.intercepts.tolist() == [-0.5, 0.25, -2]
    assert found.labels is not None
    assert found.counts is not None
    assert (found.labels.tolist(), found.counts.tolist()) == ([2, 0, 1], [2, 1, 1])
    assert np.asarray(found.centers).tolist() == [[0.25, -1], [0, 3], [1, 1], [4, 0]]
    assert read_libsvm_machines(written(tmp_path, THREE), features=4).centers.shape == (4, 4)


def test_sigmoids_are_left_out(tmp_path: Path) -> None:
    text = THREE.replace("nr_sv", "probA 1 2 3\nprobB 1 2 3\nnr_sv")
    assert read_libsvm_machines(written(tmp_path, text)).coefficients.shape == (2, 4)


def test_a_precomputed_kernel(tmp_path: Path) -> None:
    head = HEAD.replace("kernel_type rbf\ngamma 0.5", "kernel_type precomputed")
    text = head + "nr_sv 2 1 1\nSV\n1 0.5 0:3 \n0 1 0:1 \n-1 0.75 0:2 \n-1.5 -0.75 0:5 \n"
    K = Precomputed(np.eye(5))
    found = read_libsvm_machines(written(tmp_path, text), K)
    assert np.asarray(found.centers).tolist() == [2, 0, 1, 4]
    assert found.coefficients.tolist() == [[1, 0, -1, -1.5], [0.5, 1, 0.75, -0.75]]
    with pytest.raises(DataFormatError, match="expected 2 coefficients and '0:number', but '-1 0:2"):
        read_libsvm_machines(written(tmp_path, text.replace("-1 0.75 0:2", "-1 0:2")), K)


def test_an_argument_that_the_file_does_not_need_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"kernel must be None .* has its own of type rbf"):
        read_libsvm_machines(written(tmp_path, THREE), Precomputed(np.eye(5)))
    precomputed = THREE.replace("kernel_type rbf\ngamma 0.5", "kernel_type precomputed")
    with pytest.raises(ParameterError, match=r"features must be None .* but 4 came"):
        read_libsvm_machines(written(tmp_path, precomputed), Precomputed(np.eye(5)), features=4)


def test_two_classes_are_those_of_the_function(tmp_path: Path) -> None:
    X = np.arange(6.0).reshape(3, 2)
    f = Expansion(RBF(0.5), X, np.array([1.0, -2.0, 1.0]), 0.25, np.array([3, 7]))
    path = write_libsvm_model(f, tmp_path / "two.model")
    found, function = read_libsvm_machines(path), read_libsvm_model(path).function
    assert found.labels is not None
    assert found.labels.tolist() == [7, 3]
    assert found.coefficients[0].tolist() == function.coefficients.tolist()
    assert found.intercepts.tolist() == [function.intercept]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("\nSV\n", "\n", "it has no line SV"),
        ("total_sv 4", "total_sv 5", "but holds 4"),
        ("rho 0.5 -0.25 2", "rho 0.5 -0.25", "has 3 classes, but 2 numbers rho"),
        ("label 2 0 1", "label 2 0", "3 classes, but 2 labels and 3 numbers nr_sv"),
        ("nr_sv 2 1 1", "nr_sv 2 2", "3 classes, but 3 labels and 2 numbers nr_sv"),
        ("0 1 2:3", "0", "line 11, column 1: expected 2 coefficients, one for each other class"),
        ("0 1 2:3", "x 1 2:3", "line 11, column 1: expected 2 coefficients"),
        ("0 1 2:3", "0 1 2:x", "line 11"),
        ("gamma 0.5", "width 0.5", "line 3, column 1: expected one line for each of"),
        ("svm_type c_svc", "svm_type other", "cannot be read as that"),
    ],
)
def test_damaged_files(old: str, new: str, words: str, tmp_path: Path) -> None:
    with pytest.raises((FileFormatError, DataFormatError), match=words):
        read_libsvm_machines(written(tmp_path, THREE.replace(old, new)))


SAMPLES = np.array(
    [[0.1, -0.1], [0.1, -0.5], [1.3, 0.9], [-1.3, -0.6], [-2.3, -0.2], [-0.7, -0.5], [0.4, 1.0], [1.4, -0.7]]
)

CLASSIFIER = """svm_type c_svc
kernel_type rbf
gamma 0.5
nr_class 2
total_sv 8
rho 0.075148925156099722
label 1 -1
nr_sv 4 4
SV
1 1:0.1 2:-0.5
1 1:-1.3 2:-0.6
0.77209201466240829 1:-2.3 2:-0.2
1 1:0.4 2:1
-1 1:0.1 2:-0.1
-1 1:1.3 2:0.9
-1 1:-0.7 2:-0.5
-0.77209201466240829 1:1.4 2:-0.7
"""
"""Written by svm-train 3.37, as the next."""

REGRESSION = """svm_type epsilon_svr
kernel_type polynomial
degree 2
gamma 0.5
coef0 1
nr_class 2
total_sv 8
rho -0.23020575315868949
SV
-1 1:0.1 2:-0.1
1 1:0.1 2:-0.5
-0.69917267042017794 1:1.3 2:0.9
0.78926359816668779 1:-1.3 2:-0.6
-0.064134583372552248 1:-2.3 2:-0.2
-1 1:-0.7 2:-0.5
1 1:0.4 2:1
-0.025956344373957819 1:1.4 2:-0.7
"""

DECISIONS = {
    CLASSIFIER: (
        *(-0.4982249815733839, -0.5069481259166415, -0.7767375832380943, 0.602693263083153),
        *(0.999999981241843, 0.06006227705212469, -0.16279862764789893, -1.0000000042419426),
    ),
    REGRESSION: (
        *(0.15630175102109967, 0.19050931742487728, -0.8999999265483362, 0.9000000022103961),
        *(1.099999862285409, 0.6621051617365982, 0.07999028259815608, -0.900000047749763),
    ),
}
"""What svm-predict said of SAMPLES."""


def model(tmp_path: Path, text: str) -> LibsvmModel:
    (tmp_path / "a.model").write_text(text)
    return read_libsvm_model(tmp_path / "a.model")


def numbers(text: str) -> list[str | float]:
    """Return the words of a file, numbers as such, so that 1 and 1.0 are equal."""
    words = text.replace(":", " : ").split()
    return [word if read_number(word) is None else float(word) for word in words]


# --- LIBSVM's own files ---


@pytest.mark.parametrize("text", DECISIONS, ids=["classifier", "regression"])
def test_a_model_of_libsvm_is_read(text: str, tmp_path: Path) -> None:
    read = model(tmp_path, text)
    assert read.function(SAMPLES) == pytest.approx(np.array(DECISIONS[text]), abs=1e-12)
    assert read.svm_type == text.split()[1]
    if read.svm_type is SvmType.C_SVC:
        assert read.function.predict(SAMPLES).tolist() == [-1, -1, -1, 1, 1, 1, -1, -1]


@pytest.mark.parametrize("text", DECISIONS, ids=["classifier", "regression"])
def test_what_is_written_is_what_libsvm_wrote(text: str, tmp_path: Path) -> None:
    read = model(tmp_path, text)
    written = write_libsvm_model(read.function, tmp_path / "b.model", read.svm_type)
    assert numbers(written.read_text()) == numbers(text)


def test_libsvm_reads_what_is_written(tmp_path: Path) -> None:
    svmutil = pytest.importorskip("libsvm.svmutil", reason="pip install libsvm-official")
    X, y = two_classes(20)
    rng = np.random.default_rng(3)
    for kernel in (Linear(), RBF(0.3), Polynomial(3, 0.5, 1.0), Sigmoid(0.3, -0.2)):
        f = Expansion(kernel, X, y * rng.random(20), 0.25, np.array([3, 7]))
        theirs = svmutil.svm_load_model(str(write_libsvm_model(f, tmp_path / "c.model")))
        labels, _, values = svmutil.svm_predict([0] * 20, X.tolist(), theirs, "-q")
        assert [value[0] for value in values] == pytest.approx(f(X), abs=1e-12)
        assert labels == f.predict(X).tolist()


# --- round trips ---

KERNELS = [Linear(), RBF(0.1 + 0.2), Polynomial(3, 1 / 3, -1e-9), Sigmoid(0.3, -0.2)]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("classes", [None, np.array([-1, 1]), np.array([7.0, 3.0])], ids=str)
def test_a_function_is_read_back(kernel: Kernel, classes: np.ndarray | None, tmp_path: Path) -> None:
    X, y = two_classes(12, features=4)
    X[:, 1] = X[:, 3] = 0
    f = Expansion(kernel, X, y * np.random.default_rng(1).random(12), 1 / 3, classes)
    read = read_libsvm_model(write_libsvm_model(f, tmp_path / "a.model"))
    assert read.svm_type == ("epsilon_svr" if classes is None else "c_svc")
    assert read.function.kernel == kernel
    np.testing.assert_allclose(read.function(X), f(X), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(read.function.predict(X), f.predict(X))
    assert sorted(read.function.coefficients) == sorted(f.coefficients)
    assert read.function.intercept == f.intercept


def test_a_precomputed_kernel_keeps_the_numbers_of_rows(tmp_path: Path) -> None:
    X, _ = two_classes(9)
    kernel = Precomputed(X @ X.T)
    f = Expansion(kernel, np.array([2, 5, 8]), np.array([1.0, 0.0, -0.5]), 0.1, np.array([-1, 1]))
    path = write_libsvm_model(f, tmp_path / "a.model", "nu_svc")
    assert path.read_text().splitlines()[-2:] == ["1.0 0:3", "-0.5 0:9"]
    read = read_libsvm_model(path, kernel)
    np.testing.assert_array_equal(read.function(np.arange(9)), f(np.arange(9)))
    assert read.svm_type is SvmType.NU_SVC
    with pytest.raises(FileFormatError, match=r"pass its matrix, kernel=Precomputed\(K\)"):
        read_libsvm_model(path)
    with pytest.raises(FileFormatError, match="row numbers of K, integers from 0 to 3"):
        read_libsvm_model(path, Precomputed(np.eye(4)))


def test_sparse_centers_stay_sparse(tmp_path: Path) -> None:
    centers = csr_array(([1.0, 2.0, 0.0], ([0, 1, 2], [3, 99, 5])), shape=(3, 200))
    f = Expansion(RBF(0.5), centers, np.array([1.0, -2.0, 0.5]))
    read = read_libsvm_model(write_libsvm_model(f, tmp_path / "a.model", "nu_svr"))
    assert (read.function.centers != centers).nnz == 0
    assert read.svm_type is SvmType.NU_SVR


def test_features_that_libsvm_leaves_out_are_named_by_their_number(tmp_path: Path) -> None:
    (tmp_path / "a.model").write_text(CLASSIFIER)
    read = read_libsvm_model(tmp_path / "a.model", features=3)
    assert read.function(np.column_stack([SAMPLES, np.zeros(8)])) == pytest.approx(
        np.array(DECISIONS[CLASSIFIER]), abs=1e-12
    )
    with pytest.raises(FileFormatError, match="1 features, but the file has 2"):
        read_libsvm_model(tmp_path / "a.model", features=1)


# --- refusals ---


def test_what_libsvm_cannot_hold_is_refused(tmp_path: Path) -> None:
    X, y = two_classes(4)
    for kernel, classes, kind, error, words in (
        (Laplacian(1.0), None, None, UnsupportedProgramError, "but Laplacian"),
        (RBF((1.0, 2.0)), None, None, UnsupportedProgramError, "RBF with one gamma"),
        (RBF(1.0), np.array(["a", "b"]), None, UnsupportedProgramError, "labels in a model of LIBSVM are integers"),
        (RBF(1.0), np.array([0.5, 1]), None, UnsupportedProgramError, "labels in a model of LIBSVM are integers"),
        (RBF(1.0), np.array([0, 2**40]), None, UnsupportedProgramError, "labels in a model of LIBSVM are integers"),
        (RBF(1.0), None, "c_svc", ParameterError, "a c_svc has two classes"),
        (RBF(1.0), np.array([0, 1]), "one_class", ParameterError, "a one_class has no classes"),
        (RBF(1.0), None, "svm", ParameterError, "svm_type must be one of c_svc"),
    ):
        with pytest.raises(error, match=words):
            write_libsvm_model(Expansion(kernel, X, y, 0.0, classes), tmp_path / "a.model", kind)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("old", "new", "error", "words"),
    [
        ("SV\n", "", FileFormatError, "no line SV"),
        ("gamma", "gama", DataFormatError, "line 3, column 1: expected one line for each of coef0"),
        ("gamma 0.5\n", "gamma 0.5\ngamma 0.5\n", DataFormatError, "line 4"),
        ("nr_class 2", "nr_class 3", UnsupportedProgramError, "has 3 classes"),
        ("label 1 -1", "probA 1\nlabel 1 -1", UnsupportedProgramError, "formulations.load reads"),
        ("rbf", "cubic", FileFormatError, "no kernel_type 'cubic'"),
        ("c_svc", "svc", FileFormatError, "'svc' is not a valid SvmType"),
        ("total_sv 8", "total_sv 9", FileFormatError, "but holds 8"),
        ("nr_sv 4 4", "nr_sv 4 5", FileFormatError, "but holds 8"),
        ("1:0.4 2:1", "1:0.4 2:x", DataFormatError, "line 13, column 9"),
        ("1:0.4 2:1", "2:0.4 1:1", DataFormatError, "line 13, column 9"),
        ("label 1 -1", "label 1", FileFormatError, "classes must be two labels"),
        ("gamma 0.5", "gamma -1", FileFormatError, "gamma must be finite and above 0"),
    ],
)
def test_what_is_no_such_model_is_refused(
    old: str, new: str, error: type[Exception], words: str, tmp_path: Path
) -> None:
    assert old in CLASSIFIER
    with pytest.raises(error, match=words):
        model(tmp_path, CLASSIFIER.replace(old, new, 1))


@given(
    edits=st.lists(st.tuples(st.floats(0, 1), st.sampled_from(b"0987:. -e\n\xffSV")), max_size=8), cut=st.floats(0, 2)
)
def test_damage_is_survived(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[float, int]], cut: float
) -> None:
    content = bytearray(CLASSIFIER.encode())
    for place, value in edits:
        content[int(place * (len(content) - 1))] = value
    path = tmp_path_factory.mktemp("damage") / "a.model"
    path.write_bytes(content[: int(cut * len(content))])
    try:
        function = read_libsvm_model(path).function
    except (FileFormatError, UnsupportedProgramError):
        return
    assert np.isfinite(function.coefficients).all()


def data(load: object = load_wine) -> tuple[np.ndarray, np.ndarray]:
    X, y = load(return_X_y=True)  # type: ignore[operator]
    return StandardScaler().fit_transform(X), y


def values(found: LibsvmMachines, X: np.ndarray) -> np.ndarray:
    """The decision values as svm-predict computes them."""
    assert found.counts is not None
    K, columns = found.kernel(X, found.centers), []
    ends = np.cumsum(found.counts)
    part = [slice(int(end - count), int(end)) for end, count in zip(ends, found.counts, strict=True)]
    for i, j in combinations(range(found.counts.size), 2):
        own = K[:, part[i]] @ found.coefficients[j - 1, part[i]] + K[:, part[j]] @ found.coefficients[i, part[j]]
        columns.append(own + found.intercepts[len(columns)])
    return np.column_stack(columns)


def fitted() -> tuple[SVC, np.ndarray, np.ndarray]:
    X, y = data()
    return SVC(C=2.0, gamma=0.05, tol=1e-10, decision_function_shape="ovo").fit(X, y), X, y


def test_what_is_written_is_what_svm_train_writes(tmp_path: Path) -> None:
    svc, X, y = fitted()
    solution = OneVersusOne(X, y, RBF(0.05), C=2.0).solve(tol=1e-12, progress=False)
    machine = solution.predictor
    path = write_libsvm_machines(machine.functions, solution.classes, solution.pairs, tmp_path / "several.model")
    lines = path.read_text().splitlines()
    body = lines[lines.index("SV") + 1 :]
    coefficients = np.array([[float(field) for field in line.split()[:2]] for line in body])
    assert f"nr_sv {' '.join(map(str, svc.n_support_))}" in lines
    assert sorted(map(tuple, np.abs(coefficients).round(5))) == sorted(map(tuple, np.abs(svc.dual_coef_.T).round(5)))
    (rho,) = (line.split()[1:] for line in lines if line.startswith("rho"))
    assert [-float(value) for value in rho] == pytest.approx(svc.intercept_, abs=1e-6)
    assert -values(read_libsvm_machines(path), X) == pytest.approx(machine.functions(X), abs=1e-12)


def test_sparse_centers_and_absent_features(tmp_path: Path) -> None:
    X, y = data(load_iris)
    X[:, 3] = 0.0
    solution = OneVersusOne(X, y, Linear(), C=1.0).solve(progress=False)
    machine = solution.predictor
    path = write_libsvm_machines(machine.functions, solution.classes, solution.pairs, tmp_path / "several.model")
    assert -values(read_libsvm_machines(path), X) == pytest.approx(machine.functions(X), abs=1e-10)


def test_coefficients_of_both_signs_in_one_class(tmp_path: Path) -> None:
    X, y = data(load_iris)
    solution = OneVersusOne(X, y, RBF(0.1), machine=LeastSquaresClassifier, C=1e4).solve(progress=False)
    shared = Expansions(RBF(0.1), X, np.random.default_rng(0).normal(size=(len(X), 3)), np.arange(3.0))
    for functions in (solution.predictor.functions, shared):
        path = write_libsvm_machines(functions, solution.classes, solution.pairs, tmp_path / "several.model")
        assert -values(read_libsvm_machines(path), X) == pytest.approx(functions(X), abs=1e-9)


def test_what_libsvm_has_not(tmp_path: Path) -> None:
    X, y = data(load_iris)
    path = tmp_path / "several.model"
    for state, words in (
        (OneVersusRest(X, y, RBF(0.1), C=1.0), "one machine for each pair"),
        (OneVersusOne(X, y, Matern(), C=1.0), "LIBSVM has the kernels"),
        (OneVersusOne(X, np.array(list("abc"))[y], RBF(0.1), C=1.0), "labels in a model of LIBSVM are integers"),
    ):
        solution = state.solve(progress=False)
        with pytest.raises(UnsupportedProgramError, match=words):
            write_libsvm_machines(solution.predictor.functions, solution.classes, solution.pairs, path)
    assert not path.exists()
