# SPDX-License-Identifier: BSD-3-Clause
"""Portable proofs: a problem, an answer and a claim in one file, which ``proofcheck`` checks in exact arithmetic."""

from qpkernels.files.proofs.cone_programs import prove_cone_program, prove_infeasible
from qpkernels.files.proofs.document import Bundle, Proof
from qpkernels.files.proofs.machines import prove_machine

__all__ = ["Bundle", "Proof", "prove_cone_program", "prove_infeasible", "prove_machine"]
