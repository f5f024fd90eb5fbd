# SPDX-License-Identifier: BSD-3-Clause
"""Intervals for models that are no KernelQP, one file for each kind of problem."""

from qpkernels.certificates.enclosures.models.fenchel import enclose_fenchel
from qpkernels.certificates.enclosures.models.free_level import FreeLevel, enclose_free_level
from qpkernels.certificates.enclosures.models.linear_program import enclose_linear_program
from qpkernels.certificates.enclosures.models.norm_fit import enclose_norm_fit
from qpkernels.certificates.enclosures.models.separation import enclose_separation

__all__ = [
    "FreeLevel",
    "enclose_fenchel",
    "enclose_free_level",
    "enclose_linear_program",
    "enclose_norm_fit",
    "enclose_separation",
]
