# SPDX-License-Identifier: BSD-3-Clause
"""The function of a candidate and that of the feasible point near it, as the bounds of models begin."""

from __future__ import annotations

from qpkernels.arrays import Vector
from qpkernels.certificates.kernel_qp import FunctionAtSamples, expand_at_samples
from qpkernels.certificates.rounding import ExpansionError, FunctionError, expansion_error
from qpkernels.gram import Gram

__all__ = ["expanded"]


def expanded(
    gram: Gram, beta: Vector, feasible: Vector, function: FunctionAtSamples | None, *, balanced: bool
) -> tuple[ExpansionError, FunctionAtSamples, FunctionError]:
    """Return the errors and norm of the expansion in the feasible point near beta, and f with its errors.

    f is the expansion in beta itself where it is left out.

    Raises
    ------
    IndefiniteKernelError
        If the quadratic form of the feasible point is negative beyond rounding.
    """
    expansion = gram.product(feasible)
    gram.require_nonnegative(feasible, expansion)
    own = expansion_error(gram, feasible, expansion, balanced=balanced)
    if function is not None:
        return own, function, function.error
    function = expand_at_samples(gram, beta, feasible, expansion)
    moved = function.values is not expansion
    error = expansion_error(gram, beta, function.values, balanced=balanced) if moved else own
    return own, function, error
