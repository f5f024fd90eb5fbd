# SPDX-License-Identifier: BSD-3-Clause
"""The kernel-machine QP set: quadratic programs of kernel machines with proved optimal values, for benchmarks.

Everything comes from seeds and from the data sets installed with scikit-learn.
"""

from formulations.judging.testset.problems import Entry, entries
from formulations.judging.testset.writing import WrittenEntry, write_test_set

__all__ = ["Entry", "WrittenEntry", "entries", "write_test_set"]
