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
from qpkernels.arrays import Matrix
from qpkernels.functions import Expansions
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

    @cached_property
    def expansions(self) -> Expansions:
        """The functions of all machines over the samples that any of them has a coefficient for."""
        if not all(each.together for each in self.trained):
            # Functions in features of the kernel, or with coefficients of their own, share nothing.
            return Expansions.of([each.solution.function for each in self.trained])
        rows = np.concatenate([part.samples for part in self.parts])
        beta = np.concatenate([each.beta for each in self.trained])
        machines = np.repeat(np.arange(len(self.parts)), [part.samples.size for part in self.parts])
        some = np.flatnonzero(beta)
        used, places = np.unique(rows[some], return_inverse=True)
        if used.size == 0:
            used, places = np.arange(1), np.zeros(some.size, dtype=np.intp)
        coefficients = csr_array((beta[some], (places, machines[some])), shape=(used.size, len(self.parts)))
        intercepts = np.array([each.intercept for each in self.trained])
        gram = self.gram
        return Expansions(gram.kernel, gram.X[used], coefficients, intercepts, gram.feature_names).condensed()

    def __call__(self, X: ArrayLike) -> Matrix:
        """Return the decision values, shape (number of samples, number of machines)."""
        return self.expansions(X)
