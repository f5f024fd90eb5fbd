# SPDX-License-Identifier: BSD-3-Clause
"""The choice of a method for a KernelQP or a linear system, and of the moment to hand over to another."""

from qpkernels.solvers.automatic.relay import OF_SMO, THEN, Automatic, AutomaticSystem, Budget, automatic_for
from qpkernels.solvers.automatic.work import first_order, second_order_comes_first

__all__ = [
    "OF_SMO",
    "THEN",
    "Automatic",
    "AutomaticSystem",
    "Budget",
    "automatic_for",
    "first_order",
    "second_order_comes_first",
]
