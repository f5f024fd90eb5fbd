# SPDX-License-Identifier: BSD-3-Clause
"""Many fits on samples of one kernel matrix, each of one machine or several, trained together.

Machines on the same samples follow each other, and each takes over the rows and the answer of the one before. If all
machines of a fit are proved as arrays, none of them becomes an object.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from formulations.modelling.batch import (
    Part,
    Trained,
    as_arrays,
    check_jobs,
    is_plain,
    solve_arrays,
    train,
    trained_as_array,
)
from formulations.modelling.cards import Explained
from formulations.modelling.inputs.hyperparameters import ModelEntry
from formulations.modelling.inputs.samples import KernelLike
from formulations.modelling.model import Model
from formulations.modelling.prediction.decisions import Votes
from qpkernels.arrays import ChecksKeywords, Indices, Matrix, Vector
from qpkernels.errors import QPKernelsError
from qpkernels.gram import Gram
from qpkernels.problems import Status
from qpkernels.solvers import SolverLike

if TYPE_CHECKING:
    from qpkernels.families.batch.arrays import KernelQPs, Solved

__all__ = ["MachineAnswers", "Machines", "Scheme", "train_machines"]

_LARGEST = 4000
"""Samples up to which the matrix of all is made where the machines use its entries often."""

_OFTEN = 2.0
"""How often they must use an entry, on an average, if all rows of each were made."""


class Scheme(Explained, metaclass=ChecksKeywords):
    """Several machines of two classes on samples of one kernel matrix, which decide together.

    Attributes
    ----------
    y, classes
        The labels of the samples, shape (m,), and the different ones in sorted order.
    """

    y: NDArray[Any]
    classes: NDArray[Any]

    @property
    @abstractmethod
    def gram(self) -> Gram:
        """The kernel matrix of all samples."""

    def __len__(self) -> int:
        """Return the number m of samples."""
        return len(self.gram)

    @property
    @abstractmethod
    def entry(self) -> ModelEntry:
        """The declaration of the model of each machine."""

    @property
    @abstractmethod
    def settings(self) -> Mapping[str, Any]:
        """The scheme's further attributes beside its data and hyper-parameters."""

    @abstractmethod
    def value_of(self, name: str) -> Vector:
        """Return the value of the hyper-parameter of that name, of shape (m,) or ()."""

    @property
    @abstractmethod
    def parts(self) -> Sequence[Part]:
        """The machines, each of which is stated when somebody asks for it."""

    @abstractmethod
    def programs(self) -> KernelQPs | None:
        """Return the machines as arrays, if each follows from its samples by themselves; otherwise state each."""

    @property
    @abstractmethod
    def votes(self) -> Votes:
        """How the values of all machines become labels."""

    @abstractmethod
    def answered(self, answers: Sequence[Trained[Any] | QPKernelsError]) -> Any:
        """Return the answer of all machines, given that of each, or raise the error of the first without an answer."""

    @abstractmethod
    def solve(self, solver: SolverLike | None = None, *, tol: float = 1e-6, **options: Any) -> Any:
        """Solve all machines."""

    @abstractmethod
    def on(self, rows: ArrayLike) -> Self:
        """Return the same scheme on some of its samples, which are of all classes."""

    @abstractmethod
    def with_kernel(self, kernel: KernelLike) -> Self:
        """Return the same scheme of the same samples with another kernel."""

    @abstractmethod
    def with_params(self, **values: Any) -> Self:
        """Return the same scheme of the same samples with other hyper-parameters of its machines."""


@dataclass(frozen=True, eq=False)
class Machines:
    """The machines of a fit, which answer together.

    Attributes
    ----------
    model
        The model or scheme that states them.
    samples, held_out
        Numbers, in the shared kernel matrix, of the samples of the fit, and of those at which the values of all
        machines are requested.
    programs
        The machines as arrays over these samples; None if they are not of this kind.
    """

    model: Model[Any] | Scheme
    samples: Indices
    held_out: Indices
    programs: KernelQPs | None

    @classmethod
    def of(cls, model: Model[Any] | Scheme, samples: Indices, held_out: Indices) -> Machines:
        """Return the machines that a scheme of these samples has, or the one that a model is."""
        programs = model.programs() if isinstance(model, Scheme) else as_arrays(model)
        return cls(model, samples, held_out, programs)

    @cached_property
    def parts(self) -> Sequence[Part]:
        """Each machine, on :attr:`samples`, which its own samples count."""
        if isinstance(self.model, Scheme):
            return self.model.parts
        return [Part.of(self.model, np.arange(self.samples.size))]

    def __len__(self) -> int:
        """Return the number of machines."""
        return len(self.parts) if self.programs is None else len(self.programs)

    @cached_property
    def key(self) -> bytes:
        """The common part of fits whose machines have the same samples."""
        known = self.programs
        starts = np.cumsum([0, *(part.samples.size for part in self.parts)]) if known is None else known.starts
        samples = np.concatenate([part.samples for part in self.parts]) if known is None else known.samples
        found: bytes = self.samples[samples].tobytes() + starts.tobytes()
        return found

    def part(self, number: int, after: int | None) -> Part:
        """Return a machine on samples of the shared matrix, which may start from the part ``after``."""
        own = self.parts[number]
        return Part(own.state, self.samples[own.samples], after, self.held_out)


@dataclass(frozen=True, eq=False)
class MachineAnswers:
    """The answers of the machines of a fit.

    Attributes
    ----------
    proved
        Whether each is proved at the requested tolerance.
    relative_gap
        The largest gap; NaN if a machine has no answer.
    values
        f(x) + b at the samples held out, one machine a column; None where a machine has no answer.
    make
        A callable that makes the answer of each machine, or its error.
    """

    proved: bool
    relative_gap: float
    values: Matrix | None
    make: Callable[[], Sequence[Trained[Any] | QPKernelsError]]

    @classmethod
    def of(cls, answers: Sequence[Trained[Any] | QPKernelsError]) -> MachineAnswers:
        """Return what is known of answers that are there."""
        known = [each for each in answers if not isinstance(each, QPKernelsError)]
        if len(known) < len(answers):
            return cls(False, float("nan"), None, partial(tuple, answers))
        proved = all(each.status is Status.OPTIMAL for each in known)
        values = np.column_stack([each.held_out for each in known if each.held_out is not None])
        return cls(proved, max(each.relative_gap for each in known), values, partial(tuple, answers))


def train_machines(
    gram: Gram,
    fits: Sequence[Machines],
    *,
    tol: float,
    solver: SolverLike | None = None,
    options: Mapping[str, Any] | None = None,
    n_jobs: int = -1,
) -> list[MachineAnswers]:
    """Return the answers of each fit.

    Parameters
    ----------
    gram
        The kernel matrix that they share.
    fits
        The fits in an order in which those on the same samples start well from each other, of ascending costs.
    tol, solver, options, n_jobs
        As in :func:`~formulations.modelling.batch.train`.
    """
    check_jobs(n_jobs)
    chains: dict[bytes, list[int]] = {}
    for number, fit in enumerate(fits):
        chains.setdefault(fit.key, []).append(number)
    found: dict[int, MachineAnswers] = {}
    asked = {} if options is None else dict(options)
    if solver is None and is_plain(asked):
        for kind in {_kind(fit) for fit in fits} - {None}:
            chosen = [[n for n in chain if _kind(fits[n]) == kind] for chain in chains.values()]
            found |= _as_arrays(gram, fits, [chain for chain in chosen if chain], tol, asked, n_jobs)
    parts: list[Part] = []
    places: list[tuple[int, int]] = []
    for chain in chains.values():
        left = [n for n in chain if n not in found]
        for machine in range(len(fits[chain[0]])):
            for n in left:
                parts.append(fits[n].part(machine, None if n == left[0] else len(parts) - 1))
                places.append((n, machine))
    answers: dict[int, list[Any]] = {n: [None] * len(fits[n]) for n in range(len(fits)) if n not in found}
    if parts:
        trained = train(gram, parts, tol=tol, solver=solver, options=options, n_jobs=n_jobs)
        for (n, machine), answer in zip(places, trained, strict=True):
            answers[n][machine] = answer
    return [found[n] if n in found else MachineAnswers.of(answers[n]) for n in range(len(fits))]


def _kind(fit: Machines) -> tuple[bool, bool] | None:
    """Return what machines that are solved as one array have in common: whether they have a b, and a free margin."""
    return None if fit.programs is None else (fit.programs.totals is None, fit.programs.budgets is None)


def _as_arrays(
    gram: Gram,
    fits: Sequence[Machines],
    chains: Sequence[Sequence[int]],
    tol: float,
    options: Mapping[str, Any],
    n_jobs: int,
) -> dict[int, MachineAnswers]:
    """Return the answers of the fits of which this proves all machines; machine j of each chain comes before j + 1."""
    if not chains:
        return {}
    programs = _together(gram, fits, chains)
    if len(gram) <= _LARGEST and _uses(programs) >= _OFTEN * len(gram) ** 2:
        # What the machines need is then read, and not made anew.
        gram.dense  # noqa: B018
    solved = solve_arrays(programs, tol, options, n_jobs)
    if solved is None:
        return {}
    proved, gaps, found, begin = solved.proved(tol), solved.relative_gaps, dict[int, MachineAnswers](), 0
    for chain in chains:
        end = begin + len(chain) * len(fits[chain[0]])
        for place, n in enumerate(chain):
            numbers = range(begin + place, end, len(chain))
            if proved[numbers].all():
                values = np.concatenate([solved.held_out[number] for number in numbers]).reshape(len(numbers), -1).T
                make = partial(_trained, fits[n], solved, numbers, tol)
                found[n] = MachineAnswers(True, float(gaps[numbers].max()), values, make)
        begin = end
    return found


def _trained(fit: Machines, solved: Solved, numbers: range, tol: float) -> list[Trained[Any]]:
    return [trained_as_array(fit.part(j, None), solved, each, tol) for j, each in enumerate(numbers)]


def _together(gram: Gram, fits: Sequence[Machines], chains: Sequence[Sequence[int]]) -> KernelQPs:
    """Return the arrays of these fits as one, in which machines on the same samples come one after the other."""
    from qpkernels.families.batch.arrays import KernelQPs

    samples, sizes, terms, totals, budgets, follows, held_out, begin = [], [], [], [], [], [], [], []
    for chain in chains:
        each = [program for n in chain if (program := fits[n].programs) is not None]
        own, count = np.diff(each[0].starts), len(each)
        # Columns of fit after fit, put in the order of the machines.
        order = np.argsort(np.tile(np.repeat(np.arange(own.size), own), count), kind="stable")
        samples.append(np.concatenate([fits[n].samples[p.samples] for n, p in zip(chain, each, strict=True)])[order])
        terms.append(np.concatenate([program.terms for program in each], axis=1).take(order, axis=1))
        begin.append(np.concatenate([_begin(program) for program in each])[order])
        sizes.append(np.repeat(own, count))
        if each[0].totals is not None:
            totals.append(np.column_stack([p.totals for p in each if p.totals is not None]).ravel())
        if each[0].budgets is not None:
            budgets.append(np.column_stack([p.budgets for p in each if p.budgets is not None]).ravel())
        follows.append(np.arange(own.size * count) % count > 0)
        held_out += [fits[n].held_out for _ in range(own.size) for n in chain]
    known, after = np.concatenate(totals) if totals else None, np.concatenate(follows)
    if known is not None:
        # A multiple of the answer before has 1'beta = 0 if that has, and not the budget of a free margin.
        after[1:] &= (known[1:] == 0) & (known[:-1] == 0) & (not budgets)
    return KernelQPs(
        gram,
        np.concatenate(samples),
        np.cumsum(np.concatenate([[0], *sizes])),
        np.concatenate(terms, axis=1),
        known,
        after,
        held_out,
        np.concatenate(begin),
        np.concatenate(budgets) if budgets else None,
    )


def _begin(program: KernelQPs) -> Any:
    return np.zeros(program.samples.size) if program.begin is None else program.begin


def _uses(programs: KernelQPs) -> float:
    """Return how many entries all machines need, if every sample has a coefficient."""
    sizes = np.diff(programs.starts).astype(np.float64)
    others = np.array([each.size for each in programs.held_out or ()])
    alone = np.ones(sizes.size, bool) if programs.follows is None else ~programs.follows
    return float((sizes[alone] ** 2).sum() + (sizes * others).sum())
