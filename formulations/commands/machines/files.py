# SPDX-License-Identifier: BSD-3-Clause
"""Machines in files: what fit wrote, or svm-train."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from formulations.commands.options import MACHINE
from formulations.commands.output import hint
from formulations.prediction import Labels, Predictor, Votes, load
from formulations.prediction.libsvm import BEGIN
from qpkernels.arrays import npz_path
from qpkernels.arrays.paths import check_regular
from qpkernels.errors import FileFormatError

__all__ = ["read_machine"]


def read_machine(path: Path, *, scaled: bool, probability: bool = False) -> Predictor:
    """Read a machine from an archive of ours, or from a model file of LIBSVM.

    Parameters
    ----------
    scaled
        Whether samples come scaled by a range file; otherwise it is told that one lies beside a model.
    probability
        Whether probabilities of a model of LIBSVM decide, as in svm-predict -b 1; those of ours always do.

    Raises
    ------
    FileFormatError
        If there is none, or it is damaged, or another.
    """
    if not path.exists() and npz_path(path).exists():
        # fit writes a suffix where none is stated.
        path = npz_path(path)
    if not path.exists():
        which = "fit writes it" if path == MACHINE else "check the name"
        raise FileFormatError(f"there is no machine {path}; {which}, and --model FILE names another.")
    with check_regular(path).open("rb") as file:
        begin = file.read(8)
    if begin == BEGIN:
        ranges = Path(f"{path}.range")
        if ranges.exists() and not scaled:
            # As with svm-predict: who scales does so first, and twice would be wrong without a word.
            hint(f"{path} is a machine of samples that were scaled; --range {ranges} scales these as well.")
        return load(path) if probability else _without_sigmoids(load(path))
    if not begin.startswith(b"PK"):
        raise FileFormatError(f"{path} must be a machine that fit wrote, or a model of LIBSVM, but it is neither.")
    return load(path)


def _without_sigmoids(predictor: Predictor) -> Predictor:
    decision = predictor.decision
    return (
        replace(predictor, decision=replace(decision, sigmoids=None))
        if isinstance(decision, Labels | Votes)
        else predictor
    )
