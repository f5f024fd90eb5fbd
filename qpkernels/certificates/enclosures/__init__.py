# SPDX-License-Identifier: BSD-3-Clause
"""Intervals that hold the optimal value in exact arithmetic, one file for each kind of problem."""

from qpkernels.certificates.enclosures.cone_program import enclose_cone_program
from qpkernels.certificates.enclosures.enclosure import Enclosure, no_enclosure
from qpkernels.certificates.enclosures.kernel_qp import enclose_kernel_qp
from qpkernels.certificates.enclosures.models import (
    FreeLevel,
    enclose_fenchel,
    enclose_free_level,
    enclose_linear_program,
    enclose_norm_fit,
    enclose_separation,
)

__all__ = [
    "Enclosure",
    "FreeLevel",
    "enclose_cone_program",
    "enclose_fenchel",
    "enclose_free_level",
    "enclose_kernel_qp",
    "enclose_linear_program",
    "enclose_norm_fit",
    "enclose_separation",
    "no_enclosure",
]
