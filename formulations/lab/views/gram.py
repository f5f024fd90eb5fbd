# SPDX-License-Identifier: BSD-3-Clause
r"""The kernel matrix as an image, and its spectrum.

With the eigenvalues lambda_k, and the shares p_k = |lambda_k| / sum |lambda_j|, the effective rank is the exponential
of their entropy,

.. math:: \exp(-\sum_k p_k \log p_k),

the number of equal eigenvalues that are spread as widely. Source: Roy and Vetterli, The effective rank (2007).
"""

from __future__ import annotations

import numpy as np

from formulations.lab.answers import LabAnswer
from formulations.lab.settings import LabTask, Setting
from formulations.lab.views.view import Drawn, still
from formulations.plots.gram import GramDisplay
from qpkernels.arrays import Indices, Vector
from qpkernels.errors import QPKernelsError
from qpkernels.gram import Gram

__all__ = ["GRAM", "effective_rank"]

_ROWS = 150
"""Rows of the image; of more samples, some are shown."""

_SPECTRUM = 600
"""Samples whose matrix is decomposed; of more, some stand for all."""


def effective_rank(eigenvalues: Vector) -> float:
    """Return the exponential of the entropy of the shares of eigenvalues, from 1 to their number."""
    sizes = np.abs(eigenvalues)
    shares = sizes[sizes > 0] / sizes.sum()
    return float(np.exp(-(shares * np.log(shares)).sum()))


def _drawn(answer: LabAnswer) -> Drawn:
    setting = answer.setting
    m = len(setting.points)
    if m == 0:
        return Drawn({"words": "Without samples there is no kernel matrix."})
    some = _order(answer)[_spread(m, _SPECTRUM)]
    try:
        display = GramDisplay.from_gram(Gram(setting.kernel_function(), setting.X[some]))
    except QPKernelsError as error:
        return Drawn({"words": str(error)})
    rows = _spread(some.size, _ROWS)
    eigenvalues = display.eigenvalues
    largest = float(np.abs(eigenvalues).max())
    rounding = largest * eigenvalues.size * float(np.finfo(float).eps)
    rank = effective_rank(eigenvalues) if largest > 0 else 0.0
    smallest = float(eigenvalues.min())
    numerical = int((np.abs(eigenvalues) > rounding).sum())
    return Drawn(
        {
            "words": f"The values k(x, z) of all pairs, samples ordered by {_by(setting)}: {numerical} of "
            f"{eigenvalues.size} eigenvalues are above rounding, and they are spread like {rank:.3g} equal ones.",
            "note": _note(m, some.size, rows.size),
            "effective_rank": rank,
            "rank": numerical,
            "smallest": smallest,
            "rounding": rounding,
            "classes": int((setting.y[some[rows]] < 0).sum()) if _has_classes(setting) else 0,
        },
        {"matrix": display.matrix[np.ix_(rows, rows)], "eigenvalues": eigenvalues},
    )


def _order(answer: LabAnswer) -> Indices:
    """Return the numbers of the samples, by class and decision value, or by their first coordinate."""
    setting, solution = answer.setting, answer.solution
    if setting.task is LabTask.REGRESSION:
        return np.argsort(setting.X[:, 0], kind="stable")
    decision = getattr(solution, "decision", None)
    within = setting.X[:, 0] if decision is None else decision
    return np.lexsort((within, setting.y)) if _has_classes(setting) else np.argsort(within, kind="stable")


def _has_classes(setting: Setting) -> bool:
    return setting.task is LabTask.CLASSIFICATION and setting.machine.choice.takes_labels


def _by(setting: Setting) -> str:
    if setting.task is LabTask.REGRESSION:
        return "their feature"
    return "class and decision value" if _has_classes(setting) else "decision value"


def _spread(count: int, most: int) -> Indices:
    """Return numbers below ``count``, evenly spread, no more than ``most``."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(int))


def _note(samples: int, decomposed: int, rows: int) -> str:
    """Say of which samples image and spectrum are."""
    image = f"The image shows {rows} of {samples} samples." if rows < samples else ""
    return image if decomposed == samples else f"{image} The spectrum is that of {decomposed} of them."


GRAM = still("gram", "Kernel matrix", _drawn)
