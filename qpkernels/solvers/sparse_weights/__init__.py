# SPDX-License-Identifier: BSD-3-Clause
"""The squared hinge with few weights, by coordinate descent."""

from qpkernels.solvers.sparse_weights.descent import ProvedWeights, sparse_weights

__all__ = ["ProvedWeights", "sparse_weights"]
