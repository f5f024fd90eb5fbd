# SPDX-License-Identifier: BSD-3-Clause
"""Samples and factors that stay with the workers of Dask, block by block; it needs dask[distributed].

A block Z_p is a task whose graph begins at the samples. What is asked of it is a task as well: numbers of its samples
come back, or sums, or some rows. Nothing is scattered, so that Dask computes anew whatever a worker takes with it.
"""

from qpkernels.gram.low_rank.workers.features import FeaturesOnWorkers
from qpkernels.gram.low_rank.workers.source import DaskSource

__all__ = ["DaskSource", "FeaturesOnWorkers"]
