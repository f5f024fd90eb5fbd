# SPDX-License-Identifier: BSD-3-Clause
"""Many KernelQP problems on samples of one kernel matrix, solved together, each with its own certificate."""

from qpkernels.families.batch.machine import Fitted, Machine
from qpkernels.families.batch.solving import solve_batch

__all__ = ["Fitted", "Machine", "solve_batch"]
