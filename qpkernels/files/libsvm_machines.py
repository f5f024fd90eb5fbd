# SPDX-License-Identifier: BSD-3-Clause
"""All machines in a model file of LIBSVM, with any number of classes, as svm-train writes it.

A line ``SV`` ends the head. Each support vector follows with its coefficients, one for each other class, and then its
features; the machine of the classes i < j has the (j - 1)-th of those of class i and the i-th of those of class j, and
takes the next number of ``rho`` off. Its values above 0 speak for class i of ``label``, with the probability
1 / (1 + exp(A f + B)) where the head has ``probA`` and ``probB``, a number for each machine. svm-train writes 8 digits
of features. Those that are written have the fewest digits that read back as the same float64.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qpkernels.arrays import Indices, Matrix, Samples, Vector, check_count, is_scalar, is_sparse, shown
from qpkernels.arrays.files import PlaceInFile, parsing, read_file, read_number, replacing
from qpkernels.errors import FileFormatError, ParameterError, UnsupportedProgramError
from qpkernels.files.libsvm_data import parse_libsvm
from qpkernels.gram.functions import Expansion, Expansions
from qpkernels.kernels import Kernel, Precomputed
from qpkernels.kernels.catalogue import KERNELS

__all__ = [
    "WHAT",
    "LibsvmMachines",
    "LibsvmModel",
    "LibsvmSigmoids",
    "SvmType",
    "check_needed",
    "describe_kernel",
    "feature_text",
    "integer_label",
    "parse_model",
    "read_libsvm_machines",
    "read_libsvm_model",
    "split_model",
    "write_libsvm_machines",
    "write_libsvm_model",
]

WHAT = "a model of LIBSVM"

_PROBABILITIES = {"probA", "probB", "prob_density_marks"}
_HEAD = {
    *("svm_type", "kernel_type", "degree", "gamma", "coef0", "nr_class", "total_sv", "rho", "label", "nr_sv"),
    *_PROBABILITIES,
}


class SvmType(StrEnum):
    """The types of machine that LIBSVM knows.

    Examples
    --------
    >>> from qpkernels.files import SvmType
    >>> print([kind.value for kind in SvmType])
    ['c_svc', 'nu_svc', 'one_class', 'epsilon_svr', 'nu_svr']
    """

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
    """1 / (1 + exp(A f + B)) for each machine f: the probability of the class of its positive values.

    Attributes
    ----------
    A, B
        Shape (machines,); A is below 0 where larger values make that class more probable.

    Examples
    --------
    >>> from qpkernels.files import LibsvmSigmoids
    >>> print(LibsvmSigmoids(A=[-2.0], B=[0.0]))
    LibsvmSigmoids(A=[-2.0], B=[0.0])
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
    """The content of a model file.

    Attributes
    ----------
    svm_type, kernel
        The kind of the machines, and their kernel.
    centers
        The support vectors, class by class; for a precomputed kernel, their numbers in its matrix.
    coefficients
        Shape (classes - 1, support vectors), or (1, support vectors) without classes.
    intercepts
        The numbers that are added to the sum of each machine, which are the negatives of ``rho``.
    labels, counts
        The classes in the order of the file, and the number of support vectors of each; None without classes.
    sigmoids
        The sigmoids for probabilities of classes; None if the file has none.
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
        If the file is damaged or of another kind.
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
            raise PlaceInFile(source, number, 1).error(expected, repr(line[:40]), "check that this is the right file")
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
            raise PlaceInFile(path, number, 1).error(expected, repr(line[:40].decode("ascii")), "correct the line")
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
    name = values["kernel_type"]
    kind = KERNELS.get(name)
    if kind is None or not kind.entry.libsvm:
        raise FileFormatError(f"LIBSVM has no kernel_type {name[:20]!r}; check that this is the right file.")
    if kind is not Precomputed:
        made: Kernel = kind.named(
            **{each.name: (int if each.scale == "integer" else float)(values[each.name]) for each in kind.entry.own}
        )
        return made
    if given is None:
        raise FileFormatError("the file has a precomputed kernel; pass its matrix, kernel=Precomputed(K).")
    return given


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
            raise PlaceInFile(path, number, 1).error(expected, repr(line[:40]), "correct the line")
        found.append(coefficients)
        rows.append(int(serial) - 1)
    return np.array(rows), np.array(found, dtype=np.float64).reshape(len(rows), several).T


@dataclass(frozen=True, eq=False)
class LibsvmModel:
    """The content of a model file: a function, and the type of its machine.

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
        The function f + b, such as ``solution.function``. Its kernel is Linear, Polynomial, RBF with one gamma, Sigmoid
        or Precomputed; its labels, if it has any, are 32-bit integers.
    path
        The file to write; an existing file is replaced.
    svm_type
        The type of machine; None stands for c_svc if the function has classes, and for epsilon_svr otherwise.
    sigmoids
        One sigmoid for a function with classes, for svm-predict -b 1; None if it has no probabilities.

    Raises
    ------
    UnsupportedProgramError
        If LIBSVM has no such kernel, or if the labels are not 32-bit integers.
    ParameterError
        If there is no such type of machine, or if the type or a sigmoid needs classes and the function has none.

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
    """Read a model of two classes, with real targets, or of one class.

    Parameters
    ----------
    path
        A file that ``svm-train`` or :func:`write_libsvm_model` wrote.
    kernel
        The matrix, for a model with a precomputed kernel, whose file only holds the numbers of its rows.
    features
        The number of features of samples; None stands for the largest index in the file, which is too small if
        svm-train wrote the file and the last features of all support vectors are 0.

    Raises
    ------
    FileFormatError
        If the file is damaged or of another kind.
    UnsupportedProgramError
        If it has several classes or probabilities.
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
                f"{path} has probabilities, which a function cannot hold; formulations.load reads them too."
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
    values = kernel.stated()
    if kernel.entry is not None and kernel.entry.libsvm and all(map(is_scalar, values.values())):
        return {"kernel_type": kernel.entry.name, **{name: repr(value) for name, value in values.items()}}
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
        due, came = ("two", "none") if kind.classifies else ("no", "two")
        raise ParameterError(f"a {kind} has {due} classes, but this function has {came}.")
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


Pairs = Sequence[tuple[int, int]]


def write_libsvm_machines(
    functions: Expansions,
    classes: NDArray[Any],
    pairs: Pairs,
    path: str | Path,
    svm_type: SvmType = SvmType.C_SVC,
    sigmoids: LibsvmSigmoids | None = None,
) -> Path:
    """Write machines of all pairs of classes to ``path``, and return the path.

    Parameters
    ----------
    functions
        One function for each pair of classes.
    classes
        The labels in sorted order, integers.
    pairs
        For each function, the numbers of the classes of its negative and positive values.
    path
        The file to write; an existing file is replaced.
    svm_type
        C_SVC or NU_SVC.
    sigmoids
        One sigmoid for each function, for svm-predict -b 1; None if there are no probabilities.

    Raises
    ------
    UnsupportedProgramError
        If LIBSVM has no such kernel or labels, or if these are not machines of all pairs.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from formulations import OneVersusOne
    >>> from qpkernels.files import read_libsvm_machines, write_libsvm_machines
    >>> X, y = [[0.0], [1.0], [4.0], [5.0], [8.0], [9.0]], [1, 1, 2, 2, 3, 3]
    >>> solution = OneVersusOne(X, y, C=1.0).solve(progress=False)
    >>> functions, pairs = solution.predictor.functions, solution.pairs
    >>> with TemporaryDirectory() as folder:
    ...     path = write_libsvm_machines(functions, solution.classes, pairs, f"{folder}/machines.model")
    ...     print(read_libsvm_machines(path).labels)
    [1 2 3]
    """
    count = classes.size
    ordered, signs = _columns(pairs, count)
    chosen = functions.coefficients[:, ordered]
    coefficients = (chosen.toarray() if isinstance(chosen, csr_array) else chosen) * signs
    rho = -functions.intercepts[ordered] * signs
    of_class = [_in_class(coefficients, k, count) for k in range(count)]
    order = np.concatenate([np.flatnonzero(own.any(axis=1)) for own in of_class])
    head = {
        "svm_type": svm_type,
        **describe_kernel(functions.kernel),
        "nr_class": count,
        "total_sv": order.size,
        "rho": " ".join(repr(float(value)) for value in rho),
        "label": " ".join(integer_label(label) for label in classes.tolist()),
        # 1 / (1 + exp(A f + B)) is 1 - 1 / (1 + exp(A (-f) - B)).
        **({} if sigmoids is None else LibsvmSigmoids(sigmoids.A[ordered], sigmoids.B[ordered] * signs).head()),
        "nr_sv": " ".join(str(int(own.any(axis=1).sum())) for own in of_class),
    }
    target = Path(path)
    with replacing(target, "ascii") as file:
        file.writelines(f"{key} {value}\n" for key, value in head.items())
        file.write("SV\n")
        rows = np.vstack([own[own.any(axis=1)] for own in of_class])
        for numbers, features in zip(
            rows.tolist(), feature_text(functions.kernel, functions.centers, order), strict=True
        ):
            file.write(" ".join(map(repr, numbers)) + features + "\n")
    return target


def _columns(pairs: Pairs, count: int) -> tuple[list[int], NDArray[np.float64]]:
    """Return the functions in LIBSVM's order, and the signs that make their values positive for the first class."""
    place = {tuple(sorted(pair)): k for k, pair in enumerate(pairs)}
    wanted = list(combinations(range(count), 2))
    if set(place) != set(wanted):
        raise UnsupportedProgramError(
            "LIBSVM has one machine for each pair of classes, and these machines are not of that kind."
        )
    ordered = [place[pair] for pair in wanted]
    return ordered, np.array(
        [1.0 if pairs[k][1] == first else -1.0 for k, (first, _) in zip(ordered, wanted, strict=True)]
    )


def _machines(number: int, count: int) -> list[int]:
    """Return the columns of the machines of a class, in the order of the other classes."""
    place = {pair: k for k, pair in enumerate(combinations(range(count), 2))}
    return [place[min(number, other), max(number, other)] for other in range(count) if other != number]


def _in_class(coefficients: Matrix, number: int, count: int) -> Matrix:
    """Return what stands in front of the features of each center, if it is of a class: those that pull to that class.

    A center that pulls to several classes, as none of a support vector machine does, becomes a line in each.
    """
    pulls = np.array([1.0 if number < other else -1.0 for other in range(count) if other != number])
    own = coefficients[:, _machines(number, count)]
    return np.where(own * pulls > 0, own, 0.0)
