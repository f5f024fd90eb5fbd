# SPDX-License-Identifier: BSD-3-Clause
"""Who is right, and how far: fitted machines audited, forms and solvers compared, and problems of known optimum."""

from formulations.judging.audit import Audit, audit
from formulations.judging.compare import compare, cross_examine
from formulations.judging.comparison import Comparison, Row
from formulations.judging.examination import CrossExamination, Trial
from formulations.judging.machine_audit import AuditRow, Finish, MachineAudit, WrongSample

__all__ = [
    "Audit",
    "AuditRow",
    "Comparison",
    "CrossExamination",
    "Finish",
    "MachineAudit",
    "Row",
    "Trial",
    "WrongSample",
    "audit",
    "compare",
    "cross_examine",
]
