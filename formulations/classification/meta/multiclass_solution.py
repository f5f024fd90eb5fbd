# SPDX-License-Identifier: BSD-3-Clause
"""The answers of machines of two classes that decide together between several."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from formulations.classification.meta.decisions import Decisions
from formulations.modelling import Classification
from formulations.modelling.batch import Solutions
from formulations.prediction import Answering, Predictor, Sigmoids, Votes
from qpkernels.arrays import shown, shown_label
from qpkernels.display import Card, Carded, Fact
from qpkernels.problems import Certificate, Status

__all__ = ["MulticlassSolution"]

_NAMED = 4
"""Machines without a proof that a line names."""


@dataclass(frozen=True, eq=False, repr=False)
class MulticlassSolution(Answering, Carded):
    """The answers of all machines, which decide together.

    Attributes
    ----------
    formulation
        Name of the scheme.
    classes
        The K labels in sorted order.
    pairs
        For each machine, the numbers of the classes that its negative and positive values speak for; -1: the rest.
    solutions
        The answer of each machine, with its certificate; made when it is first asked for.
    function
        X -> the decision values of all machines, shape (len(X), number of machines).
    sigmoids
        Those that an estimator with probability=True fitted, one for each machine; None: those of log-odds, if the
        machines have such.
    """

    formulation: str
    classes: NDArray[Any]
    pairs: tuple[tuple[int, int], ...]
    solutions: Solutions[Classification]
    function: Decisions
    sigmoids: Sigmoids | None = None

    @cached_property
    def predictor(self) -> Predictor:
        """The machines without their training samples: what :meth:`save` writes."""
        sigmoids = self.sigmoids
        if sigmoids is None and self.solutions[0].sigmoids is not None:
            sigmoids = Sigmoids.of_log_odds(len(self.pairs))
        return Predictor(self.function.expansions, Votes(self.classes, self.pairs, sigmoids))

    @property
    def status(self) -> Status:
        """``optimal`` if every machine is; otherwise the status of the first that is not."""
        return next(
            (each.status for each in self.solutions.trained if each.status is not Status.OPTIMAL), Status.OPTIMAL
        )

    @property
    def unproved(self) -> str:
        """The machines whose answer is not proved, by their classes; empty if there are none."""
        missing = [k for k, each in enumerate(self.solutions.trained) if each.status is not Status.OPTIMAL]
        return ", ".join(self._words(k) for k in missing[:_NAMED]) + (", ..." if len(missing) > _NAMED else "")

    @property
    def certificate(self) -> Certificate:
        """The certificate of the machine with the largest relative gap."""
        return max((each.certificate for each in self.solutions.trained), key=lambda proof: proof.relative_gap)

    @property
    def seconds(self) -> float:
        """Time of the solvers of all machines together."""
        return sum(each.seconds for each in self.solutions.trained)

    def card(self) -> Card:
        """Return the classes, the machines, and the weakest proof."""
        sizes = [machine.n_support for machine in self.solutions.trained if machine.n_support is not None]
        weakest = max(range(len(self.pairs)), key=lambda k: self.solutions.trained[k].certificate.relative_gap)
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
