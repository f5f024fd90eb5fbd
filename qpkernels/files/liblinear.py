# SPDX-License-Identifier: BSD-3-Clause
"""Model files of LIBLINEAR, which its program train writes and its program predict reads.

A line ``w`` ends the head. Each line after it holds the weights of one feature, one number for each machine: a single
machine tells two classes apart, whose values above 0 speak for the first label, or predicts a target; more classes have
a machine each. With ``bias`` of at least 0 every sample has that value as a last feature.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Matrix
from qpkernels.arrays.files import PlaceInFile, parsing, read_file, read_number
from qpkernels.errors import FileFormatError

__all__ = [
    "LiblinearModel",
    "read_liblinear_model",
]

_HEAD = {"solver_type", "nr_class", "label", "nr_feature", "bias", "rho"}
_WHAT = "a model of LIBLINEAR"


@dataclass(frozen=True, eq=False)
class LiblinearModel:
    """The content of a model file.

    Attributes
    ----------
    solver_type
        LIBLINEAR's name of the problem and its solver, such as L2R_L2LOSS_SVC_DUAL.
    labels
        The classes in the order of the file; None for a machine with real targets.
    weights
        Shape (machines, features), without the weights of the bias.
    biases
        The weight of the bias feature, one for each machine; 0 if there is none.
    bias
        The value of the bias feature; None if there is none.
    """

    solver_type: str
    labels: NDArray[np.int64] | None
    weights: Matrix
    biases: NDArray[np.float64]
    bias: float | None


def read_liblinear_model(path: str | Path) -> LiblinearModel:
    r"""Read a model of LIBLINEAR.

    Parameters
    ----------
    path
        A file that ``train`` of LIBLINEAR wrote.

    Raises
    ------
    FileFormatError
        If the file is damaged or of another kind.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from qpkernels.files import read_liblinear_model
    >>> head = "solver_type L2R_L2LOSS_SVC_DUAL\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias 1\nw\n"
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "heart.model")
    ...     _ = path.write_text(head + "0.5\n-1.5\n0.25\n")
    ...     machine = read_liblinear_model(path)
    >>> print(machine.solver_type, machine.weights, machine.biases)
    L2R_L2LOSS_SVC_DUAL [[ 0.5 -1.5]] [0.25]
    """
    source = Path(path)
    with parsing(source, _WHAT):
        head, mark, body = read_file(source).decode("ascii").replace("\r\n", "\n").partition("\nw\n")
        if not mark:
            raise FileFormatError(f"{source} must be {_WHAT}, but it has no line w; copy the file again.")
        values = _read_head(source, head)
        weights = _read_weights(source, body, head.count("\n") + 3)
        features, bias = int(values["nr_feature"]), float(values["bias"])
        labels = np.array([int(label) for label in values["label"].split()]) if "label" in values else None
        classes = int(values["nr_class"])
        machines = classes if labels is not None and (classes > 2 or values["solver_type"] == "MCSVM_CS") else 1
        expected = (features + (bias >= 0), machines)
        if weights.shape != expected or (labels is not None and labels.size != classes):
            raise FileFormatError(
                f"{source} says that it has {expected[0]} features, the bias among them, and {machines} machines of "
                f"{classes} classes, but its weights are of shape {weights.shape}; copy the file again."
            )
        biases = weights[features] if bias >= 0 else np.zeros(machines)
        return LiblinearModel(values["solver_type"], labels, weights[:features].T, biases, bias if bias >= 0 else None)


def _read_head(path: Path, text: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        key, _, value = line.partition(" ")
        if key not in _HEAD or key in values:
            expected = f"one line for each of {', '.join(sorted(_HEAD))}"
            raise PlaceInFile(path, number, 1).error(expected, repr(line[:40]), "check that this is the right file")
        values[key] = value.strip()
    return values


def _read_weights(path: Path, text: str, first: int) -> Matrix:
    rows: list[list[float | None]] = []
    for number, line in enumerate(text.split("\n"), start=first):
        fields = [read_number(field) for field in line.split()]
        if None in fields or (fields and rows and len(fields) != len(rows[0])):
            raise PlaceInFile(path, number, 1).error("one weight for each machine", repr(line[:40]), "correct the line")
        rows += [fields] if fields else []
    return np.array(rows, dtype=np.float64)
