# SPDX-License-Identifier: BSD-3-Clause
"""Machines written as programs for others, and what is proved of them: how near, and which labels are the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import qpkernels
from formulations.modelling.prediction.exporting.c99 import C99
from formulations.modelling.prediction.exporting.json_text import Json
from formulations.modelling.prediction.exporting.machine_format import MachineFormat
from formulations.modelling.prediction.exporting.onnx_graph import Onnx
from formulations.modelling.prediction.exporting.rounding import Traced, traced
from formulations.modelling.prediction.exporting.table import MachineTable
from formulations.modelling.prediction.files import load
from formulations.modelling.prediction.predictor import Predictor
from qpkernels.arrays import Matrix, Vector, finite_matrix, finite_vector, is_sparse, row_blocks, shown
from qpkernels.arrays.files import replacing
from qpkernels.display import Card, Carded, Fact, count
from qpkernels.errors import ParameterError, ShapeError

__all__ = ["FORMATS", "Checked", "ExportedMachine", "export"]

FORMATS: dict[str, MachineFormat] = {each.suffix: each for each in (C99(), Onnx(), Json())}
"""The formats by the suffixes of their files."""

_ROUNDED = 1.0 + 2.0**-40
"""What the difference of two floats may be short of the exact one."""


@dataclass(frozen=True, eq=False)
class Checked(Carded):
    """What is proved of a program at a set of samples.

    Attributes
    ----------
    bounds
        How far its decision values are at most from those of the machine, shape (n, number of functions).
    certain
        Whether the label of each sample is proved to be the machine's, shape (n,); None: there are no labels.
    """

    bounds: Matrix = field(repr=False)
    certain: NDArray[np.bool_] | None = field(repr=False)

    @property
    def largest(self) -> float:
        """The largest bound of a decision value."""
        return float(self.bounds.max(initial=0.0))

    @property
    def uncertain(self) -> NDArray[np.intp]:
        """The numbers of the samples whose labels are not proved to be the same."""
        return np.zeros(0, np.intp) if self.certain is None else np.flatnonzero(~self.certain)

    def card(self) -> Card:
        """Return how many samples there are, the largest bound, and how many labels are certain."""
        facts = [Fact("samples", f"{len(self.bounds)}"), Fact("decision values", f"within {self.largest:.2g}")]
        if self.certain is not None:
            facts.append(Fact("labels", f"{int(self.certain.sum())} are proved to be the same"))
        if self.uncertain.size:
            facts.append(Fact("not proved", f"those of the samples {shown(self.uncertain.tolist())}"))
        return Card(type(self).__name__, facts=tuple(facts))

    def __repr__(self) -> str:
        return f"<Checked: {'; '.join(f'{each.name} {each.value}' for each in self.card().facts)}>"


@dataclass(frozen=True, eq=False)
class ExportedMachine(Carded):
    r"""A machine as a program in a file, with the proof of how near it computes.

    With g the values of the machine and p those of the program in its own floats, |p(x) - g(x)| is bounded, sample by
    sample or over a box. The program's sums may be in any order, with fused operations or without; what is assumed is
    IEEE arithmetic, float64 in C and JSON and float32 in ONNX, and an exp that errs by 4 units in the last place at
    most. Results below the least normal number may become 0.

    Attributes
    ----------
    path
        The file.
    machine
        What was exported: its ``predict`` is what labels are held against.
    predictor
        The machine without its samples, whose values are those that bounds are of.
    program
        The format.
    table
        The numbers that the program consists of.

    Notes
    -----
    Argument of the methods:

    X
        Samples, shape (n, features), as the machine takes them.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from formulations import SoftMargin, export
    >>> solution = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, -1, 1, 1]).solve()
    >>> program = export(solution, Path(mkdtemp()) / "machine.c")
    >>> print(program.certain([[0.5], [2.5]]), program.bound([[0.5]]).max() < 1e-12)
    [ True  True] True
    """

    path: Path
    machine: Any = field(repr=False)
    predictor: Predictor
    program: MachineFormat = field(repr=False)
    table: MachineTable = field(repr=False)

    def bound(self, X: ArrayLike) -> Matrix:
        """Return how far each decision value is at most from ``predictor.values(X)``, shape (n, number of functions).

        It is infinite where nothing is proved, as where numbers overflow.
        """
        return np.concatenate([bounds for bounds, _, _ in self._compared(X)])

    def certain(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Return whether the label of each sample is proved to be that of ``machine.predict``, shape (n,).

        Raises
        ------
        ParameterError
            If there are no labels.
        """
        certain = self.check(X).certain
        if certain is None:
            raise ParameterError("this machine has no labels; bound(X) says how near its values are.")
        return certain

    def check(self, X: ArrayLike) -> Checked:
        """Return both for a set of samples."""
        bounds, numbers = [], []
        rule = self.table.rule
        for bound, lower, upper in self._compared(X):
            bounds.append(bound)
            if rule is not None:
                numbers.append(rule.settled(lower, upper, self.program.floats.unit))
        if rule is None:
            return Checked(np.concatenate(bounds), None)
        settled = np.concatenate(numbers)
        same = rule.classes[settled] == np.asarray(self.machine.predict(X))
        return Checked(np.concatenate(bounds), (settled >= 0) & same)

    def bound_over(self, low: ArrayLike, high: ArrayLike) -> Vector:
        """Return how far decision values are at most from those of the machine in a box, shape (number of functions,).

        Here the values of the machine are those in exact arithmetic, which ``predict`` rounds. With two classes, the
        program has the label of the exact value wherever that value exceeds this bound.

        Parameters
        ----------
        low, high
            The ends of each feature, shape (features,).

        Raises
        ------
        ShapeError, ParameterError
            If these are no ends.
        """
        ends = [finite_vector(each, "the ends of a box", self.table.features)[None] for each in (low, high)]
        if not (ends[0] <= ends[1]).all():
            raise ParameterError("the lower ends of a box must be at most the upper ones, but some are above them.")
        bounds: Vector = self._traced(*ends).errors[0]
        return bounds

    def card(self) -> Card:
        """Return the file, and what is in it."""
        size = sum(len(each.centers) for each in self.table.terms)
        return Card(
            type(self).__name__,
            facts=(
                Fact("file", f"{self.path}, {self.path.stat().st_size / 1000:.0f} kB"),
                Fact("arithmetic", self.program.floats.name),
                Fact("functions", f"{self.table.intercepts.size}, of {count(size, 'center')}"),
            ),
        )

    def __repr__(self) -> str:
        return f"<ExportedMachine: {self.path}, {self.predictor!r}>"

    def _traced(self, low: Matrix, high: Matrix) -> Traced:
        return traced(self.table, low, high, self.program.floats, self.program.depth)

    def _compared(self, X: ArrayLike) -> Iterator[tuple[Matrix, Matrix, Matrix]]:
        """Yield the bounds of some samples after the other, and the ends of the program's values."""
        values = self.predictor.values(X)
        samples = finite_matrix(X.toarray() if is_sparse(X) else X, "X")  # type: ignore[union-attr]
        widest = max((len(each.centers) for each in self.table.terms), default=1)
        for rows in row_blocks(len(samples), 8 * max(widest, self.table.features)):
            part = samples[rows]
            near = self._traced(part, part)
            with np.errstate(invalid="ignore"):
                moved = np.abs(near.lower - values[rows]) * _ROUNDED + near.errors
                lower, upper = near.lower - near.errors * _ROUNDED, near.lower + near.errors * _ROUNDED
            # The sums of numbers of different size are rounded too.
            slack = 2.0**-52 * np.abs(near.lower)
            yield moved * _ROUNDED, lower - slack, upper + slack


def export(machine: Any, path: str | Path) -> ExportedMachine:
    """Write a fitted machine as a program for others: C99, ONNX or JSON, by the suffix of the file.

    * ``.c``: one file without dependencies, with a table and the functions NAME_decision, NAME_predict and, where there
      are probabilities, NAME_probabilities; NAME is that of the file.
    * ``.onnx``: a graph of standard operators in float32, which takes ``X`` and returns ``decision_values``, ``label``
      and ``probabilities``. It needs the extra ``onnx``.
    * ``.json``: the numbers, kernels as trees of operations, and the rule of the labels.

    Parameters
    ----------
    machine
        A solution, a :class:`Predictor`, a fitted estimator of :mod:`formulations.estimators`, a Pipeline of scalers or
        choices of columns before one, or the file of a machine.
    path
        Where to; a file that is there is replaced.

    Returns
    -------
    ExportedMachine
        The file, and what is proved of it.

    Raises
    ------
    ParameterError
        If the suffix is none of these, or the machine holds what no program is written of: a kernel without a formula,
        samples that are no lists of numbers, encoders, or derivatives.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from formulations import SoftMargin, export
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], ["low", "low", "high", "high"]
    >>> with TemporaryDirectory() as folder:
    ...     program = export(SoftMargin(X, y, C=1.0).solve(), f"{folder}/machine.c")
    >>> print(program.certain([[0.5], [2.0], [3.5]]), program.bound([[0.5]]).max() < 1e-14)
    [ True False  True] True
    """
    target = Path(path)
    program = FORMATS.get(target.suffix.lower())
    if program is None:
        raise ParameterError(
            f"a program is written to a file that ends in {', '.join(FORMATS)}, but {str(path)!r} came; "
            "machine.predictor.save keeps a machine for this library."
        )
    known = load(machine) if isinstance(machine, str | Path) else machine
    predictor = _predictor(known)
    name = re.sub(r"\W", "_", target.stem, flags=re.ASCII)
    name = f"machine_{name}" if not name or name[0].isdigit() else name
    if len(predictor.functions.sample_shape) != 1:
        raise ShapeError(
            "programs are written for samples that are lists of numbers, but this machine takes others; keep it in a "
            "file of its own (predictor.save)."
        )
    table = MachineTable.of(predictor)
    title = f"{target.name}: a machine of qpkernels {qpkernels.__version__}, {type(known).__name__}."
    written = program.written(table, name, title)
    with replacing(target) as file:
        file.write(written)
    return ExportedMachine(target, known, predictor, program, table)


def _predictor(machine: Any) -> Predictor:
    """Return what is left of a machine without its samples, with the steps of a pipeline before it."""
    steps = getattr(machine, "steps", None)
    last = machine[-1] if steps else machine
    predictor = getattr(last, "predictor", None)
    if not isinstance(predictor, Predictor):
        raise ParameterError(
            "what is exported is a solution, a Predictor, a fitted estimator of formulations.estimators or a Pipeline "
            f"that ends with one, or the file of a machine, but {shown(machine)} came."
        )
    return predictor.with_preprocessing(machine[:-1]) if steps and len(steps) > 1 else predictor
