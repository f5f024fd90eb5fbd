# SPDX-License-Identifier: BSD-3-Clause
"""A descent kept in a file on its way, so that one that was cut off goes on from there."""

from __future__ import annotations

import json
import warnings
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from qpkernels.arrays import shown
from qpkernels.arrays.checks import add_samples
from qpkernels.arrays.files import load_arrays, npz_path, parsing, replacing, sized
from qpkernels.errors import FileFormatError, ForeignResultsError, ParameterError
from qpkernels.problems.kernel_qp.program import KernelQP
from qpkernels.solvers.smo.iterate import Beginning, Iterate, Stepped

__all__ = ["Checkpoint"]

_WHAT = "a checkpoint written by smo"

_VECTORS, _NUMBERS = ("beta", "stepped_beta", "stepped_values"), ("intercept", "steps", "seconds", "relative_gap")

_LOOKED_AT = 64
"""Samples at which values from a file are held against K beta."""

_FITS = 1e-3
"""Difference of them, as a share of the largest, up to which steps in float32 may have left them so."""


class Checkpoint:
    """The file of one descent.

    Parameters
    ----------
    path
        The file, .npz; made anew with each checkpoint, and put in place of the one before in one step.
    program
        The problem as it was asked, by which the file is known again.
    every
        Seconds between two checkpoints, at least.

    Raises
    ------
    ParameterError
        If its folder does not exist, or the kernel holds a function, which no file does.
    """

    def __init__(self, path: str | Path, program: KernelQP, every: float) -> None:
        self.path, self._program, self._every = npz_path(path), program, every
        if not self.path.parent.is_dir():
            raise ParameterError(
                f"the folder {self.path.parent} of the checkpoint does not exist; make it, or name another."
            )
        self._problem = _parts(program)
        self._begun = self._last = perf_counter()
        self._earlier = 0.0

    def read(self) -> Beginning | None:
        """Return where an earlier run of the same problem stood, or None if there is no file.

        Raises
        ------
        FileFormatError
            If the file is damaged, or no checkpoint.
        ForeignResultsError
            If it is one of another problem.
        """
        if not self.path.exists():
            return None
        arrays = load_arrays(self.path, _WHAT)
        if missing := {"problem", *_VECTORS, *_NUMBERS} - set(arrays):
            raise FileFormatError(
                f"{self.path} must be {_WHAT}, but it has no {', '.join(sorted(missing))}; name another file."
            )
        with parsing(self.path, _WHAT):
            problem = json.loads(str(arrays["problem"]))
        self._check_problem(problem)
        with parsing(self.path, _WHAT):
            beta, point, values = (sized(arrays[name], f"{name} of {_WHAT}", len(self._program)) for name in _VECTORS)
            numbers = {name: sized(arrays[name], f"{name} of {_WHAT}").item() for name in _NUMBERS}
            if not np.isfinite(np.concatenate([beta, point, values, list(numbers.values())])).all():
                raise ValueError("it holds NaN or infinity")
        self._earlier = float(numbers["seconds"])
        stepped = Stepped(point, values)
        return Beginning(
            self._program.project(beta),
            stepped=stepped if self._fit(stepped) else None,
            steps=int(numbers["steps"]),
            seconds=self._earlier,
        )

    def _check_problem(self, found: Any) -> None:
        if not isinstance(found, dict) or found.keys() != self._problem.keys():
            raise FileFormatError(f"{self.path} is {_WHAT} of another version; name another file.")
        others = [name for name, part in self._problem.items() if found[name] != part]
        if others:
            raise ForeignResultsError(
                f"{self.path} is a checkpoint of another problem: its {' and '.join(others)} differ; name another "
                "file, or remove this one to begin anew.",
                json.dumps(self._problem),
                shown(json.dumps(found)),
            )

    def _fit(self, stepped: Stepped) -> bool:
        """Return whether the values are K times the point, up to what steps in float32 do, at some samples."""
        gram, used = self._program.gram, np.flatnonzero(stepped.point)
        if gram.features is not None or gram.correction is not None or gram.is_formed:
            exact = gram.product(stepped.point)
            chosen: Any = slice(None)
        else:
            chosen = np.random.default_rng(0).choice(len(gram), min(_LOOKED_AT, len(gram)), replace=False)
            exact = gram.sums_at(chosen, used, stepped.point[used])
        off = np.abs(stepped.values[chosen] - exact).max()
        return bool(off <= _FITS * np.abs(exact).max())

    def __call__(self, iterate: Iterate) -> None:
        """Keep an iterate if it is time."""
        if perf_counter() - self._last >= self._every:
            self.write(iterate)

    def write(self, iterate: Iterate) -> None:
        """Keep an iterate now. Where that fails there is a warning: the descent is worth more than its copy."""
        stepped, seconds = iterate.stepped, self._earlier + perf_counter() - self._begun
        try:
            with replacing(self.path) as file:
                np.savez(
                    file,
                    problem=np.array(json.dumps(self._problem)),
                    beta=iterate.beta,
                    stepped_beta=iterate.beta if stepped is None else stepped.point,
                    stepped_values=np.zeros(iterate.beta.size) if stepped is None else stepped.values,
                    intercept=np.array(iterate.intercept + self._program.middle),
                    steps=np.array(iterate.iterations),
                    seconds=np.array(seconds),
                    relative_gap=np.array(iterate.gap.relative),
                )
        except OSError as error:
            warnings.warn(f"no checkpoint was written to {self.path} ({error})", RuntimeWarning, stacklevel=2)
        self._last = perf_counter()


def _parts(program: KernelQP) -> dict[str, str]:
    """Return what tells a problem from others, by the name of the part."""
    gram = program.gram
    kernel, own = gram.specification()
    samples = sha256()
    if gram.features is None:
        gram.add_samples_to(samples)
    else:
        add_samples(samples, gram.features)
    totals = np.array([np.nan if program.total is None else program.total])
    parts: dict[str, list[Any]] = {
        "kernel": [np.array(f"{json.dumps(kernel, sort_keys=True)} {gram.indefinite}"), *own],
        "labels or targets": [program.target],
        "bounds (C, weights)": [program.lower, program.upper],
        "losses": [program.epsilon, program.ridge],
        "intercept": [totals],
    }
    return {"samples": samples.hexdigest(), **{name: _digest(arrays) for name, arrays in parts.items()}}


def _digest(arrays: list[Any]) -> str:
    digest = sha256()
    for array in arrays:
        add_samples(digest, array)
    return digest.hexdigest()
