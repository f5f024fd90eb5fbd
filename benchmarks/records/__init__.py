# SPDX-License-Identifier: BSD-3-Clause
"""What was measured, each kind of record, and the file that keeps them."""

from benchmarks.records.many import Changes, Search, Training
from benchmarks.records.record import Record
from benchmarks.records.results import FILE, Results
from benchmarks.records.single import (
    ANSWERED,
    MATCHED,
    PROVED,
    Auditing,
    Comparison,
    Estimator,
    Growth,
    Memory,
    Overhead,
    Prediction,
    Proving,
    Run,
    Start,
)

__all__ = [
    "ANSWERED",
    "FILE",
    "MATCHED",
    "PROVED",
    "Auditing",
    "Changes",
    "Comparison",
    "Estimator",
    "Growth",
    "Memory",
    "Overhead",
    "Prediction",
    "Proving",
    "Record",
    "Results",
    "Run",
    "Search",
    "Start",
    "Training",
]
