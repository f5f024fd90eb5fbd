# SPDX-License-Identifier: BSD-3-Clause
"""A picture is drawn, without a screen."""

import matplotlib as mpl

mpl.use("agg")

from formulations.estimators import SVC
from formulations.plots import DecisionRegionDisplay

X, y = [[0.0, 0.0], [1.0, 1.0], [0.0, 2.0], [2.0, 0.0]], [0, 0, 1, 1]
DecisionRegionDisplay.from_estimator(SVC().fit(X, y), X, y).plot().figure_.savefig("regions.png")
