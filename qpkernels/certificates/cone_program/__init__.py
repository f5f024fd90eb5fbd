# SPDX-License-Identifier: BSD-3-Clause
"""Certificates of cone programs: optimal, infeasible, or unbounded; and what makes an answer fit to be certified."""

from qpkernels.certificates.cone_program.infeasibility import certify_infeasibility, certify_unboundedness
from qpkernels.certificates.cone_program.optimality import certify_cone_program
from qpkernels.certificates.cone_program.proofs import repair_direction, repair_multipliers
from qpkernels.certificates.cone_program.repair import Repaired, repair, without_rounding

__all__ = [
    "Repaired",
    "certify_cone_program",
    "certify_infeasibility",
    "certify_unboundedness",
    "repair",
    "repair_direction",
    "repair_multipliers",
    "without_rounding",
]
