# SPDX-License-Identifier: BSD-3-Clause
"""Functions as model files of LIBSVM: what svm-train writes and svm-predict reads.

The file holds sum_j coef_j k(x_j, x) - rho, and the label of positive values first. Coefficients of 0 are left out; the
first support vector states the last feature even where it is 0, so that the number of features is kept. Numbers are
written with the fewest digits that read back as the same float64. The function is written as it is: that of a NuMargin
or OneClass has the signs of LIBSVM's, and another scale.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qpkernels.arrays import Samples
from qpkernels.arrays.archives import parsing
from qpkernels.arrays.paths import replacing
from qpkernels.errors import ParameterError, UnsupportedProgramError
from qpkernels.files.libsvm.machines import WHAT, LibsvmSigmoids, SvmType, check_needed, parse_model, split_model
from qpkernels.functions import Expansion
from qpkernels.kernels import RBF, Kernel, Linear, Polynomial, Precomputed, Sigmoid

__all__ = [
    "LibsvmModel",
    "describe_kernel",
    "feature_text",
    "integer_label",
    "read_libsvm_model",
    "write_libsvm_model",
]


@dataclass(frozen=True, eq=False)
class LibsvmModel:
    """What a model file holds: a function, and the kind of machine that it is of.

    Attributes
    ----------
    svm_type
        The kind of machine.
    function
        f + b with the support vectors of the file.
    """

    svm_type: SvmType
    function: Expansion


def write_libsvm_model(
    function: Expansion,
    path: str | Path,
    svm_type: SvmType | str | None = None,
    sigmoids: LibsvmSigmoids | None = None,
) -> Path:
    """Write ``function`` to ``path``, and return the path.

    Parameters
    ----------
    function
        f + b, as ``solution.function`` has it. Its kernel is Linear, Polynomial, RBF with one gamma, Sigmoid or
        Precomputed; its labels, if it has any, are integers of 32 bits.
    path
        Where to; a file that is there is replaced.
    svm_type
        None: c_svc of a function with classes, else epsilon_svr.
    sigmoids
        Of a function with classes: one, for svm-predict -b 1; None: it has no probabilities.

    Raises
    ------
    UnsupportedProgramError
        If LIBSVM has no such kernel, or its labels are no integers of 32 bits.
    ParameterError
        If there is no such type of machine, or it, or a sigmoid, has classes where the function has none.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from formulations import SoftMargin
    >>> from qpkernels.files import write_libsvm_model
    >>> solution = SoftMargin([[0.0], [1.0], [3.0], [4.0]], [-1, -1, 1, 1], C=1.0).solve(tol=1e-6)
    >>> with TemporaryDirectory() as folder:
    ...     path = write_libsvm_model(solution.function, f"{folder}/machine.model")
    ...     print(path.read_text(encoding="ascii").splitlines()[:2])
    ['svm_type c_svc', 'kernel_type linear']
    """
    kind = _checked_type(svm_type, function)
    if sigmoids is not None and not kind.classifies:
        raise ParameterError(f"a {kind} has no classes, and so no sigmoids of probabilities; leave them out.")
    kernel = describe_kernel(function.kernel)
    order = _order(function, kind)
    head: dict[str, Any] = {"svm_type": kind, **kernel, "nr_class": 2, "total_sv": order.size}
    head["rho"] = repr(-float(function.intercept))
    if kind.classifies:
        positive = int((function.coefficients > 0).sum())
        head |= {"label": _labels(function)} | ({} if sigmoids is None else sigmoids.head())
        head["nr_sv"] = f"{positive} {order.size - positive}"
    target = Path(path)
    with replacing(target, "ascii") as file:
        file.writelines(f"{key} {value}\n" for key, value in head.items())
        file.write("SV\n")
        file.writelines(f"{line}\n" for line in _vectors(function, order))
    return target


def read_libsvm_model(path: str | Path, kernel: Precomputed | None = None, features: int | None = None) -> LibsvmModel:
    """Read a model of two classes, of real targets, or of one class.

    Parameters
    ----------
    path
        A file that ``svm-train`` or :func:`write_libsvm_model` wrote.
    kernel
        The matrix, for a model with a precomputed kernel, whose file has the numbers of its rows only.
    features
        How many features samples have; None: as many as the largest index in the file, which falls short where
        svm-train wrote it and the last features of all support vectors are 0.

    Raises
    ------
    FileFormatError
        If the file is damaged, or another.
    UnsupportedProgramError
        If it has several classes, or probabilities.
    ParameterError
        If ``kernel`` comes for a file with a kernel of its own, or ``features`` for one with a precomputed kernel.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from formulations import SoftMargin
    >>> from qpkernels.files import read_libsvm_model, write_libsvm_model
    >>> solution = SoftMargin([[0.0], [1.0], [3.0], [4.0]], [-1, -1, 1, 1], C=1.0).solve(tol=1e-6)
    >>> with TemporaryDirectory() as folder:
    ...     machine = read_libsvm_model(write_libsvm_model(solution.function, f"{folder}/machine.model"))
    >>> print(machine.svm_type, machine.function([[4.0]]).round(3))
    c_svc [2.]
    """
    source = Path(path)
    with parsing(source, WHAT):
        head, body = split_model(source)
    check_needed(source, head, kernel, features)
    with parsing(source, WHAT):
        if any(key in head for key in ("probA", "probB", "prob_density_marks")):
            raise UnsupportedProgramError(
                f"{path} has probabilities, which a function has not; formulations.load reads the machine with them."
            )
        if head.get("nr_class", "2") != "2":
            raise UnsupportedProgramError(
                f"{path} has {head['nr_class'][:20]} classes; a function tells two apart, see read_libsvm_machines."
            )
        found = parse_model(source, head, body, kernel, features)
        classes = None if found.labels is None else found.labels[::-1]
        parts = (found.kernel, found.centers, found.coefficients[0], float(found.intercepts[0]), classes)
        return LibsvmModel(found.svm_type, Expansion(*parts))


def describe_kernel(kernel: Kernel) -> dict[str, str]:
    """Return the kernel in LIBSVM's words.

    Raises
    ------
    UnsupportedProgramError
        If LIBSVM has none such.
    """
    match kernel:
        case Linear():
            return {"kernel_type": "linear"}
        case Polynomial(degree=degree, gamma=gamma, coef0=coef0):
            return {"kernel_type": "polynomial", "degree": str(degree), "gamma": repr(gamma), "coef0": repr(coef0)}
        case RBF(gamma=float(gamma)):
            return {"kernel_type": "rbf", "gamma": repr(gamma)}
        case Sigmoid(kappa=kappa, b=b):
            return {"kernel_type": "sigmoid", "gamma": repr(kappa), "coef0": repr(-b)}
        case Precomputed():
            return {"kernel_type": "precomputed"}
    raise UnsupportedProgramError(
        f"LIBSVM has the kernels Linear, Polynomial, RBF with one gamma, Sigmoid and Precomputed, but {kernel!r} came; "
        "save the function with Expansion.save."
    )


def _checked_type(svm_type: SvmType | str | None, function: Expansion) -> SvmType:
    if svm_type is None:
        return SvmType.EPSILON_SVR if function.classes is None else SvmType.C_SVC
    if svm_type not in list(SvmType):
        raise ParameterError(f"svm_type must be one of {', '.join(SvmType)}, but {svm_type!r} came.")
    kind = SvmType(svm_type)
    if kind.classifies != (function.classes is not None):
        raise ParameterError(f"a {kind} has {'two' if kind.classifies else 'no'} classes, and this function has not.")
    return kind


def _order(function: Expansion, kind: SvmType) -> NDArray[np.intp]:
    """Return the numbers of the support vectors: of classes, those that pull to the positive label first."""
    if not kind.classifies:
        return np.flatnonzero(function.coefficients)
    return np.concatenate([np.flatnonzero(function.coefficients > 0), np.flatnonzero(function.coefficients < 0)])


def _labels(function: Expansion) -> str:
    assert function.classes is not None
    negative, positive = function.classes.tolist()
    return f"{integer_label(positive)} {integer_label(negative)}"


def integer_label(label: object) -> str:
    """Return a label as model files have it.

    Raises
    ------
    UnsupportedProgramError
        If it is no integer of 32 bits.
    """
    if isinstance(label, int | float) and float(label).is_integer() and abs(label) < 2**31:
        return str(int(label))
    raise UnsupportedProgramError(
        f"labels in a model of LIBSVM are integers, but {label!r} came; fit with y of integers, such as 1 and -1."
    )


def _vectors(function: Expansion, order: NDArray[np.intp]) -> Iterator[str]:
    texts = feature_text(function.kernel, function.centers, order)
    for j, text in zip(order.tolist(), texts, strict=True):
        yield f"{float(function.coefficients[j])!r}{text}"


def feature_text(kernel: Kernel, centers: Samples, order: NDArray[np.intp]) -> Iterator[str]:
    """Yield the features of centers as a model file has them; the first states the last feature, even if it is 0."""
    if isinstance(kernel, Precomputed):
        yield from (f" 0:{int(centers[j]) + 1}" for j in order.tolist())
        return
    rows = csr_array(centers)
    last = rows.shape[1]
    for number, j in enumerate(order.tolist()):
        part = slice(rows.indptr[j], rows.indptr[j + 1])
        entries = {int(k) + 1: float(v) for k, v in zip(rows.indices[part], rows.data[part], strict=True) if v}
        if number == 0:
            entries.setdefault(last, 0.0)
        yield "".join(f" {k}:{entries[k]!r}" for k in sorted(entries))
