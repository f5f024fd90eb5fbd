# SPDX-License-Identifier: BSD-3-Clause
"""The kernel-machine QP set: quadratic programs of kernel machines with proved optimal values, for those who benchmark.

Everything comes from seeds and from the data sets installed with scikit-learn.
"""

from formulations.testset.entry import Entry
from formulations.testset.optimum import Optimum, optimum_of
from formulations.testset.writing import Member, entries, write_test_set

__all__ = ["Entry", "Member", "Optimum", "entries", "optimum_of", "write_test_set"]
