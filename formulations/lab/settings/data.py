# SPDX-License-Identifier: BSD-3-Clause
"""Samples of a file as the setting that a page starts with."""

from __future__ import annotations

import numpy as np

from formulations.lab.settings.kernels import KERNELS
from formulations.lab.settings.machines import LabTask
from formulations.lab.settings.setting import FURTHEST, MOST_POINTS, Setting, read_setting
from qpkernels.arrays import Matrix, Vector
from qpkernels.errors import NonFiniteError, ParameterError
from qpkernels.kernels import scale_gamma

__all__ = ["setting_of"]

_BORDER = 0.12
"""What the window shows beyond the points, as part of their extent."""

_MACHINES = {LabTask.CLASSIFICATION: "soft-margin", LabTask.REGRESSION: "soft-tube"}


def setting_of(X: Matrix, y: Vector, name: str, *, standardise: bool = False) -> Setting:
    """Return samples as the points of a page, with a Gaussian kernel of gamma = 1 / (d Var X).

    Parameters
    ----------
    X
        Two features of samples of two classes, shape (m, 2), or one of a regression, shape (m, 1).
    y
        The labels -1 and 1, or the targets, shape (m,).
    name
        What errors call the samples.
    standardise
        Whether each feature, and the target of a regression, gets the mean 0 and the variance 1.

    Raises
    ------
    ParameterError
        If there are too many.
    NonFiniteError
        If a coordinate is too large.
    """
    if len(X) > MOST_POINTS:
        raise ParameterError(
            f"{name} has {len(X)} samples, and a page has at most {MOST_POINTS} points; take some of them."
        )
    task = LabTask.CLASSIFICATION if X.shape[1] == 2 else LabTask.REGRESSION
    places = X if task is LabTask.CLASSIFICATION else np.column_stack([X, y])
    if standardise:
        places = _standardised(places)
    features = places[:, : X.shape[1]]
    points = np.column_stack([features, y]) if task is LabTask.CLASSIFICATION else places
    stated = {
        "machine": {"name": _MACHINES[task]},
        "kernel": [{"name": "rbf", "values": {"gamma": _gamma(features)}}],
        "points": points.tolist(),
        "window": [float(end) for column in places.T for end in _around(column)],
    }
    try:
        return read_setting(stated, {"picture": None})
    except NonFiniteError as error:
        error.add_note("with mean 0 and variance 1 they do, which --standardise gives them on the command line")
        raise


def _standardised(places: Matrix) -> Matrix:
    spread = places.std(axis=0)
    return np.asarray((places - places.mean(axis=0)) / np.where(spread > 0, spread, 1.0))


def _gamma(features: Matrix) -> float:
    """Return 1 / (d Var X) to four digits, within what the slider of the page has."""
    slider = KERNELS["rbf"].sliders[0]
    usual = scale_gamma(features) if features.var() > 0 else slider.default
    return float(f"{min(max(usual, slider.low), slider.high):.4g}")


def _around(values: Vector) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    border = _BORDER * (high - low) or 1.0
    return max(low - border, -FURTHEST), min(high + border, FURTHEST)
