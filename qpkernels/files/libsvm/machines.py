# SPDX-License-Identifier: BSD-3-Clause
"""All machines in a model file of LIBSVM, of any number of classes: what svm-train writes.

A line ``SV`` ends the head. Each support vector follows with its coefficients, one for each other class, and then its
features; the machine of the classes i < j has the (j - 1)-th of those of class i and the i-th of those of class j, and
takes the next number of ``rho`` off. Its values above 0 speak for class i of ``label``, with the probability
1 / (1 + exp(A f + B)) where the head has ``probA`` and ``probB``, a number for each machine. svm-train writes 8 digits
of features.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qpkernels.arrays import Indices, Matrix, Samples, Vector, check_count, is_sparse, shown
from qpkernels.arrays.archives import parsing
from qpkernels.arrays.paths import read_file
from qpkernels.datasets.libsvm import parse_libsvm
from qpkernels.datasets.text import Place, read_number
from qpkernels.errors import FileFormatError, ParameterError
from qpkernels.kernels import RBF, Kernel, Linear, Polynomial, Precomputed, Sigmoid

__all__ = [
    "WHAT",
    "LibsvmMachines",
    "LibsvmSigmoids",
    "SvmType",
    "check_needed",
    "parse_model",
    "read_libsvm_machines",
    "split_model",
]

WHAT = "a model of LIBSVM"

_PROBABILITIES = {"probA", "probB", "prob_density_marks"}
_HEAD = {
    *("svm_type", "kernel_type", "degree", "gamma", "coef0", "nr_class", "total_sv", "rho", "label", "nr_sv"),
    *_PROBABILITIES,
}


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
class LibsvmSigmoids:
    """1 / (1 + exp(A f + B)) for each machine f: the probability of the class that its positive values speak for.

    Attributes
    ----------
    A, B
        Shape (machines,); A is below 0 where larger values make that class more probable.
    """

    A: Vector
    B: Vector

    def head(self) -> dict[str, str]:
        """Return the lines of a model file."""
        return {"probA": _joined(self.A), "probB": _joined(self.B)}


def _joined(numbers: Vector) -> str:
    return " ".join(map(repr, numbers.tolist()))


@dataclass(frozen=True, eq=False)
class LibsvmMachines:
    """What a model file holds.

    Attributes
    ----------
    svm_type, kernel
        The kind of the machines, and their kernel.
    centers
        The support vectors, class by class; their numbers in the matrix of a precomputed kernel.
    coefficients
        Shape (classes - 1, support vectors), or (1, support vectors) without classes.
    intercepts
        What is added to the sum of each machine, the negative of ``rho``.
    labels, counts
        The classes in the order of the file, and how many support vectors each has; None without classes.
    sigmoids
        Of probabilities of classes; None where the file has none.
    """

    svm_type: SvmType
    kernel: Kernel
    centers: Samples
    coefficients: Matrix
    intercepts: Vector
    labels: NDArray[np.int64] | None
    counts: Indices | None
    sigmoids: LibsvmSigmoids | None = None


def read_libsvm_machines(
    path: str | Path, kernel: Precomputed | None = None, features: int | None = None
) -> LibsvmMachines:
    r"""Read the machines of a model, of any number of classes.

    Parameters
    ----------
    path
        A file that ``svm-train``, :func:`~qpkernels.files.write_libsvm_model` or
        :func:`~qpkernels.files.write_libsvm_machines` wrote.
    kernel, features
        As in :func:`~qpkernels.files.read_libsvm_model`.

    Raises
    ------
    FileFormatError
        If the file is damaged, or another.
    ParameterError
        If ``kernel`` comes for a file with a kernel of its own, or ``features`` for one with a precomputed kernel.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from qpkernels.files import read_libsvm_machines
    >>> head = "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 2\nlabel 1 -1\nnr_sv 1 1\nSV\n"
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "heart.model")
    ...     _ = path.write_text(head + "0.5 1:3\n-0.5 1:1\n")
    ...     machines = read_libsvm_machines(path)
    >>> print(machines.svm_type, machines.labels, machines.intercepts)
    c_svc [ 1 -1] [-2.]
    """
    source = Path(path)
    with parsing(source, WHAT):
        head, body = split_model(source)
    check_needed(source, head, kernel, features)
    with parsing(source, WHAT):
        return parse_model(source, head, body, kernel, features)


def split_model(source: Path) -> tuple[dict[str, str], bytes]:
    """Return the head of a model by its keys, and what follows it, where lines keep their numbers."""
    head, mark, body = read_file(source).replace(b"\r\n", b"\n").partition(b"\nSV\n")
    if not mark:
        raise FileFormatError(f"{source} must be {WHAT}, but it has no line SV; copy the file again.")
    values: dict[str, str] = {}
    for number, line in enumerate(head.decode("ascii").split("\n"), start=1):
        key, _, value = line.partition(" ")
        if key not in _HEAD or key in values:
            expected = f"one line for each of {', '.join(sorted(_HEAD - _PROBABILITIES))}"
            raise Place(source, number, 1).error(expected, repr(line[:40]), "check that this is the right file")
        values[key] = value.strip()
    return values, b"\n" * (head.count(b"\n") + 2) + body


def check_needed(source: Path, head: Mapping[str, str], kernel: Precomputed | None, features: int | None) -> None:
    """Refuse a kernel matrix or a number of features of which a model with this head has no use."""
    own = head.get("kernel_type", "none")
    precomputed = own == "precomputed"
    if precomputed and features is not None:
        raise ParameterError(
            f"features must be None for {source}, whose kernel is precomputed, so that its samples have none, but "
            f"{shown(features)} came; leave it out."
        )
    if not precomputed and kernel is not None:
        raise ParameterError(
            f"kernel must be None for {source}, which has its own of type {own[:20]}, but a matrix came; leave it out."
        )


def parse_model(
    source: Path, head: Mapping[str, str], body: bytes, kernel: Precomputed | None, features: int | None
) -> LibsvmMachines:
    """Return the machines of a model that was split; errors name ``source``."""
    kind = SvmType(head["svm_type"])
    classes = check_count(int(head.get("nr_class", "2")), "nr_class") if kind.classifies else 2
    if head["kernel_type"] == "precomputed":
        centers, coefficients = _read_serials(source, body, classes - 1)
    else:
        first, body = _without_first_coefficients(source, body, classes - 2)
        centers, last = parse_libsvm(source, body)
        centers, coefficients = _widened(centers, features), np.vstack([first, last[None, :]])
    total = coefficients.shape[1]
    counts = np.array([int(count) for count in head.get("nr_sv", str(total)).split()])
    if not total == int(head["total_sv"]) == counts.sum():
        raise FileFormatError(
            f"{source} announces {head['total_sv']} support vectors, of all classes {counts.sum()}, but holds {total}: "
            "it is cut short or damaged."
        )
    intercepts = -np.array([float(level) for level in head["rho"].split()])
    if not kind.classifies:
        counts_known, labels = None, None
    else:
        counts_known, labels = counts, np.array([int(label) for label in head["label"].split()])
    if intercepts.size != (classes * (classes - 1) // 2 if kind.classifies else 1):
        raise FileFormatError(
            f"{source} has {classes} classes, but {intercepts.size} numbers rho; copy the file again."
        )
    if labels is not None and classes > 2 and not labels.size == counts.size == classes:
        raise FileFormatError(
            f"{source} has {classes} classes, but {labels.size} labels and {counts.size} numbers nr_sv; copy the file "
            "again."
        )
    sigmoids = _sigmoids(source, head, intercepts.size) if kind.classifies else None
    parts = (centers, coefficients, intercepts, labels, counts_known, sigmoids)
    return LibsvmMachines(kind, _kernel(head, kernel), *parts)


def _sigmoids(source: Path, head: Mapping[str, str], machines: int) -> LibsvmSigmoids | None:
    if "probA" not in head and "probB" not in head:
        return None
    A, B = (np.array([float(number) for number in head.get(key, "").split()]) for key in ("probA", "probB"))
    if not A.size == B.size == machines or not np.isfinite([A, B]).all():
        raise FileFormatError(
            f"{source} has {machines} machines, but {A.size} numbers probA and {B.size} probB, all of which must be "
            "finite; copy the file again."
        )
    return LibsvmSigmoids(A, B)


def _without_first_coefficients(path: Path, body: bytes, several: int) -> tuple[Matrix, bytes]:
    """Return so many coefficients from the front of each line, and the text without them."""
    if several == 0:
        return np.zeros((0, sum(bool(line.strip()) for line in body.split(b"\n")))), body
    found, lines = [], []
    for number, line in enumerate(body.split(b"\n"), start=1):
        fields = line.split(maxsplit=several)
        coefficients = [read_number(field.decode("ascii")) for field in fields[:several]]
        if fields and (len(fields) <= several or None in coefficients):
            expected = f"{several + 1} coefficients, one for each other class"
            raise Place(path, number, 1).error(expected, repr(line[:40].decode("ascii")), "correct the line")
        found += [coefficients] if fields else []
        lines.append(fields[several] if fields else b"")
    return np.array(found, dtype=np.float64).T, b"\n".join(lines)


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


def _read_serials(path: Path, content: bytes, several: int) -> tuple[Samples, Matrix]:
    rows, found = [], []
    for number, line in enumerate(content.decode("ascii").split("\n"), start=1):
        fields = line.split()
        if not fields:
            continue
        coefficients = [read_number(field) for field in fields[:-1]]
        serial = fields[-1].removeprefix("0:")
        if len(coefficients) != several or None in coefficients or not serial.isdecimal():
            expected = "'coefficient 0:number'" if several == 1 else f"{several} coefficients and '0:number'"
            raise Place(path, number, 1).error(expected, repr(line[:40]), "correct the line")
        found.append(coefficients)
        rows.append(int(serial) - 1)
    return np.array(rows), np.array(found, dtype=np.float64).reshape(len(rows), several).T
