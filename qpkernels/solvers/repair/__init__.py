# SPDX-License-Identifier: BSD-3-Clause
"""Answers of solvers to cone programs made fit to be certified: optima, and proofs that there are none."""

from qpkernels.solvers.repair.answers import Repaired, repair
from qpkernels.solvers.repair.proofs import repair_direction, repair_multipliers

__all__ = ["Repaired", "repair", "repair_direction", "repair_multipliers"]
