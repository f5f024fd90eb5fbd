# SPDX-License-Identifier: BSD-3-Clause
"""Proofs of optimality, computed without any solver."""

from qpkernels.certificates.certificate import Certificate, Status, certify_values
from qpkernels.certificates.cone_program import (
    certify_cone_program,
    certify_infeasibility,
    certify_unboundedness,
)
from qpkernels.certificates.fenchel import SampleLosses, certify_fenchel
from qpkernels.certificates.kernel_qp import DualityGap, FunctionAtSamples, certify_kernel_qp, duality_gap
from qpkernels.certificates.support import Support, intercept_interval, split_support

__all__ = [
    "Certificate",
    "DualityGap",
    "FunctionAtSamples",
    "SampleLosses",
    "Status",
    "Support",
    "certify_cone_program",
    "certify_fenchel",
    "certify_infeasibility",
    "certify_kernel_qp",
    "certify_unboundedness",
    "certify_values",
    "duality_gap",
    "intercept_interval",
    "split_support",
]
