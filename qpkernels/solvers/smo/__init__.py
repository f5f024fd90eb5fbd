# SPDX-License-Identifier: BSD-3-Clause
"""The project's own solver of KernelQP problems: sequential minimal optimisation, in blocks where they are large.

To read it from the inside out: a step, a block and its choice (descent), rows of the kernel matrix (rows, and the
package panels), samples left out for a while (shrinking), what proves the answer (iterate, gap_error), all of it in
order (blocks, engine), and what users call (solver).
"""

from qpkernels.solvers.smo.solver import SMO, step_limit

__all__ = ["SMO", "step_limit"]
