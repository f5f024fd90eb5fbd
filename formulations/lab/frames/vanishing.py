# SPDX-License-Identifier: BSD-3-Clause
"""Words for a picture that has no line, which says why: the function is 0, or the line too fine to be seen.

The primal P is strongly convex in f, 1/2 ||f - f*||^2 <= P(f, b) - D: where 1/2 ||f||^2 is within the gap, f* = 0 is
not excluded by what is proved.
"""

from __future__ import annotations

import numpy as np

from formulations.lab.settings import Setting
from formulations.modelling.solution import Classification, Novelty, Solution
from formulations.relevance.solution import RelevanceSolution
from qpkernels.arrays import Matrix

__all__ = ["unseen_words", "vanishing_words"]

_ONE_CLASS = (
    "f = 0 and ρ = 0, so that there is no boundary: the origin of the feature space lies among the samples, and no "
    "hyperplane has them on one side of it. Take the Gaussian kernel, with which one always has."
)

_UNSEEN = (
    "the line where the decision value is 0 runs closer around some samples than the picture can show: zoom in on one"
)

_ROUNDING = 1e-6
"""Share of the largest decision value below which a sample may lie on the line."""


def vanishing_words(solution: Solution | RelevanceSolution) -> str | None:
    """Return why an answer of one or two classes has no line where its decision value is 0; None where it has one."""
    if not isinstance(solution, Classification | Novelty) or not _is_zero(solution):
        return None
    if isinstance(solution, Novelty):
        return _ONE_CLASS
    return (
        f"f = 0, so that f(x) + b = {solution.intercept + 0.0:.3g} everywhere, and there is no line: no function of "
        "this kernel is worth its penalty here. Take a more flexible kernel, such as the Gaussian, or another cost."
    )


def unseen_words(solution: Solution | RelevanceSolution, setting: Setting, field: Matrix) -> str | None:
    """Return why a sample lies on a side of the line that the field around it has not; None where all lie on theirs.

    Parameters
    ----------
    field
        The decision values on the grid of the window, shape (rows, columns), from below and from the left.
    """
    if not isinstance(solution, Classification | Novelty):
        return None
    window, (rows, columns) = setting.window, field.shape
    across = (setting.X[:, 0] - window.left) / (window.right - window.left) * (columns - 1)
    upwards = (setting.X[:, 1] - window.bottom) / (window.top - window.bottom) * (rows - 1)
    inside = (across >= 0) & (across <= columns - 1) & (upwards >= 0) & (upwards <= rows - 1)
    values = solution.decision[inside]
    j = np.minimum(across[inside].astype(int), columns - 2)
    i = np.minimum(upwards[inside].astype(int), rows - 2)
    corners = np.array([field[i, j], field[i, j + 1], field[i + 1, j], field[i + 1, j + 1]])
    counts = np.abs(values) > _ROUNDING * np.abs(values).max(initial=0.0)
    return _UNSEEN if (counts & (values * corners <= 0).all(axis=0)).any() else None


def _is_zero(solution: Solution) -> bool:
    certificate = solution.certificate
    proved = certificate.primal_value - certificate.dual_value
    rounding = float(np.finfo(float).eps) * max(1.0, abs(certificate.primal_value))
    return not 0.5 * solution.function.squared_norm > max(proved, rounding)
