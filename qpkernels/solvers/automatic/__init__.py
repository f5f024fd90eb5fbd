# SPDX-License-Identifier: BSD-3-Clause
"""The choice of a method for a KernelQP, and of the moment to hand over to another."""

from qpkernels.solvers.automatic.relay import Automatic
from qpkernels.solvers.automatic.work import second_order_comes_first

__all__ = ["Automatic", "second_order_comes_first"]
