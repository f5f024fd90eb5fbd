# SPDX-License-Identifier: BSD-3-Clause
"""Decision values of several machines at new samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from formulations.modelling.batch import Part, Trained
from qpkernels.arrays import Matrix, row_blocks
from qpkernels.gram import Gram

__all__ = ["Decisions"]


@dataclass(frozen=True, eq=False)
class Decisions:
    """X -> f_k(x_i) + b_k of machines k on samples of one kernel matrix.

    With C the coefficients of all machines, one a column, f(X) = k(X, X_s) C over the samples X_s that any machine has
    a coefficient for: a kernel value is computed once, however many machines use it.
    """

    gram: Gram
    parts: Sequence[Part]
    trained: Sequence[Trained[Any]]

    def __call__(self, X: ArrayLike) -> Matrix:
        """Return the decision values, shape (number of samples, number of machines)."""
        kernel, samples = self.gram.kernel, self.gram.kernel.samples(X)
        if not all(each.together for each in self.trained) or kernel.features(self.gram.X[:1]) is not None:
            # Functions in features of the kernel, or with coefficients of their own, cost little, or share nothing.
            return np.column_stack([each.solution.function(samples) for each in self.trained])
        used, coefficients = self._coefficients
        centers = self.gram.X[used]
        values = np.empty((samples.shape[0], len(self.trained)))
        for rows in row_blocks(samples.shape[0], used.size):
            values[rows] = kernel(samples[rows], centers) @ coefficients
        return np.asarray(values + np.array([each.intercept for each in self.trained]))

    @cached_property
    def _coefficients(self) -> tuple[Any, csr_array]:
        """The samples that any machine has a coefficient for, and the coefficients of all machines there."""
        rows = np.concatenate([part.samples for part in self.parts])
        beta = np.concatenate([each.beta for each in self.trained])
        machines = np.repeat(np.arange(len(self.parts)), [part.samples.size for part in self.parts])
        some = np.flatnonzero(beta)
        used, places = np.unique(rows[some], return_inverse=True)
        if used.size == 0:
            used, places = np.arange(1), np.zeros(some.size, dtype=np.intp)
        shape = (used.size, len(self.parts))
        return used, csr_array((beta[some], (places, machines[some])), shape=shape)
