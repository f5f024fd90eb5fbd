# SPDX-License-Identifier: BSD-3-Clause
"""Machines in files: what fit wrote, or svm-train."""

from __future__ import annotations

from pathlib import Path

from formulations.commands.options import MACHINE
from formulations.prediction import Inliers, Labels, Predictor, Targets, load
from qpkernels.errors import FileFormatError
from qpkernels.files import SvmType, read_libsvm_model
from qpkernels.gram.expansions import Expansions

__all__ = ["read_machine"]


def read_machine(path: Path) -> Predictor:
    """Read a machine from an archive of ours, or from a model file of LIBSVM.

    Raises
    ------
    FileFormatError
        If there is none, or it is damaged, or another.
    """
    if not path.exists():
        which = "fit writes it" if path == MACHINE else "check the name"
        raise FileFormatError(f"there is no machine {path}; {which}, and --model FILE names another.")
    with path.open("rb") as file:
        begin = file.read(8)
    if begin == b"svm_type":
        return _of_libsvm(path)
    if not begin.startswith(b"PK"):
        raise FileFormatError(f"{path} must be a machine that fit wrote, or a model of LIBSVM, but it is neither.")
    return load(path)


def _of_libsvm(path: Path) -> Predictor:
    read = read_libsvm_model(path)
    functions = Expansions.of([read.function])
    if read.svm_type is SvmType.ONE_CLASS:
        return Predictor(functions, Inliers(-read.function.intercept))
    classes = read.function.classes
    return Predictor(functions, Targets() if classes is None else Labels(classes))
