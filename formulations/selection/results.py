# SPDX-License-Identifier: BSD-3-Clause
"""Certified fits as they come: in memory, and line by line in a file that a later run goes on from.

A line is a JSON object with the fingerprint of the data, the model, its kernel and hyper-parameters, the samples, and
the certificate. A line answers whatever asks for the same fit at a tolerance that its certificate meets.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from formulations.modelling import Model
from formulations.modelling.batch import Part, Trained
from qpkernels.arrays import Vector, check_path, shown
from qpkernels.arrays.digests import add_array, add_samples
from qpkernels.arrays.paths import read_file
from qpkernels.errors import DataFormatError, FileFormatError, ForeignResultsError, ParameterError
from qpkernels.kernels.spec import kernel_to_spec
from qpkernels.problems import Certificate, Status

__all__ = ["Fit", "Judged", "ResultsFile", "fingerprint"]

_BEGIN = b'{"data": '
"""How every line begins."""


class Judged(Protocol):
    """Whatever is proved of an answer, and how long its solvers took: a fit, or several that answer together."""

    @property
    def certificate(self) -> Certificate:
        """What is proved; of several, of the weakest."""

    @property
    def status(self) -> Status:
        """At the tolerance asked for."""

    @property
    def seconds(self) -> float:
        """Of the solvers."""


@dataclass(frozen=True, eq=False)
class Fit:
    """What is kept of a certified fit.

    Attributes
    ----------
    certificate, status
        What is proved of it, at the tolerance asked for.
    intercept
        b.
    n_support
        Number of support vectors; None of a model whose coefficients are dense.
    held_out
        f(x) + b at the samples held out; empty where there are none.
    seconds
        Of its solver.
    earlier
        Whether it was read from a file of earlier results.
    """

    certificate: Certificate
    status: Status
    intercept: float
    n_support: int | None
    held_out: Vector
    seconds: float
    earlier: bool = False

    @classmethod
    def of(cls, trained: Trained[Any]) -> Fit:
        """Return what is kept of an answer."""
        values = np.zeros(0) if trained.held_out is None else np.asarray(trained.held_out)
        return cls(trained.certificate, trained.status, trained.intercept, trained.n_support, values, trained.seconds)


def fingerprint(model: Model[Any]) -> str:
    """Return what tells the samples, and labels or targets, of a model from others."""
    digest = sha256()
    add_samples(digest, model.gram.X)
    for name in ("y", "classes"):
        add_array(digest, np.asarray(vars(model).get(name, 0.0)))
    return digest.hexdigest()


class ResultsFile:
    """A file of certified fits of one set of data.

    Parameters
    ----------
    path
        The file; it is made when the first fit comes. A last line that was cut short is dropped.
    model
        The model of all samples, whose data the fits are of.

    Raises
    ------
    ForeignResultsError
        If the file is of other data.
    DataFormatError
        If a line of it is damaged.
    """

    def __init__(self, path: str | Path, model: Model[Any]) -> None:
        self.path = check_path(path, "store")
        self.data = fingerprint(model)
        self._known: dict[str, Fit] = {}
        self._lock = Lock()
        if self.path.exists():
            self._read()

    def find(self, part: Part, tol: float) -> Fit | None:
        """Return an earlier fit of the same part that is proved at ``tol``."""
        fit = self._known.get(self._key(_description(part)))
        return fit if fit is not None and fit.certificate.holds(tol) else None

    def add(self, part: Part, tol: float, fit: Fit) -> None:
        """Append a fit, if it is proved."""
        if fit.status is not Status.OPTIMAL:
            return
        description = _description(part)
        record = {
            "data": self.data,
            **description,
            "tol": tol,
            "certificate": asdict(fit.certificate),
            "intercept": fit.intercept,
            "n_support": fit.n_support,
            "seconds": fit.seconds,
            "held_out": fit.held_out.tolist(),
        }
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
            self._known[self._key(description)] = fit

    def _key(self, description: Mapping[str, Any]) -> str:
        return json.dumps(description, sort_keys=True)

    def _read(self) -> None:
        content = read_file(self.path)
        whole = content[: content.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), 1):
            self._take(line, number)
        if len(whole) < len(content):
            if not whole and content[: len(_BEGIN)] != _BEGIN[: len(content)]:
                raise FileFormatError(f"{self.path} holds no results; give the name of a new file.")
            with self.path.open("r+b") as file:
                file.truncate(len(whole))

    def _take(self, line: bytes, number: int) -> None:
        try:
            record = json.loads(line)
            found = record.pop("data")
            certificate = Certificate(**record.pop("certificate"))
            fit = Fit(
                certificate,
                Status.OPTIMAL,
                float(record.pop("intercept")),
                record.pop("n_support"),
                np.array(record.pop("held_out"), dtype=np.float64),
                float(record.pop("seconds")),
                earlier=True,
            )
            tol = float(record.pop("tol"))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataFormatError(
                f"line {number} of {self.path} is no result ({error}); remove that line, or give the name of a new "
                "file.",
                number,
                1,
            ) from error
        if found != self.data:
            raise ForeignResultsError(
                f"{self.path} holds results of other data: their fingerprint is {shown(found)}, that of these samples "
                f"and labels {self.data!r}; give the name of another file.",
                self.data,
                str(found),
            )
        if certificate.holds(tol):
            self._known[self._key(record)] = fit


def _description(part: Part) -> dict[str, Any]:
    """Return what tells one fit of the data from another, in terms that JSON has."""
    model = part.model
    arrays: list[NDArray[Any]] = []
    kernel = kernel_to_spec(model.gram.kernel, arrays)
    numbers = {each.name: model.value_of(each.name) for each in model.hyperparameters}
    return {
        "model": f"{type(model).__module__}.{type(model).__qualname__}",
        "settings": {name: _plain(value, name) for name, value in sorted(model.settings.items())},
        "kernel": {**kernel, "arrays": [_hash(array) for array in arrays]} if arrays else kernel,
        "indefinite": model.gram.indefinite,
        "parameters": {name: _one_or_hash(value) for name, value in numbers.items()},
        "train": _hash(part.samples),
        "test": None if part.held_out is None else _hash(part.held_out),
    }


def _hash(array: NDArray[Any]) -> str:
    return sha256(f"{array.dtype.str}{array.shape}".encode() + np.ascontiguousarray(array).tobytes()).hexdigest()[:32]


def _one_or_hash(values: NDArray[Any]) -> float | str:
    """Return the number that all samples share, or what tells their numbers from others."""
    return float(values.flat[0]) if values.size == 1 or (values == values.flat[0]).all() else _hash(values)


def _plain(value: Any, name: str) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if is_dataclass(value) and not isinstance(value, type):
        inner = {field.name: _plain(getattr(value, field.name), field.name) for field in fields(value)}
        return {"class": f"{type(value).__module__}.{type(value).__qualname__}", **inner}
    plain = value.item() if isinstance(value, np.generic) else value
    if plain is None or isinstance(plain, bool | int | float | str):
        return plain
    raise ParameterError(
        f"a file of results cannot tell {shown(value)}, the {name} of a model, from another; make it a frozen "
        "dataclass of numbers."
    )
