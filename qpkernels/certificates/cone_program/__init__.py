# SPDX-License-Identifier: BSD-3-Clause
"""Certificates of cone programs: optimal, infeasible, or unbounded."""

from qpkernels.certificates.cone_program.infeasibility import certify_infeasibility, certify_unboundedness
from qpkernels.certificates.cone_program.optimality import certify_cone_program

__all__ = [
    "certify_cone_program",
    "certify_infeasibility",
    "certify_unboundedness",
]
