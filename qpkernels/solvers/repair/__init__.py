# SPDX-License-Identifier: BSD-3-Clause
"""The repair of solvers' answers to cone programs before they are certified: optima, and proofs that there are none."""

from qpkernels.solvers.repair.answers import Repaired, repair

__all__ = [
    "Repaired",
    "repair",
]
