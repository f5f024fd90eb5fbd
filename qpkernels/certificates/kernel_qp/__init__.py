# SPDX-License-Identifier: BSD-3-Clause
"""The certificate of a KernelQP: which arithmetic K beta needs, the duality gap, and what it bounds."""

from qpkernels.certificates.kernel_qp.bounds import KernelQPBounds, certify_kernel_qp, expand_at_samples
from qpkernels.certificates.kernel_qp.function import FunctionAtSamples
from qpkernels.certificates.kernel_qp.gap import DualityGap, duality_gap
from qpkernels.certificates.kernel_qp.hard import Move

__all__ = [
    "DualityGap",
    "FunctionAtSamples",
    "KernelQPBounds",
    "Move",
    "certify_kernel_qp",
    "duality_gap",
    "expand_at_samples",
]
