# SPDX-License-Identifier: BSD-3-Clause
"""What an answer must hold to be one: a claim, a point and multipliers of the sizes of its program."""

from __future__ import annotations

from typing import Any

import numpy as np

from qpkernels.arrays import shown
from qpkernels.errors import SolverFailedError
from qpkernels.problems import Program
from qpkernels.solvers.answer import Answer, Claim

__all__ = ["check_answer"]


def check_answer(solver: str, program: Program, answer: Any) -> None:
    """Refuse what is no answer to ``program``: adapters are written by others, too.

    Raises
    ------
    SolverFailedError
        Which names ``solver``, and what it returned.
    """
    if not isinstance(answer, Answer) or not isinstance(answer.claim, Claim):
        what = f"the claim {shown(answer.claim)}" if isinstance(answer, Answer) else type(answer).__name__
        raise SolverFailedError(f"solver {solver!r} must return an Answer with a Claim, but returned {what}.")
    expected = program.sizes
    parts = (answer.point, answer.multipliers)
    if not all(_is_vector(part, size) for part, size in zip(parts, expected, strict=True)):
        came = [f"{p.shape} of {p.dtype}" if isinstance(p, np.ndarray) else type(p).__name__ for p in parts]
        raise SolverFailedError(
            f"solver {solver!r} must return a point and multipliers of float64, of shapes ({expected[0]},) and "
            f"({expected[1]},), and of nan where it has none, but returned {came[0]} and {came[1]} "
            f"({answer.message}); report it to its authors."
        )
    if answer.values is not None and not _is_vector(answer.values, expected[0]):
        raise SolverFailedError(f"solver {solver!r} must return values of float64 and shape ({expected[0]},).")


def _is_vector(values: Any, size: int) -> bool:
    return type(values) is np.ndarray and values.dtype == np.float64 and values.shape == (size,)
