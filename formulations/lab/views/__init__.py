# SPDX-License-Identifier: BSD-3-Clause
"""The views that a page shows beside the points: one view a file, listed here."""

from collections.abc import Mapping

from formulations.lab.views.gram import GRAM
from formulations.lab.views.hulls import HULLS
from formulations.lab.views.interior_point import INTERIOR_POINT
from formulations.lab.views.losses import KKT, LOSSES
from formulations.lab.views.path import PATH
from formulations.lab.views.perceptron import PERCEPTRON
from formulations.lab.views.race import RACE
from formulations.lab.views.smo import SMO
from formulations.lab.views.view import PICTURE, Drawn, Scene, ViewKind

__all__ = ["VIEWS", "Drawn", "Scene", "ViewKind"]

VIEWS: Mapping[str, ViewKind] = {
    each.name: each for each in (PICTURE, HULLS, KKT, LOSSES, PATH, GRAM, PERCEPTRON, SMO, INTERIOR_POINT, RACE)
}
"""The views by name, in the order in which a page lists them."""
