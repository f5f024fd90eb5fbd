# SPDX-License-Identifier: BSD-3-Clause
"""The project's own solver of KernelQP problems: sequential minimal optimisation, in blocks where they are large.

To read it from the inside out: a step (steps), a block (descent, working_set), rows of the kernel matrix (rows,
product_rows, cache, and the package panels), samples left out for a while (shrinking), what proves the answer (iterate,
doubt), and all of it in order (blocks, engine).
"""

from qpkernels.smo.blocks import forms_matrix
from qpkernels.smo.engine import compile_loops, minimise
from qpkernels.smo.iterate import Iterate

__all__ = ["Iterate", "compile_loops", "forms_matrix", "minimise"]
