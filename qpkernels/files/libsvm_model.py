# SPDX-License-Identifier: BSD-3-Clause
"""Functions as model files of LIBSVM: what svm-train writes and svm-predict reads.

The file holds sum_j coef_j k(x_j, x) - rho, and the label of positive values first. Coefficients of 0 are left out; the
first support vector states the last feature even where it is 0, so that the number of features is kept. Numbers are
written with the fewest digits that read back as the same float64. The function is written as it is: that of a NuMargin
or OneClass has the signs of LIBSVM's, and another scale.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qpkernels.arrays import Samples, check_count, is_sparse
from qpkernels.arrays.archives import parsing
from qpkernels.datasets.libsvm import parse_libsvm
from qpkernels.datasets.text import Place, read_number
from qpkernels.errors import FileFormatError, ParameterError, UnsupportedProgramError
from qpkernels.gram import Expansion
from qpkernels.kernels import RBF, Kernel, Linear, Polynomial, Precomputed, Sigmoid

__all__ = ["LibsvmModel", "SvmType", "read_libsvm_model", "write_libsvm_model"]


class SvmType(StrEnum):
    """What LIBSVM calls a machine."""

    C_SVC = "c_svc"
    NU_SVC = "nu_svc"
    ONE_CLASS = "one_class"
    EPSILON_SVR = "epsilon_svr"
    NU_SVR = "nu_svr"

    @property
    def classifies(self) -> bool:
        """Whether it has two classes."""
        return self in (SvmType.C_SVC, SvmType.NU_SVC)


@dataclass(frozen=True, eq=False)
class LibsvmModel:
    """What a model file holds: a function, and the kind of machine that it is of."""

    svm_type: SvmType
    function: Expansion


_HEAD = {"svm_type", "kernel_type", "degree", "gamma", "coef0", "nr_class", "total_sv", "rho", "label", "nr_sv"}
_WHAT = "a model of LIBSVM"


def write_libsvm_model(function: Expansion, path: str | Path, svm_type: SvmType | str | None = None) -> Path:
    """Write ``function`` to ``path``, and return the path.

    Parameters
    ----------
    svm_type
        None: c_svc of a function with classes, else epsilon_svr.

    Raises
    ------
    UnsupportedProgramError
        If LIBSVM has no such kernel, or its labels are no integers of 32 bits.
    ParameterError
        If there is no such type of machine, or it has classes where the function has none.
    """
    kind = _checked_type(svm_type, function)
    kernel = describe_kernel(function.kernel)
    order = _order(function, kind)
    head: dict[str, Any] = {"svm_type": kind, **kernel, "nr_class": 2, "total_sv": order.size}
    head["rho"] = repr(-float(function.intercept))
    if kind.classifies:
        positive = int((function.coefficients > 0).sum())
        head |= {"label": _labels(function), "nr_sv": f"{positive} {order.size - positive}"}
    target = Path(path)
    with target.open("w", encoding="ascii", newline="\n") as file:
        file.writelines(f"{key} {value}\n" for key, value in head.items())
        file.write("SV\n")
        file.writelines(f"{line}\n" for line in _vectors(function, order))
    return target


def read_libsvm_model(path: str | Path, kernel: Precomputed | None = None, features: int | None = None) -> LibsvmModel:
    """Read a model of two classes, of real targets, or of one class.

    Parameters
    ----------
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
    """
    source = Path(path)
    content = source.read_bytes().replace(b"\r\n", b"\n")
    with parsing(source, _WHAT):
        head, mark, body = content.partition(b"\nSV\n")
        if not mark:
            raise FileFormatError(f"{source} must be {_WHAT}, but it has no line SV; copy the file again.")
        values = _read_head(source, head.decode("ascii"))
        kind = SvmType(values["svm_type"])
        # Lines keep their numbers, which errors name.
        text = b"\n" * (head.count(b"\n") + 2) + body
        if values["kernel_type"] == "precomputed":
            centers, coefficients = _read_serials(source, text)
        else:
            centers, coefficients = parse_libsvm(source, text)
            centers = _widened(centers, features)
        counts = [int(count) for count in values.get("nr_sv", str(coefficients.size)).split()]
        if not coefficients.size == int(values["total_sv"]) == sum(counts):
            raise FileFormatError(f"{source} has {coefficients.size} support vectors, but counts others.")
        classes = np.array([int(label) for label in values["label"].split()][::-1]) if kind.classifies else None
        own = _kernel(values, kernel)
        return LibsvmModel(kind, Expansion(own, centers, coefficients, -float(values["rho"]), classes))


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
        f"LIBSVM has the kernels Linear, Polynomial, RBF with one gamma, Sigmoid and Precomputed, but {kernel} came; "
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
    numbers = function.classes.astype(np.float64) if function.classes.dtype.kind in "biuf" else np.full(2, np.nan)
    if not all(number.is_integer() and abs(number) < 2**31 for number in numbers.tolist()):
        raise UnsupportedProgramError(
            f"labels in a model of LIBSVM are integers, but {function.classes.tolist()} came; fit with y of 1 and -1."
        )
    return f"{int(numbers[1])} {int(numbers[0])}"


def _vectors(function: Expansion, order: NDArray[np.intp]) -> Iterator[str]:
    if isinstance(function.kernel, Precomputed):
        for j in order.tolist():
            yield f"{float(function.coefficients[j])!r} 0:{int(function.centers[j]) + 1}"
        return
    rows = csr_array(function.centers)
    last = rows.shape[1]
    for number, j in enumerate(order.tolist()):
        part = slice(rows.indptr[j], rows.indptr[j + 1])
        entries = {int(k) + 1: float(v) for k, v in zip(rows.indices[part], rows.data[part], strict=True) if v}
        if number == 0:
            entries.setdefault(last, 0.0)
        features = "".join(f" {k}:{entries[k]!r}" for k in sorted(entries))
        yield f"{float(function.coefficients[j])!r}{features}"


def _read_head(path: Path, text: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        key, _, value = line.partition(" ")
        if key in ("probA", "probB", "prob_density_marks"):
            raise UnsupportedProgramError(f"{path} has probabilities, which a function has not; train without -b 1.")
        if key not in _HEAD or key in values:
            expected = f"one line for each of {', '.join(sorted(_HEAD))}"
            raise Place(path, number, 1).error(expected, repr(line[:40]), "check that this is the right file")
        values[key] = value.strip()
    if values.get("nr_class", "2") != "2":
        raise UnsupportedProgramError(f"{path} has {values['nr_class'][:20]} classes; a function tells two apart.")
    return values


def _widened(centers: Samples, features: int | None) -> Samples:
    """Return the centers with features that are 0 behind those that a file states."""
    m, stated = centers.shape
    if features is None or features == stated:
        return centers
    if check_count(features, "features") < stated:
        raise FileFormatError(f"samples were said to have {features} features, but the file has {stated}.")
    if is_sparse(centers):
        return csr_array((centers.data, centers.indices, centers.indptr), shape=(m, features))
    return np.hstack([centers, np.zeros((m, features - stated))])


def _kernel(values: Mapping[str, str], given: Precomputed | None) -> Kernel:
    match values["kernel_type"]:
        case "linear":
            return Linear()
        case "polynomial":
            return Polynomial(int(values["degree"]), float(values["gamma"]), float(values["coef0"]))
        case "rbf":
            return RBF(float(values["gamma"]))
        case "sigmoid":
            return Sigmoid(float(values["gamma"]), -float(values["coef0"]))
        case "precomputed" if given is not None:
            return given
        case "precomputed":
            raise FileFormatError("the file has a precomputed kernel; pass its matrix, kernel=Precomputed(K).")
        case other:
            raise FileFormatError(f"LIBSVM has no kernel_type {other[:20]!r}; check that this is the right file.")


def _read_serials(path: Path, content: bytes) -> tuple[Samples, NDArray[np.float64]]:
    rows, coefficients = [], []
    for number, line in enumerate(content.decode("ascii").split("\n"), start=1):
        fields = line.split()
        if not fields:
            continue
        coefficient = read_number(fields[0])
        serial = fields[-1].removeprefix("0:")
        if len(fields) != 2 or coefficient is None or not serial.isdecimal():
            raise Place(path, number, 1).error("'coefficient 0:number'", repr(line[:40]), "correct the line")
        coefficients.append(coefficient)
        rows.append(int(serial) - 1)
    return np.array(rows), np.array(coefficients, dtype=np.float64)
