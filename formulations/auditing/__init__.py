# SPDX-License-Identifier: BSD-3-Clause
"""The verdict on anybody's fitted machine: read in the terms of its model, judged, explained, finished."""

from formulations.auditing.auditing import audit
from formulations.auditing.finishing import Finish
from formulations.auditing.machine_audit import MachineAudit
from formulations.auditing.records import AuditRow, WrongSample
from formulations.auditing.report import Audit

__all__ = ["Audit", "AuditRow", "Finish", "MachineAudit", "WrongSample", "audit"]
