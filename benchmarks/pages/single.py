# SPDX-License-Identifier: BSD-3-Clause
"""Sections on machines one at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

from benchmarks.pages.cells import note, ratio, run_cell, seconds, sign, table
from benchmarks.pictures import GROWTH, ratios_name
from benchmarks.records import (
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
    Start,
)
from benchmarks.repetition import typical
from benchmarks.slope import slope

__all__ = [
    "auditing",
    "comparison",
    "estimators",
    "growth",
    "in_order",
    "memory",
    "overhead",
    "prediction",
    "proving",
    "start",
]


def in_order(rows: Iterable[Comparison]) -> list[Comparison]:
    """Return the rows as tables and pictures show them: by the number of samples."""
    return sorted(rows, key=lambda row: (row.samples, row.problem))


def comparison(tol: float, all_rows: Iterable[Comparison]) -> str:
    """Return the section of all solvers at a tolerance."""
    rows = in_order(row for row in all_rows if row.tol == tol)
    names = list(dict.fromkeys(name for row in rows for name in row.runs if name not in (ANSWERED, PROVED, MATCHED)))
    solvers = [*names, ANSWERED, PROVED, *([MATCHED] if names else [])]
    heads = ["problem", "samples", "features", "support", "limit", *solvers]
    heads += [*(f"{name} / matched" for name in names), "proved / limit"]
    lines = []
    for row in rows:
        cells = [
            row.problem + sign(row),
            str(row.samples),
            str(row.features),
            str(row.support),
            seconds(typical(row.limit)),
        ]
        cells += [run_cell(row.runs.get(name)) for name in solvers]
        cells += [ratio(row.runs.get(name), row.runs.get(MATCHED)) for name in names]
        lines.append([*cells, f"{row.runs[PROVED].seconds / typical(row.limit):.3g}"])
    words = "".join(f"{_verdict(name, rows)}\n" for name in names)
    picture = f"![Seconds of each solver over those of the limit, a line for each problem]({ratios_name(tol)})\n"
    return f"## At tol = {tol:g}\n\n{picture}\n{table(heads, lines)}\n{words}{note(rows)}"


def _verdict(name: str, rows: Sequence[Comparison]) -> str:
    """Say in how many problems ours is faster at the same gap, and where it does worst."""
    large = [row for row in rows if row.samples >= 500 and name in row.runs and MATCHED in row.runs]
    if not large:
        return f"No problem of 500 samples or more was solved by {name} and by ours at the same gap."
    factors = [row.runs[name].seconds / row.runs[MATCHED].seconds for row in large]
    worst = large[factors.index(min(factors))]
    return (
        f"From 500 samples up, ours at the best gap of a peer is faster than {name} in "
        f"{sum(factor > 1 for factor in factors)} of {len(large)} problems; the least ratio is "
        f"{ratio(worst.runs[name], worst.runs[MATCHED])}, of {worst.problem}, the median {median(factors):.3g}."
    )


def growth(points: Sequence[Growth]) -> str:
    """Return the section of seconds against samples."""
    parts = ["## Growth\n", f"![Seconds of each solver over the number of samples]({GROWTH})\n"]
    for task, tol in sorted({(point.task, point.tol) for point in points}):
        those = sorted((p for p in points if (p.task, p.tol) == (task, tol)), key=lambda point: point.samples)
        heads = ["samples", "support", "limit", "ours", "ours / limit"]
        lines = [
            [
                str(p.samples) + sign(p),
                str(p.support),
                seconds(typical(p.limit)),
                run_cell(p.ours),
                f"{p.ours.seconds / typical(p.limit):.3g}",
            ]
            for p in those
        ]
        parts.append(f"{task}, tol = {tol:g}:\n\n{table(heads, lines)}")
        if len(those) > 1:
            sizes = [p.samples for p in those]
            our_slope, least = (
                slope(sizes, [p.ours.seconds for p in those]),
                slope(sizes, [typical(p.limit) for p in those]),
            )
            parts.append(
                f"By least squares of the logarithms, ours grows as m^{our_slope:.2f}, the limit as m^{least:.2f}.\n"
            )
    return "\n".join(parts) + note(points)


def memory(records: Sequence[Memory]) -> str:
    """Return the section of the largest memory."""
    heads = ["problem", "samples", "features", "support", "cache", "with the data", "peak", "K in float64", "seconds"]
    lines = [
        [
            r.problem + sign(r),
            str(r.samples),
            str(r.features),
            str(r.support),
            f"{r.cache} MiB",
            f"{r.before:.0f} MiB",
            f"{r.peak:.0f} MiB",
            f"{r.samples**2 / 2**17:.0f} MiB",
            f"{seconds(r.seconds)} ({r.gap:.0e})",
        ]
        for r in sorted(records, key=lambda r: (r.samples, r.problem, r.tol, r.cache))
    ]
    return (
        "## Memory\n\nThe largest resident memory of a process that does nothing else, before it solves (Python, its "
        "libraries, and the data in float64) and at its peak; beside it, what the whole kernel matrix would take.\n\n"
        f"{table(heads, lines)}{note(records)}"
    )


def prediction(records: Sequence[Prediction]) -> str:
    """Return the section of decision values."""
    heads = ["problem", "support", "new samples", "LIBSVM", "ours", "LIBSVM / ours", "largest difference"]
    lines = [
        [
            r.problem + sign(r),
            str(r.support),
            str(r.tested),
            seconds(typical(r.libsvm)),
            seconds(typical(r.ours)),
            f"{typical(r.libsvm) / typical(r.ours):.3g}",
            f"{r.difference:.0e}, of values up to {r.size:.2g}",
        ]
        for r in records
    ]
    return (
        "## Prediction\n\nDecision values by `Expansion`, and by `SVC.decision_function` with the same support vectors "
        f"and coefficients.\n\n{table(heads, lines)}{note(records)}"
    )


def start(records: Sequence[Start]) -> str:
    """Return the section of fresh processes."""
    heads = ["machine code", "samples", "imports", "first solve", "second solve"]
    lines = [
        [
            ("found in numba's cache" if r.compiled_before else "to be compiled") + sign(r),
            str(r.samples),
            seconds(r.imports),
            seconds(r.first),
            seconds(r.second),
        ]
        for r in sorted(records, key=lambda r: r.compiled_before)
    ]
    words = "In a fresh process. The machine code is kept until the code changes."
    return f"## Start\n\n{words}\n\n{table(heads, lines)}{note(records)}"


def proving(records: Sequence[Proving]) -> str:
    """Return the section of certificates beside their solvers."""
    heads = [
        "problem",
        "tol",
        "samples",
        "support",
        "solve",
        "certificate",
        "share",
        "all in float64",
        "gap",
        "rounding",
    ]
    lines = [
        [
            r.problem + sign(r),
            f"{r.tol:g}",
            str(r.samples),
            str(r.support),
            seconds(r.solving),
            seconds(r.proving),
            f"{r.proving / (r.solving + r.proving):.0%}",
            seconds(r.in_float64),
            f"{r.gap:.0e}",
            f"{r.rounding:.0e}",
        ]
        for r in sorted(records, key=lambda r: (r.samples, r.problem, -r.tol))
    ]
    return (
        "## Certificates\n\nSeconds that a processor works for the thread that calls: of smo, of the certificate of "
        "its answer, and of the same certificate with every kernel value in float64. Their values are equal to "
        f"{max(r.apart for r in records):.0e}.\n\n{table(heads, lines)}{note(records)}"
    )


def auditing(records: Sequence[Auditing]) -> str:
    """Return the section of audits of others' machines."""
    heads = ["problem", "tol", "samples", "support", "K beta", "audit", "audit / K beta", "gap", "certain"]
    lines = [
        [
            r.problem + sign(r),
            f"{r.tol:g}",
            str(r.samples),
            str(r.support),
            seconds(r.multiplying),
            seconds(r.auditing),
            f"{r.auditing / r.multiplying:.2f}",
            f"{r.gap:.0e}",
            "" if r.certain is None else str(r.certain),
        ]
        for r in sorted(records, key=lambda r: (r.samples, r.problem, -r.tol))
    ]
    return (
        "## Audits\n\n`audit(estimator, X, y)` and its table, of `SVC` and `SVR` of scikit-learn, whose tolerance is "
        "`tol`. Seconds that a processor works for the thread that calls: of the one product with the kernel matrix "
        "that the certificate needs, and of the whole audit. certain: for so many samples the optimal machine decides "
        f"the same.\n\n{table(heads, lines)}{note(records)}"
    )


def overhead(records: Sequence[Overhead]) -> str:
    """Return the section of what small models take."""
    heads = ["model", "samples", "whole", "steps", "kernel", "the rest"]
    lines = [
        [r.model + sign(r), str(r.samples), *(f"{part:.0f} µs" for part in (r.whole, r.steps, r.kernel, r.rest))]
        for r in sorted(records, key=lambda r: (r.samples, r.model))
    ]
    return (
        "## Small models\n\nProcessor time of `model.solve('smo', tol=1e-3)`, from the arrays to the proved answer; "
        "the compiled steps and the kernel matrices in it, and the rest: Python, and the certificate.\n\n"
        f"{table(heads, lines)}{note(records)}"
    )


def estimators(records: Sequence[Estimator]) -> str:
    """Return the section of what estimators add to their models."""
    heads = ["estimator", "samples", "model", "fit", "fit / model", "function", "predict", "predict / function"]
    lines = [
        [
            r.estimator + sign(r),
            str(r.samples),
            seconds(r.solving),
            seconds(r.fitting),
            f"{r.fitting / r.solving:.3f}",
            seconds(r.valuing),
            seconds(r.predicting),
            f"{r.predicting / r.valuing:.3f}",
        ]
        for r in sorted(records, key=lambda r: (r.samples, r.estimator))
    ]
    return (
        "## Estimators\n\nProcessor time of `fit` beside that of the model's own statement and solve, and of `predict` "
        f"beside that of its function, at {records[0].new} new samples; the least of many, taking turns.\n\n"
        f"{table(heads, lines)}{note(records)}"
    )
