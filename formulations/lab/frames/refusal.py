# SPDX-License-Identifier: BSD-3-Clause
"""Why there is no answer, in words for who sees the page; its first clause says it in short."""

from __future__ import annotations

from formulations.classification.separation.hulls import HullIntersection
from qpkernels.errors import InseparableError, QPKernelsError

__all__ = ["refusal"]

_MOST_NAMED = 8


def refusal(error: QPKernelsError | None) -> str:
    """Return the message of an error; of classes that cannot be separated what is proved, and not what solvers said."""
    if not isinstance(error, InseparableError) or not isinstance(error.proof, HullIntersection):
        return str(error)
    support = error.proof.support
    samples = ", ".join(map(str, support[:_MOST_NAMED])) + (", ..." if support.size > _MOST_NAMED else "")
    return (
        "the classes cannot be separated: no hyperplane does it, since their convex hulls meet in a point that is a "
        f"convex combination of the samples {samples}; use a soft margin, or a more flexible kernel."
    )
