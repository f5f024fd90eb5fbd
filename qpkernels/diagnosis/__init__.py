# SPDX-License-Identifier: BSD-3-Clause
"""Reasons why a program has no answer: contradicting constraints, how far they must give way, and rays."""

from qpkernels.diagnosis.conflict import Conflict, Group, Member, find_conflict
from qpkernels.diagnosis.feasibility import Feasibility, Verdict
from qpkernels.diagnosis.ray import Ray
from qpkernels.diagnosis.relaxation import Concession, Relaxation, find_relaxation

__all__ = [
    "Concession",
    "Conflict",
    "Feasibility",
    "Group",
    "Member",
    "Ray",
    "Relaxation",
    "Verdict",
    "find_conflict",
    "find_relaxation",
]
