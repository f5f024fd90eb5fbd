# SPDX-License-Identifier: BSD-3-Clause
"""Answers of solvers to cone programs made fit to be certified: optima, and proofs that there are none."""

from qpkernels.solvers.repair.answers import Repaired, repair

__all__ = [
    "Repaired",
    "repair",
]
