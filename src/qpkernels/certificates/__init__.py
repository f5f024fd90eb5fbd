# SPDX-License-Identifier: BSD-3-Clause
"""Proofs of optimality, computed without any solver."""

from qpkernels.certificates.certificate import Certificate, Status
from qpkernels.certificates.cone_program import (
    certify_cone_program,
    certify_infeasibility,
    certify_unboundedness,
)
from qpkernels.certificates.kernel_qp import DualityGap, FunctionAtSamples, certify_kernel_qp, duality_gap
from qpkernels.certificates.support import Support, split_support

__all__ = [
    "Certificate",
    "DualityGap",
    "FunctionAtSamples",
    "Status",
    "Support",
    "certify_cone_program",
    "certify_infeasibility",
    "certify_kernel_qp",
    "certify_unboundedness",
    "duality_gap",
    "split_support",
]
