# SPDX-License-Identifier: BSD-3-Clause
"""The project's own solver of KernelQP problems: sequential minimal optimisation, in blocks where they are large.

To read it from the inside out: a step (steps), a block, its choice and the samples that are left out for a while
(descent), rows of the kernel matrix (rows, and the package panels), what proves the answer (iterate), and what users
call (solver).
"""

from qpkernels.solvers.smo.solver import CACHE_SIZE, SMO, step_limit

__all__ = ["CACHE_SIZE", "SMO", "step_limit"]
