# SPDX-License-Identifier: BSD-3-Clause
"""The small data sets that are installed with scikit-learn."""

from typing import Final

import numpy as np

from qpkernels.datasets.dataset import Dataset

__all__ = ["BUNDLED_NAMES", "load_bundled"]

BUNDLED_NAMES: Final = ("breast-cancer", "diabetes", "digits", "iris", "wine")
"""Names :func:`~qpkernels.datasets.load_dataset` knows without a file."""


def load_bundled(name: str) -> Dataset:
    """Return one of the data sets of :data:`BUNDLED_NAMES`.

    ``y`` holds int64 class numbers counted from 0; for ``diabetes``, a regression set, it is float64.

    Parameters
    ----------
    name
        One of :data:`BUNDLED_NAMES`; anything else is a ``KeyError``.

    Returns
    -------
    Dataset
        With the features as scikit-learn gives them, not rescaled.
    """
    # scikit-learn takes about a second to import, which a program that reads no data should not pay.
    from sklearn import datasets

    load = {
        "breast-cancer": datasets.load_breast_cancer,
        "diabetes": datasets.load_diabetes,
        "digits": datasets.load_digits,
        "iris": datasets.load_iris,
        "wine": datasets.load_wine,
    }[name]
    X, y = load(return_X_y=True)
    return Dataset(name, X, np.asarray(y, dtype=np.float64 if name == "diabetes" else np.int64))
