# SPDX-License-Identifier: BSD-3-Clause
"""What a cell shows at first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from formulations.inputs.two_classes import two_classes
from formulations.lab.settings import MACHINES, Chosen, Setting, read_setting
from formulations.lab.settings.data import setting_of
from formulations.lab.settings.presets import PRESETS
from formulations.lab.views import VIEWS
from qpkernels.arrays import finite_samples, finite_vector, is_sparse
from qpkernels.errors import ParameterError, ShapeError

__all__ = ["starting_setting"]


def starting_setting(X: ArrayLike | None, y: ArrayLike | None, setting: Mapping[str, Any] | None) -> Setting:
    """Return the setting that the arguments of a :class:`~formulations.lab.notebook.Lab` ask for.

    Raises
    ------
    ParameterError, ShapeError, NonFiniteError, LabelError
        If there is none, or both X and a setting.
    """
    if setting is not None:
        if X is not None or y is not None:
            raise ParameterError("X and y exclude a setting, which has points of its own; keep one of the two.")
        return read_setting(dict(setting) if isinstance(setting, Mapping) else setting, VIEWS)
    if X is None:
        if y is not None:
            raise ParameterError("y came without X; give both, or neither.")
        return next(iter(PRESETS.values())).setting
    return _of_samples(X, y)


def _of_samples(X: ArrayLike, y: ArrayLike | None) -> Setting:
    given = finite_samples(X, "X")
    samples = given.toarray() if is_sparse(given) else np.asarray(given)
    if samples.shape[1] not in (1, 2) or (y is None and samples.shape[1] == 1):
        raise ShapeError(
            f"X must have two features, or one feature and targets y, but its shape is {samples.shape} "
            f"{'without' if y is None else 'with'} y; choose columns, such as X[:, [0, 1]]."
        )
    if y is None:
        one_class = Chosen.read({"name": "one-class"}, MACHINES, "machine")
        return replace(setting_of(samples, np.ones(len(samples)), "X"), machine=one_class)
    if samples.shape[1] == 2:
        return setting_of(samples, two_classes(y, len(samples))[0], "X")
    return setting_of(samples, finite_vector(y, "y", len(samples)), "X")
