# SPDX-License-Identifier: BSD-3-Clause
"""The answers of machines of two classes that decide together between several."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from formulations.modelling import Classification
from formulations.modelling.batch import Solutions
from qpkernels.arrays import Matrix
from qpkernels.certificates import Certificate, Status

__all__ = ["MulticlassSolution"]


@dataclass(frozen=True, eq=False)
class MulticlassSolution:
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
        X -> the decision values of all machines.
    """

    formulation: str
    classes: NDArray[Any]
    pairs: tuple[tuple[int, int], ...]
    solutions: Solutions[Classification] = field(repr=False)
    function: Callable[[ArrayLike], Matrix] = field(repr=False)

    def __call__(self, X: ArrayLike) -> Matrix:
        """Return the decision values of all machines, shape (len(X), number of machines)."""
        return self.function(X)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class decided for, one label for each sample."""
        values = self(X)
        if all(negative < 0 for negative, _ in self.pairs):
            return np.asarray(self.classes[np.argmax(values, axis=1)])
        votes, favour = np.zeros((len(values), len(self.classes))), np.zeros((len(values), len(self.classes)))
        for (negative, positive), value in zip(self.pairs, values.T, strict=True):
            votes[:, positive] += value > 0
            votes[:, negative] += value <= 0
            favour[:, positive] += value
            favour[:, negative] -= value
        # Squeezed into (-1/3, 1/3), what the machines say in sum orders ties without outweighing a vote.
        return np.asarray(self.classes[np.argmax(votes + favour / (3.0 * (np.abs(favour) + 1.0)), axis=1)])

    @property
    def status(self) -> Status:
        """``optimal`` if every machine is; otherwise the status of the first that is not."""
        return next(
            (each.status for each in self.solutions.trained if each.status is not Status.OPTIMAL), Status.OPTIMAL
        )

    @property
    def certificate(self) -> Certificate:
        """The certificate of the machine with the largest relative gap."""
        return max((each.certificate for each in self.solutions.trained), key=lambda proof: proof.relative_gap)

    @property
    def seconds(self) -> float:
        """Time of the solvers of all machines together."""
        return sum(each.seconds for each in self.solutions.trained)

    def __str__(self) -> str:
        return (
            f"{self.formulation} of {len(self.classes)} classes by {len(self.solutions)} machines: {self.status}; "
            f"the weakest proof: {self.certificate}"
        )
