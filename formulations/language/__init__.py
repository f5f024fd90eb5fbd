# SPDX-License-Identifier: BSD-3-Clause
"""A language of functions: elements of reproducing kernel Hilbert spaces as variables of convex programs in CVXPY."""

from formulations.language.everywhere import Everywhere
from formulations.language.function import Combination, FittedFunction, Function, VectorFunction
from formulations.language.machine import Machine, MachineSolution

__all__ = ["Combination", "Everywhere", "FittedFunction", "Function", "Machine", "MachineSolution", "VectorFunction"]
