# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of the space of a kernel: a plane in it, and the hulls that are seen there."""

from formulations.lab.geometry.plane import FeaturePlane, plane_along, plane_of_features
from formulations.lab.geometry.reduced_hull import largest_value, reduced_hull

__all__ = ["FeaturePlane", "largest_value", "plane_along", "plane_of_features", "reduced_hull"]
