# SPDX-License-Identifier: BSD-3-Clause
"""Many certified fits of one set of data, in memory and in a file of results from which a later run continues.

A line of the file is a JSON object with the fingerprint of the data, the model, its kernel and hyper-parameters, the
samples, and the certificate. A line answers every request for the same fit at a tolerance that its certificate meets.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from formulations.modelling import Model
from formulations.modelling.batch import Part, Trained, check_jobs, train
from formulations.modelling.machines import MachineAnswers, Machines, Scheme, train_machines
from qpkernels.arrays import Indices, Matrix, Vector, check_tolerance, shown
from qpkernels.arrays.checks import add_array
from qpkernels.arrays.files import check_path, read_file
from qpkernels.display.tables import Reported
from qpkernels.errors import DataFormatError, FileFormatError, ForeignResultsError, ParameterError, QPKernelsError
from qpkernels.gram import Gram
from qpkernels.problems import Certificate, Status
from qpkernels.solvers import SolverLike, find_solver

__all__ = [
    "Asked",
    "Effort",
    "Fit",
    "Kept",
    "ProvedFit",
    "ResultsFile",
    "Rowed",
    "Selectable",
    "asked",
    "fingerprint",
    "proved",
    "solved",
    "status_of_all",
    "weakest",
]

_BEGIN = b'{"data": '
"""How every line begins."""


Selectable: TypeAlias = Model[Any] | Scheme
"""A model, or machines of two classes that tell several apart."""

Asked: TypeAlias = Part | Machines
"""A fit that is wanted: of a model, or of the machines of several classes."""

Answer: TypeAlias = Trained[Any] | MachineAnswers | QPKernelsError
"""The status."""


def asked(model: Selectable, samples: Indices, after: int | None = None, held_out: Indices | None = None) -> Asked:
    """Return the fit of a model of ``samples``, with values at those held out.

    It may start from that of the number ``after``; machines of several classes start from those before them on the same
    samples.
    """
    if isinstance(model, Scheme):
        return Machines.of(model, samples, np.arange(0) if held_out is None else held_out)
    return Part.of(model, samples, after, held_out)


class ProvedFit(Protocol):
    """Whatever is proved of an answer, and how long its solvers took: a fit, or several that answer together."""

    @property
    def certificate(self) -> Certificate:
        """The certificate; with several machines, that of the weakest."""

    @property
    def status(self) -> Status:
        """At the tolerance asked for."""

    @property
    def seconds(self) -> float:
        """Iterations of the solvers."""


@dataclass(frozen=True, eq=False)
class Fit:
    """The part of a certified fit that is kept.

    Attributes
    ----------
    certificate, status
        What is proved of it, at the tolerance asked for; of several machines, of the one of which least is proved.
    intercept
        b; of several machines one for each.
    n_support
        Number of support vectors, of any machine if there are several; None of a model whose coefficients are dense.
    held_out
        f(x) + b at the samples held out, of several machines one a column; empty where there are none.
    seconds
        Of its solver.
    earlier
        Whether it was read from a file of earlier results.
    """

    certificate: Certificate
    status: Status
    intercept: float | Vector
    n_support: int | None
    held_out: Vector | Matrix
    seconds: float
    earlier: bool = False

    @classmethod
    def of(cls, trained: Trained[Any]) -> Fit:
        """Return what is kept of an answer."""
        values = np.zeros(0) if trained.held_out is None else np.asarray(trained.held_out)
        return cls(trained.certificate, trained.status, trained.intercept, trained.n_support, values, trained.seconds)

    @classmethod
    def of_machines(cls, machines: Machines, answers: Sequence[Trained[Any]], held_out: Matrix) -> Fit:
        """Return what is kept of the answers of several machines, with the values of all at the samples held out."""
        n_support = None
        if machines.model.entry.sparse:
            is_used = np.zeros(machines.samples.size, dtype=bool)
            for part, each in zip(machines.parts, answers, strict=True):
                is_used[part.samples[each.beta != 0]] = True
            n_support = int(is_used.sum())
        return cls(
            weakest(answers).certificate,
            status_of_all(answers),
            np.array([each.intercept for each in answers]),
            n_support,
            held_out,
            sum(each.seconds for each in answers),
        )


def fingerprint(model: Selectable) -> str:
    """Return what tells the samples, and labels or targets, of a model from others."""
    digest = sha256()
    model.gram.add_samples_to(digest)
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

    def __init__(self, path: str | Path, model: Selectable) -> None:
        self.path = check_path(path, "store")
        self.data = fingerprint(model)
        self._known: dict[str, Fit] = {}
        self._also: dict[str, Any] = {}
        self._lock = Lock()
        if self.path.exists():
            self._read()

    def of_machine(self, pair: tuple[int, int]) -> ResultsFile:
        """Return the same file for the fits of one of several machines, that of a pair of classes."""
        other = copy(self)
        other._also = {"pair": list(pair)}
        return other

    def find(self, wanted: Asked, tol: float) -> Fit | None:
        """Return an earlier fit of the same that is proved at ``tol``."""
        fit = self._known.get(self._key(_description(wanted) | self._also))
        return fit if fit is not None and fit.certificate.holds(tol) else None

    def add(self, wanted: Asked, tol: float, fit: Fit) -> None:
        """Append a fit, if it is proved."""
        if fit.status is not Status.OPTIMAL:
            return
        description = _description(wanted) | self._also
        record = {
            "data": self.data,
            **description,
            "tol": tol,
            "certificate": asdict(fit.certificate),
            "intercept": np.asarray(fit.intercept).tolist(),
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
                _number_or_array(record.pop("intercept")),
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
            self._known[self._key(_without_modules(record))] = fit


def _number_or_array(value: Any) -> float | Vector:
    return np.array(value, dtype=np.float64) if isinstance(value, list) else float(value)


def _description(wanted: Asked) -> dict[str, Any]:
    """Return what tells one fit of the data from another, in terms that JSON has."""
    model: Selectable = wanted.model
    kernel, arrays = model.gram.specification()
    numbers = {name: model.value_of(name) for name in model.entry.names}
    return {
        "model": _name(type(model)),
        "settings": {name: _plain(value, name) for name, value in sorted(model.settings.items())},
        "kernel": {**kernel, "arrays": [_hash(array) for array in arrays]} if arrays else kernel,
        "indefinite": model.gram.indefinite,
        "parameters": {name: _one_or_hash(value) for name, value in numbers.items()},
        "train": _hash(wanted.samples),
        "test": None if wanted.held_out is None else _hash(wanted.held_out),
    }


def _name(of: type) -> str:
    """Return the name of a class; of ours, whose modules may move, with the package alone."""
    return _without_module(f"{of.__module__}.{of.__qualname__}")


def _without_module(name: str) -> str:
    first, *_, last = name.split(".")
    return f"{first}.{last}" if first in ("formulations", "qpkernels") else name


def _without_modules(entry: Any) -> Any:
    """Return an entry of a line with its classes named as by :func:`_name`: earlier files have their modules."""
    if not isinstance(entry, dict):
        return entry
    return {
        key: _without_module(value) if key in ("model", "class") and isinstance(value, str) else _without_modules(value)
        for key, value in entry.items()
    }


def _hash(array: NDArray[Any]) -> str:
    return sha256(f"{array.dtype.str}{array.shape}".encode() + np.ascontiguousarray(array).tobytes()).hexdigest()[:32]


def _one_or_hash(values: NDArray[Any]) -> float | str:
    """Return the number that all samples share, or what tells their numbers from others."""
    return float(values.flat[0]) if values.size == 1 or (values == values.flat[0]).all() else _hash(values)


def _plain(value: Any, name: str) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, type):
        return _name(value)
    if is_dataclass(value) and not isinstance(value, type):
        inner = {field.name: _plain(getattr(value, field.name), field.name) for field in fields(value)}
        return {"class": _name(type(value)), **inner}
    plain = value.item() if isinstance(value, np.generic) else value
    if plain is None or isinstance(plain, bool | int | float | str):
        return plain
    raise ParameterError(
        f"a file of results cannot tell {shown(value)}, the {name} of a model, from another; make it a frozen "
        "dataclass of numbers."
    )


Proved = TypeVar("Proved", bound=ProvedFit)


def solved(model: Selectable, tol: float) -> Any:
    """Return the Solution of a model by itself, without a bar of progress."""
    return model.solve(tol=tol, progress=False) if isinstance(model, Scheme) else model.solve(tol=tol)


@dataclass(frozen=True, eq=False)
class Kept:
    """A fit, and how its Solution is had: from this run, or by solving anew what an earlier one kept the proof of."""

    wanted: Asked
    fit: Fit
    trained: Trained[Any] | MachineAnswers | None
    tol: float

    @property
    def solution(self) -> Any:
        """The Solution, as solving the model alone returns it."""
        if isinstance(self.trained, Trained):
            return self.trained.solution
        model: Any = self.wanted.model
        return solved(model, self.tol) if self.trained is None else model.answered(self.trained.make())


@dataclass(frozen=True, eq=False)
class Effort:
    """How many fits are made, and how well.

    Attributes
    ----------
    tol, solver, options
        As in :meth:`formulations.modelling.model.Model.solve`, for each fit.
    n_jobs
        Number of threads; -1: one for each core.
    progress
        Whether to show a bar.
    store
        File of earlier results, which further ones are appended to.
    """

    tol: float
    solver: SolverLike | None
    n_jobs: int
    progress: bool
    store: str | Path | None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_tolerance(self.tol)
        check_jobs(self.n_jobs)
        if self.solver is not None:
            find_solver(self.solver)

    def file(self, model: Selectable) -> ResultsFile | None:
        """Open the file of results of the data of this model, where one is wanted."""
        return None if self.store is None else ResultsFile(self.store, model)

    def solve(self, model: Selectable) -> Any:
        """Solve a model by itself."""
        options = dict(self.options)
        if isinstance(model, Scheme):
            options |= {"n_jobs": self.n_jobs, "progress": self.progress}
        return model.solve(self.solver, tol=self.tol, **options)

    def run(
        self, gram: Gram, wanted: Sequence[Asked], file: ResultsFile | None, done: Callable[[int], None]
    ) -> list[Kept | QPKernelsError]:
        """Return each fit that is wanted, or its error; ``done`` is told each number.

        One that earlier results answer is not solved; one that would start from it starts cold.
        """
        found: dict[int, Kept | QPKernelsError] = {}
        for number, each in enumerate(wanted):
            fit = None if file is None else file.find(each, self.tol)
            if fit is not None:
                found[number] = Kept(each, fit, None, self.tol)
                done(number)
        left = [number for number in range(len(wanted)) if number not in found]

        def keep(k: int, answer: Answer) -> None:
            number = left[k]
            kept = found[number] = _kept(wanted[number], answer, self.tol)
            if file is not None and isinstance(kept, Kept):
                file.add(kept.wanted, self.tol, kept.fit)
            done(number)

        how: dict[str, Any] = {
            "tol": self.tol,
            "solver": self.solver,
            "options": self.options,
            "n_jobs": self.n_jobs,
        }
        parts = [each for number in left if isinstance(each := wanted[number], Part)]
        if len(parts) == len(left):
            place = {number: k for k, number in enumerate(left)}
            tasks = [replace(part, after=None if part.after is None else place.get(part.after)) for part in parts]
            train(gram, tasks, report=keep, **how)
        else:
            machines = [each for number in left if isinstance(each := wanted[number], Machines)]
            for k, answers in enumerate(train_machines(gram, machines, **how)):
                keep(k, answers)
        return [found[number] for number in range(len(wanted))]


def _kept(wanted: Asked, answer: Answer, tol: float) -> Kept | QPKernelsError:
    """Return what is kept of an answer, or its error."""
    if isinstance(answer, QPKernelsError):
        return answer
    if isinstance(answer, Trained):
        return Kept(wanted, Fit.of(answer), answer, tol)
    assert isinstance(wanted, Machines)
    assert isinstance(wanted.model, Scheme)
    try:
        trained = wanted.model.answered(answer.make()).solutions.trained
    except QPKernelsError as error:
        return error
    assert answer.values is not None
    return Kept(wanted, Fit.of_machines(wanted, trained, answer.values), answer, tol)


def proved(fits: Sequence[ProvedFit | None], tol: float) -> str:
    """Return in words how many of the fits are proved."""
    count = sum(fit is not None and fit.status is Status.OPTIMAL for fit in fits)
    which = "every fit is" if count == len(fits) else f"{count} of {len(fits)} fits are"
    return f"{which} proved at {tol:g}"


def weakest(fits: Sequence[Proved]) -> Proved:
    """Return the fit whose certificate proves least; the first whose is undefined."""
    return max(fits, key=lambda fit: fit.certificate.error)


def status_of_all(fits: Iterable[ProvedFit | None]) -> Status:
    """Return ``optimal`` if every fit is; otherwise the status of the first that is not, ``failed`` of one without."""
    each = (Status.FAILED if fit is None else fit.status for fit in fits)
    return next((status for status in each if status is not Status.OPTIMAL), Status.OPTIMAL)


class Rowed(Reported):
    """A result whose table has its rows as records."""

    @abstractmethod
    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the table, a record for each row."""

    def to_pandas(self) -> Any:
        """Return the table as a pandas data frame."""
        import pandas as pd

        return pd.DataFrame(list(self.rows()))
