# SPDX-License-Identifier: BSD-3-Clause
"""Sections on many machines at once."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from benchmarks.pages.cells import note, seconds, sign, table
from benchmarks.records import Changes, Search, Training
from benchmarks.repetition import typical

__all__ = ["changing", "searching", "training"]


def training(records: Sequence[Training]) -> str:
    """Return the section of machines that are trained together."""
    heads = ["workload", "tol", "machines", "proved", "steps", "seconds", "of all processors", "largest gap"]
    lines = [
        [
            r.workload + sign(r),
            f"{r.tol:g}",
            str(r.machines),
            str(r.proved),
            str(r.steps),
            seconds(typical(r.turns)),
            seconds(median(r.processor)),
            f"{r.gap:.0e}",
        ]
        for r in records
    ]
    return (
        "## Many machines at once\n\n`solve_batch`, from the arrays to the proved answers. The 50 values of lambda in "
        "10 folds are the simulation of TorchKM's paper (2026): 500 machines, and the values on the held-out samples. "
        "The last machine of a path, alone, is its most expensive one.\n\n"
        f"{table(heads, lines)}{note(records)}"
    )


def searching(records: Sequence[Search]) -> str:
    """Return the section of grids."""
    heads = ["problem", "tol", "fits", "proved", "scikit-learn", "ours", "ratio", "our choice", "their choice"]
    lines = [
        [
            r.problem + sign(r),
            f"{r.tol:g}",
            str(r.fits),
            str(r.proved),
            f"{seconds(typical(r.theirs))} ({r.jobs} processes)",
            seconds(typical(r.ours)),
            f"{typical(r.theirs) / typical(r.ours):.3g}",
            f"{_point(r.our_choice)}: {r.our_score:.4f}",
            f"{_point(r.their_choice)}: {r.their_score:.4f}",
        ]
        for r in records
    ]
    return (
        "## A grid\n\n10 values of C, 10 of gamma and 5 folds, by `grid` and by `GridSearchCV(SVC())`, with the fit at "
        f"the chosen point.\n\n{table(heads, lines)}{note(records)}"
    )


def changing(records: Sequence[Changes]) -> str:
    """Return the section of single samples that change."""
    kinds = list(dict.fromkeys(kind for r in records for kind in r.kinds))
    heads = ["problem", "samples", "tol", "a fit", "a change", "ratio", *kinds, "95 % within"]
    lines = [
        [
            r.problem + sign(r),
            str(r.samples),
            f"{r.tol:g}",
            seconds(median(r.fits)),
            seconds(median(r.changes)),
            f"{r.ratio:.3g}",
            *(seconds(r.of_kind(kind)) for kind in kinds),
            seconds(r.within),
        ]
        for r in sorted(records, key=lambda r: (-r.samples, r.problem))
    ]
    return (
        "## Changes of single samples\n\n`Incremental`, each change to the proved answer, beside a fit of the same "
        f"samples from the arrays; medians.\n\n{table(heads, lines)}{note(records)}"
    )


def _point(choice: dict[str, float]) -> str:
    return ", ".join(f"{name} = {value:g}" for name, value in choice.items())
