# SPDX-License-Identifier: BSD-3-Clause
"""Several classes from machines of two: one against the rest, and one against one.

With K classes, one against the rest trains K machines, where g_k tells class k from all others, and decides for::

    argmax_k g_k(x)

One against one trains K (K - 1) / 2 machines, g_jk = -g_kj on the samples of the classes j < k only, and decides for
the class with the most votes, where g_jk(x) > 0 is a vote for k::

    argmax_k sum_(j != k) [g_jk(x) > 0]

A tie goes to the class with the largest sum of decision values. The machines share one kernel matrix, and for new
samples the kernel is evaluated once at the support vectors of all machines. Both schemes take any model of two classes.
Source: Knerr et al. (1990), Hsu and Lin (2002).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from formulations.modelling import Classification
from formulations.modelling.batch import Part, Solutions, Trained, check_jobs, train
from formulations.modelling.cards import kernel_of
from formulations.modelling.inputs.hyperparameters import ModelEntry
from formulations.modelling.inputs.restating import checked_values, sample_numbers
from formulations.modelling.inputs.samples import BoundSamples, KernelLike, SamplesLike, bind, checked_labels
from formulations.modelling.machines import Scheme
from formulations.modelling.prediction import Labels, Predictor
from formulations.modelling.prediction.decisions import Sigmoids, Votes
from formulations.modelling.prediction.predictor import Answering
from formulations.models.classification.margins.soft_margin import SoftMargin
from formulations.models.classification.two_class_model import TwoClassModel
from qpkernels.arrays import Indices, Matrix, Vector, check_flag, is_scalar, read_array, shown, shown_label
from qpkernels.arrays.arguments import check_keywords
from qpkernels.display import Card, Carded, Fact, TextbookProblem, progress_bar
from qpkernels.errors import LabelError, OneClassError, ParameterError, QPKernelsError
from qpkernels.gram import Gram
from qpkernels.gram.functions import Expansions
from qpkernels.kernels.function_kernel import as_kernel
from qpkernels.problems import Certificate, Status
from qpkernels.solvers import SolverLike

if TYPE_CHECKING:
    from qpkernels.families.batch.arrays import KernelQPs
    from qpkernels.files.proofs import Bundle

__all__ = ["MulticlassSolution", "OneVersusOne", "OneVersusRest"]


_NAMED = 4
"""Machines without a proof that a line names."""


class MachineSamples(NamedTuple):
    """The samples of each machine; those of all, where each begins, and whether they are of the class of its +1."""

    rows: Sequence[Indices]
    samples: Indices
    starts: Indices
    is_positive: NDArray[np.bool_]

    def of(self, places: Sequence[Indices]) -> MachineSamples:
        """Return those of machines on some of the samples, given where all of these are."""
        every, starts = np.concatenate(places), np.cumsum([0, *(each.size for each in places)])
        return MachineSamples(
            [self.samples[each] for each in places], self.samples[every], starts, self.is_positive[every]
        )


class _Multiclass(Scheme):
    """Data of several classes, and a model of two classes to separate them with.

    Parameters
    ----------
    X, kernel
        As in :class:`~formulations.models.classification.two_class_model.TwoClassModel`.
    y
        Labels, at least two different ones, shape (m,).
    machine
        A model of two classes; its hyper-parameters follow by name.
    **hyperparameters
        Those of ``machine``, such as ``C=10.0``; entries for each sample have shape (m,), of which each machine takes
        those of its own samples.

    Notes
    -----
    Arguments of the methods:

    pair
        The numbers of the classes of negative and positive values among :attr:`classes`, as :meth:`pairs` yields them;
        -1 in place of the first: all other classes.
    rows
        Numbers of the samples that the machine is trained on, as :meth:`rows` returns them.
    """

    def __init__(
        self,
        X: SamplesLike,
        y: ArrayLike,
        kernel: KernelLike | None = None,
        *,
        machine: type[TwoClassModel] = SoftMargin,
        **hyperparameters: Any,
    ) -> None:
        if not (isinstance(machine, type) and issubclass(machine, TwoClassModel)):
            raise ParameterError(f"machine must be a model of two classes, such as SoftMargin, but {machine!r} came.")
        check_keywords(machine, hyperparameters, also=("machine",))
        self.machine = machine
        self.data = bind(X, kernel)
        self.y = checked_labels(y, len(self.data.gram))
        self.classes = np.unique(self.y)
        self.hyperparameters = hyperparameters
        if self.classes.size < 2:
            raise OneClassError(
                f"y must hold several classes, but every label is {shown_label(self.classes.tolist()[0])}."
            )
        self.check_classes()

    def check_classes(self) -> None:
        """Refuse classes that the scheme cannot separate."""

    @property
    def gram(self) -> Gram:
        """The kernel matrix of all samples."""
        return self.data.gram

    @property
    def entry(self) -> ModelEntry:
        """What the model of each machine states about itself."""
        return self.machine.entry

    @property
    def settings(self) -> Mapping[str, Any]:
        """The scheme's attributes beside data and hyper-parameters: its machine, its classes, and their options."""
        others = {name: value for name, value in self.hyperparameters.items() if name not in self.entry.names}
        return {"machine": self.machine, "classes": self.classes, **others}

    def value_of(self, name: str) -> Vector:
        """Return the value of the hyper-parameter of that name, of shape (m,) or ().

        Parameters
        ----------
        name
            The name of a hyper-parameter of the machines.
        """
        return checked_values(self.machine, self.hyperparameters, len(self))[name]

    def on(self, rows: ArrayLike) -> Self:
        """Return the same scheme on some of its samples, in that order.

        Labels, costs of single samples and kernel values are those of the samples chosen.

        Parameters
        ----------
        rows
            Numbers of the samples, all different, or one truth value for each sample.

        Raises
        ------
        ParameterError, ShapeError
            If these are no such numbers.
        OneClassError
            If a class would be left without samples.
        LabelError
            If the scheme cannot separate what is left.
        """
        numbers = sample_numbers(rows, len(self), "rows")
        labels = self.y[numbers]
        missing = np.setdiff1d(self.classes, labels).tolist()
        if missing:
            raise OneClassError(
                f"the {numbers.size} samples must hold all {self.classes.size} classes, but none is of "
                f"{shown_label(missing[0])}; choose others."
            )
        if self.entry.needs_psd:
            # Settled of all samples, it is of every part of them.
            self.gram.require_psd()
        made = self._alike(
            data=BoundSamples(self.gram.part(numbers), self.data.explicit),
            y=labels,
            hyperparameters=self._values_on(numbers),
        )
        made.check_classes()
        return made

    def with_kernel(self, kernel: KernelLike) -> Self:
        """Return the same scheme of the same samples with another kernel, its matrix held to the same limits.

        Parameters
        ----------
        kernel
            A kernel, or a function that returns its matrix.

        Raises
        ------
        ParameterError, ShapeError, NonFiniteError, IndefiniteKernelError
            If this is no kernel, or none of these samples.
        """
        known = self.gram
        gram = Gram(as_kernel(kernel), known.X, known.memory_limit, known.indefinite)
        if self.entry.needs_psd:
            gram.require_psd()
        return self._alike(data=BoundSamples(gram, explicit=False), layout=self.layout)

    def with_params(self, **values: Any) -> Self:
        """Return the same scheme of the same samples with other hyper-parameters of its machines.

        Parameters
        ----------
        **values
            They, by name; those that are not named stay as they are.

        Raises
        ------
        ParameterError, ShapeError
            If a value is outside its range.
        UnsupportedOptionError
            If the machines have no such hyper-parameter.
        """
        check_keywords(self.machine, values)
        for parameter in self.entry.parameters:
            if parameter.name in values:
                parameter.checked(values[parameter.name], len(self))
        return self._alike(hyperparameters={**self.hyperparameters, **values}, layout=self.layout)

    def _alike(self, **changes: Any) -> Self:
        """Return a scheme of these attributes, and else those of this one that were not computed from others."""
        made = object.__new__(type(self))
        computed = {name for name in vars(self) if isinstance(getattr(type(self), name, None), cached_property)}
        vars(made).update({name: value for name, value in vars(self).items() if name not in computed}, **changes)
        return made

    def facts(self) -> Iterator[Fact]:
        """Yield samples, classes, kernel, and what the machines are."""
        yield Fact("data", f"{self.data.gram.extent}, {self.classes.size} classes: {shown(self.classes.tolist())}")
        yield Fact("kernel", kernel_of(self.data.gram, self.data.explicit))
        values = (f"{name} = {shown(value)}" for name, value in self.hyperparameters.items())
        yield Fact("with", ", ".join([f"machine = {self.machine.__name__}", *values]))

    @abstractmethod
    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield, for each machine, the numbers of the classes of its negative and positive values; -1: the rest."""

    @abstractmethod
    def rows(self, pair: tuple[int, int]) -> Indices:
        """Return the numbers of the samples that the machine is trained on."""

    def model(self, pair: tuple[int, int]) -> TwoClassModel:
        """State the machine of that pair of classes."""
        return self._stated(pair, self.rows(pair))

    def _stated(self, pair: tuple[int, int], rows: Indices) -> TwoClassModel:
        signs = np.where(self.y[rows] == self.classes[pair[1]], 1, -1)
        return self.machine(self._samples(rows), signs, **self.parameters(pair, rows))

    def _samples(self, rows: Indices) -> BoundSamples:
        gram = self.data.gram
        return self.data if rows.size == len(gram) else BoundSamples(gram.part(rows), self.data.explicit)

    def parameters(self, pair: tuple[int, int], rows: Indices) -> dict[str, Any]:
        """Return the hyper-parameters of a machine, of those with one entry for each sample the entries of these."""
        del pair
        return self._values_on(rows)

    def _values_on(self, rows: Indices) -> dict[str, Any]:
        return {
            name: value if is_scalar(value) else self._part(name, value, rows)
            for name, value in self.hyperparameters.items()
        }

    def _part(self, name: str, value: Any, rows: Indices) -> Any:
        array = read_array(value, name)
        return array[rows] if array.shape == (len(self.data.gram),) else value

    def solve(
        self,
        solver: SolverLike | None = None,
        *,
        tol: float = 1e-6,
        n_jobs: int = -1,
        progress: bool = True,
        **options: Any,
    ) -> MulticlassSolution:
        """Solve all machines, together where a batch takes them, else side by side in threads.

        Parameters
        ----------
        solver, tol, **options
            As in :meth:`formulations.modelling.model.Model.solve`, for each machine.
        n_jobs
            Number of threads; -1: one for each core.
        progress
            Show a progress bar (on standard error, if that is a terminal) while it runs.

        Raises
        ------
        ParameterError
            If ``n_jobs`` is no such number.
        QPKernelsError
            The error of the first machine that has no answer, which names its classes; its ``others`` are
            the solutions of the machines that have one, by their pair of classes.
        """
        check_jobs(n_jobs)
        programs = self.programs()
        with progress_bar(len(self.parts), progress) as step:
            step(self.name)
            answers = train(
                self.data.gram,
                self.parts,
                tol=tol,
                solver=solver,
                options=options,
                n_jobs=n_jobs,
                report=(lambda number, _: step(f"class {self._label(self._pairs[number][1])}")) if progress else None,
                programs=programs,
            )
        return self.answered(answers)

    @cached_property
    def _pairs(self) -> tuple[tuple[int, int], ...]:
        return tuple(self.pairs())

    @cached_property
    def layout(self) -> MachineSamples:
        """The samples of the machines."""
        rows = [self.rows(pair) for pair in self._pairs]
        samples, sizes = np.concatenate(rows), [own.size for own in rows]
        positive = np.repeat(self.classes[[pair[1] for pair in self._pairs]], sizes)
        return MachineSamples(rows, samples, np.cumsum([0, *sizes]), self.y[samples] == positive)

    def laid_out_like(self, other: Self) -> None:
        """Take over which samples each machine has from another model of the same labels, and do not find them anew.

        Parameters
        ----------
        other
            The other model.
        """
        if np.array_equal(self.y, other.y):
            vars(self)["layout"] = other.layout

    @cached_property
    def parts(self) -> Sequence[Part]:
        """The machines, each of which is stated when somebody asks for it."""
        rows = self.layout.rows
        return [Part(partial(self._stated, pair, own), own) for pair, own in zip(self._pairs, rows, strict=True)]

    @property
    def votes(self) -> Votes:
        """How the values of all machines become labels."""
        return Votes(self.classes, self._pairs)

    def answered(self, answers: Sequence[Trained[Classification] | QPKernelsError]) -> MulticlassSolution:
        """Return the answer of all machines, given that of each.

        Parameters
        ----------
        answers
            Those of the machines, in the order of :attr:`parts`.

        Raises
        ------
        QPKernelsError
            The error of the first machine that has no answer.
        """
        trained = [answer for answer in answers if not isinstance(answer, QPKernelsError)]
        if len(trained) < len(self.parts):
            raise self._failure(answers)
        function = Decisions(self.data.gram, tuple(self.parts), tuple(trained))
        return MulticlassSolution(self.name, self.classes, self._pairs, Solutions(trained), function)

    def held_out_values(
        self,
        folds: Sequence[Indices],
        scale: Callable[[Trained[Classification]], float],
        *,
        tol: float,
        solver: SolverLike | None = None,
        n_jobs: int = -1,
    ) -> list[Vector]:
        """Return for each machine the decision values of its samples, each by a machine trained without its fold.

        Parameters
        ----------
        folds
            For each machine the number of the fold of each of its samples, from 0 on; none is empty.
        scale
            What the values of a machine are multiplied by.
        tol, solver, n_jobs
            As in :meth:`solve`.

        Raises
        ------
        QPKernelsError
            If a machine has no answer.
        """
        layout, places, parts = self.layout, [], []
        for pair, begin, fold in zip(self._pairs, layout.starts[:-1].tolist(), folds, strict=True):
            for number in range(int(fold.max()) + 1):
                inside, outside = (begin + np.flatnonzero(part) for part in (fold != number, fold == number))
                rows = layout.samples[inside]
                places.append((inside, outside))
                parts.append(Part(partial(self._stated, pair, rows), rows, None, layout.samples[outside]))
        programs = self._programs(layout.of([inside for inside, _ in places]))
        if programs is not None:
            programs = replace(programs, held_out=[layout.samples[outside] for _, outside in places])
        answers = train(self.data.gram, parts, tol=tol, solver=solver, n_jobs=n_jobs, programs=programs)
        values = np.empty(layout.samples.size)
        for (_, outside), answer in zip(places, answers, strict=True):
            if isinstance(answer, QPKernelsError):
                raise answer
            assert answer.held_out is not None
            values[outside] = scale(answer) * answer.held_out
        return np.split(values, layout.starts[1:-1])

    def programs(self) -> KernelQPs | None:
        """Return the machines as arrays, where each is made of what its samples are for themselves; else state each."""
        if self.machine.entry.needs_psd:
            # Settled of all samples, it is of every part of them.
            self.data.gram.require_psd()
        programs = self._programs(self.layout)
        if programs is None:
            for pair, part in zip(self._pairs, self.parts, strict=True):
                try:
                    part.model  # noqa: B018  states it
                except QPKernelsError as error:
                    raise self._named(error, pair) from None
        return programs

    def _programs(self, layout: MachineSamples) -> KernelQPs | None:
        if self.machine.entry.hard or self.data.gram.correction is not None:
            return None
        m = len(self.data.gram)
        try:
            values = checked_values(self.machine, self.hyperparameters, m)
        except QPKernelsError:
            # Stated one by one, the first machine says whose parameter it is.
            return None
        rows, samples, starts, is_positive = layout
        stated = self.machine._terms(np.where(is_positive, 1.0, -1.0), self._values_in(values, samples, is_positive))
        if stated is None or any((value == 0).any() for value in values.values()):
            return None
        from qpkernels.families.batch.arrays import KernelQPs

        terms = stated.as_rows()
        intercept = check_flag(self.hyperparameters.get("fit_intercept", True), "fit_intercept")
        totals = np.zeros(len(rows)) if intercept else None
        share, budgets = self.machine._share(values), None
        if share is not None:
            upper, lower = (np.add.reduceat(terms[side], starts[:-1]) for side in (4, 3))
            terms[3:] /= np.repeat(upper - lower, np.diff(starts))
            if (share > 2.0 * np.minimum(upper, -lower) / (upper - lower)).any():
                # A machine that is stated by itself says what is infeasible.
                return None
            budgets = np.full(len(rows), share)
        return KernelQPs(self.data.gram, samples, starts, terms, totals, budgets=budgets)

    def _values_in(
        self, values: Mapping[str, Any], samples: Indices, is_positive: NDArray[np.bool_]
    ) -> dict[str, Vector]:
        """Return the hyper-parameters of these samples in machines where their class has positive values, or not."""
        del is_positive
        return {name: value[samples] if value.ndim else value for name, value in values.items()}

    def _failure(self, answers: Sequence[Trained[Classification] | QPKernelsError]) -> QPKernelsError:
        """Return the first error, which names its machine and keeps the answers of the others."""
        failed = [
            (pair, error) for pair, error in zip(self._pairs, answers, strict=True) if isinstance(error, QPKernelsError)
        ]
        (pair, error), *more = failed
        self._named(error, pair)
        if more:
            error.add_note(f"{len(more)} other machines have no answer either; error.others holds the solutions")
        kept = zip(self._pairs, answers, strict=True)
        error.others = {pair: answer.solution for pair, answer in kept if not isinstance(answer, QPKernelsError)}
        return error

    def _named(self, error: QPKernelsError, pair: tuple[int, int]) -> QPKernelsError:
        error.args = (f"{self.name}, class {self._label(pair[1])} against {self._label(pair[0])}: {error}",)
        return error

    def _label(self, number: int) -> str:
        return "the rest" if number < 0 else shown_label(self.classes.tolist()[number])


class OneVersusRest(_Multiclass):
    """argmax_k g_k(x), with one machine for each class against all others.

    Parameters
    ----------
    X, y, kernel, machine, **hyperparameters
        As in :class:`OneVersusOne`.

    Examples
    --------
    >>> from formulations import OneVersusRest
    >>> from qpkernels import RBF
    >>> X, y = [[0.0], [1.0], [4.0], [5.0], [8.0], [9.0]], ["a", "a", "b", "b", "c", "c"]
    >>> solution = OneVersusRest(X, y, RBF(gamma=0.1), C=10.0).solve(progress=False)
    >>> print(solution.status, solution.predict([[0.5], [4.5], [8.5]]))
    optimal ['a' 'b' 'c']
    """

    textbook = TextbookProblem("decide  argmax_k g_k(x)")

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield (-1, k) for each class k."""
        return ((-1, k) for k in range(self.classes.size))

    def rows(self, pair: tuple[int, int]) -> Indices:
        """Return all samples."""
        del pair
        return np.arange(len(self.data.gram))


class OneVersusOne(_Multiclass):
    """Votes of the machines of all pairs of classes, each trained on the samples of its pair.

    Parameters
    ----------
    X, kernel
        As in :class:`~formulations.models.classification.two_class_model.TwoClassModel`.
    y
        Labels, shape (m,): at least two different labels, with at least two samples each.
    machine
        A model of two classes; its hyper-parameters follow by name.

    Examples
    --------
    >>> from formulations import OneVersusOne
    >>> X, y = [[0.0], [1.0], [4.0], [5.0], [8.0], [9.0]], ["a", "a", "b", "b", "c", "c"]
    >>> solution = OneVersusOne(X, y, C=1.0).solve(progress=False)
    >>> print(solution.status, solution.predict([[0.5], [4.5], [8.5]]))
    optimal ['a' 'b' 'c']
    """

    textbook = TextbookProblem("decide  argmax_k sum_(j != k) [g_jk(x) > 0]")

    def check_classes(self) -> None:
        """Refuse a class with a single sample, which a machine would be trained to tell from a class.

        Raises
        ------
        LabelError
            If there is such a class; the message names it.
        """
        labels, counts = np.unique(self.y, return_counts=True)
        if counts.min() == 1:
            lonely = labels.tolist()[int(np.argmin(counts))]
            raise LabelError(
                f"one-versus-one needs at least two samples of every class, but {shown_label(lonely)} has one; "
                "leave that sample out, or take OneVersusRest."
            )

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield (j, k) for all classes j < k."""
        return combinations(range(self.classes.size), 2)

    def rows(self, pair: tuple[int, int]) -> Indices:
        """Return the samples of both classes."""
        return np.flatnonzero(self._members[pair[0]] | self._members[pair[1]])

    @cached_property
    def _members(self) -> NDArray[np.bool_]:
        """Whether a sample is of a class, shape (classes, m)."""
        return np.asarray(self.y == self.classes[:, None])


@dataclass(frozen=True, eq=False, repr=False)
class MulticlassSolution(Answering, Carded):
    """The answers of all machines, which make the decision together.

    Attributes
    ----------
    formulation
        Name of the scheme.
    classes
        The K labels in sorted order.
    pairs
        For each machine, the numbers of the classes that its negative and its positive values stand for; -1: the rest.
    solutions
        The answer of each machine, with its certificate; made when it is first asked for.
    function
        X -> the decision values of all machines, shape (len(X), number of machines).

    Examples
    --------
    >>> from formulations import OneVersusRest
    >>> solution = OneVersusRest([[0.0], [1.0], [5.0], [6.0], [10.0], [11.0]], [*"aabbcc"]).solve()
    >>> print(solution.classes, solution.predict([[0.4], [10.2]]), len(solution.solutions))
    ['a' 'b' 'c'] ['a' 'c'] 3
    """

    formulation: str
    classes: NDArray[Any]
    pairs: tuple[tuple[int, int], ...]
    solutions: Solutions[Classification]
    function: Decisions
    _sigmoids: Sigmoids | None = None
    """Those that an estimator fitted, one for each machine; None: those of log-odds, if the machines have such."""

    @cached_property
    def predictor(self) -> Predictor:
        """The machines without their training samples: what :meth:`save` writes."""
        sigmoids = self._sigmoids
        decision = self.solutions[0].predictor.decision
        if sigmoids is None and isinstance(decision, Labels) and decision.sigmoids is not None:
            sigmoids = Sigmoids.of_log_odds(len(self.pairs))
        return Predictor(self.function.expansions, Votes(self.classes, self.pairs, sigmoids))

    @property
    def status(self) -> Status:
        """``optimal`` if every machine is, and otherwise the status of the first machine that is not."""
        return next(
            (each.status for each in self.solutions.trained if each.status is not Status.OPTIMAL), Status.OPTIMAL
        )

    @property
    def unproved(self) -> str:
        """The machines whose answers are not proved, by their classes; empty if all are proved."""
        missing = [k for k, each in enumerate(self.solutions.trained) if each.status is not Status.OPTIMAL]
        return ", ".join(self._words(k) for k in missing[:_NAMED]) + (", ..." if len(missing) > _NAMED else "")

    @property
    def certificate(self) -> Certificate:
        """The certificate of the machine with the largest relative gap."""
        return max(self.solutions.trained, key=lambda each: each.relative_gap).certificate

    @property
    def seconds(self) -> float:
        """Time of the solvers of all machines together."""
        return sum(each.seconds for each in self.solutions.trained)

    def prove(self, path: str | Path | None = None, *, digits: int = 9, points: ArrayLike | None = None) -> Bundle:
        """Return a bundle with the proof of each machine, as :meth:`formulations.Solution.prove` makes it.

        Parameters
        ----------
        path, digits, points
            As :meth:`formulations.Solution.prove` takes them.

        Raises
        ------
        NoProofError
            If the vocabulary of proofs has no words for the kernel or the loss.
        """
        from formulations.modelling.proving import ProofRequest, bundled  # it takes longer to import than a small fit

        asked = ProofRequest.of(path, digits, points)
        machines = ((self._words(k), each.prove(digits=digits, points=points)) for k, each in enumerate(self.solutions))
        return bundled(machines, asked.path)

    def card(self) -> Card:
        """Return the classes, the machines, and the weakest proof."""
        sizes = [machine.n_support for machine in self.solutions.trained if machine.n_support is not None]
        weakest = max(range(len(self.pairs)), key=lambda k: self.solutions.trained[k].relative_gap)
        facts = (
            Fact("status", f"{self.status} (unproved: {self.unproved})" if self.unproved else str(self.status)),
            Fact("classes", shown(self.classes.tolist())),
            Fact("machines", f"{len(self.solutions)}, {self.seconds:.3g} s"),
            *([Fact("support vectors", f"{min(sizes)} to {max(sizes)} for each machine")] if sizes else []),
            Fact("weakest proof", f"{self._words(weakest)}: {self.certificate}"),
        )
        return Card(self.formulation, facts=facts, figure=self.certificate.card().figure)

    def __repr__(self) -> str:
        return (
            f"<{self.formulation} of {len(self.classes)} classes by {len(self.solutions)} machines: {self.status}, "
            f"largest relative gap {self.certificate.relative_gap:.1e}>"
        )

    def _words(self, machine: int) -> str:
        """Return which classes a machine tells apart."""
        labels = [shown_label(label) for label in self.classes.tolist()]
        negative, positive = self.pairs[machine]
        return f"class {labels[positive]} against {'the rest' if negative < 0 else labels[negative]}"


@dataclass(frozen=True, eq=False)
class Decisions:
    """X -> f_k(x_i) + b_k of machines k on samples of one kernel matrix.

    With C the coefficients of all machines, one a column, f(X) = k(X, X_s) C over the samples X_s that any machine has
    a coefficient for: a kernel value is computed once, however many machines use it.
    """

    gram: Gram
    parts: Sequence[Part]
    trained: Sequence[Trained[Any]]

    @cached_property
    def expansions(self) -> Expansions:
        """The functions of all machines over the samples that any of them has a coefficient for."""
        known = [each.coefficients for each in self.trained]
        coefficients = [each for each in known if each is not None]
        if len(coefficients) < len(known):
            # Functions that are no sums over samples share nothing.
            return Expansions.of([each.solution.function for each in self.trained])
        rows, beta = np.concatenate([part.samples for part in self.parts]), np.concatenate(coefficients)
        machines = np.repeat(np.arange(len(self.parts)), [part.samples.size for part in self.parts])
        some = np.flatnonzero(beta)
        used, places = np.unique(rows[some], return_inverse=True)
        if used.size == 0:
            used, places = np.arange(1), np.zeros(some.size, dtype=np.intp)
        by_machine = csr_array((beta[some], (places, machines[some])), shape=(used.size, len(self.parts)))
        intercepts = np.array([each.intercept for each in self.trained])
        return self.gram.expansions(by_machine, intercepts, used)

    def __call__(self, X: ArrayLike) -> Matrix:
        """Return the decision values, shape (number of samples, number of machines)."""
        return self.expansions(X)
