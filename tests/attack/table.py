# SPDX-License-Identifier: BSD-3-Clause
"""The counts of many attacks, as text."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from attack.runner import Record

__all__ = ["summary"]


def summary(records: Iterable[Record]) -> str:
    """Return how each solver and each model fared, what was claimed and what proved, and how to repeat a failure."""
    records = list(records)
    solvers: dict[str, Counter[str]] = defaultdict(Counter)
    models: dict[str, Counter[str]] = defaultdict(Counter)
    for record in records:
        for _, solver, status, *_ in record.answers:
            solvers[solver][status] += 1
            models[record.model][status] += 1
    failures: dict[str, list[int]] = defaultdict(list)
    for record in records:
        for kind in sorted({kind for kind, _ in record.failures}):
            failures[kind].append(record.seed)
    forged = sum(record.forgeries for record in records)
    lines = [f"{len(records)} attacks, {sum(len(r.answers) for r in records)} answers, {forged} forged answers", ""]
    lines += [*_counts("solver", solvers), "", *_counts("model", models), ""]
    for kind, seeds in sorted(failures.items()):
        shown = " ".join(map(str, seeds[:20])) + (" ..." if len(seeds) > 20 else "")
        lines.append(f"FAILED {kind}: {len(seeds)}; python -m tests.attack --seed {shown}")
    return "\n".join([*lines, "" if failures else "nothing failed"])


def _counts(title: str, counts: dict[str, Counter[str]]) -> Iterable[str]:
    """Yield a row for each: claims, proofs, the rest of the answers, and what was raised."""
    yield f"{title:34}{'answers':>9}{'claimed':>9}{'proved':>9}{'stopped':>9}{'raised':>9}"
    for name, by_status in sorted(counts.items()):
        proved, stopped = by_status["optimal"], by_status["stopped"]
        claimed = proved + by_status["uncertified"]
        raised = by_status.total() - claimed - stopped - by_status["failed"]
        yield f"{name:34}{by_status.total():9}{claimed:9}{proved:9}{stopped:9}{raised:9}"
