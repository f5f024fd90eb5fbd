# SPDX-License-Identifier: BSD-3-Clause
"""A factor of low rank is made by workers of Dask, here threads of this process."""

import dask.array as da
import numpy as np
from distributed import Client

from qpkernels import RBF, LowRank

X = np.random.default_rng(0).normal(size=(200, 3))
with Client(processes=False, dashboard_address=None) as client:
    factor = LowRank(RBF(0.2), da.from_array(X, chunks=(100, 3)).persist(), 20)
    assert np.allclose(factor.features, LowRank(RBF(0.2), X, 20).features, atol=1e-10)
