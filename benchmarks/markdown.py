# SPDX-License-Identifier: BSD-3-Clause
"""The page: what was measured, in words and tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

from benchmarks.pictures import GROWTH, ratios_name
from benchmarks.records import (
    ANSWERED,
    MATCHED,
    PROVED,
    Comparison,
    Growth,
    Memory,
    Prediction,
    Record,
    Results,
    Run,
    Start,
)
from benchmarks.repetition import typical
from benchmarks.slope import slope

__all__ = ["in_order", "page"]

_HEAD = """# Performance of smo

Written by `python -m benchmarks`; the seconds of every single run are in [results.json](results.json). Solvers take
turns, and in its turn one whose runs are short has many, until they take 0.3 s or are 30. A cell holds the median over
the turns of the best run of each, and in brackets the relative duality gap of the answer: the largest over all machines
and answers, recomputed in float64 from the data and the coefficients returned, the same way for every solver.

* **limit**: the rows of the kernel matrix of the support vectors, made once, by NumPy: a matrix product in float32 and
  an exp, into memory that was touched before. Whoever is to know the answer's gap needs these rows.
* **LIBSVM**: `SVC` and `SVR` of scikit-learn. **oneDAL**: the same of scikit-learn-intelex, on the data in float32.
  Both have 2048 MiB for kept rows, as ours, and a process of their own; what is timed is `fit` alone, after a first fit
  of 500 samples. `> 300 s`: it was ended after that time.
* **ours, proved**: `model.solve(tol=tol)`, as users call it: what is timed begins with the data as an array and ends
  with the certified answer. **smo, not proved**: the solver alone, from the same arrays to an answer without proof.
* **ours, matched**: peers stop by a tolerance of another kind, on the optimality conditions, and their answers are
  often better than its number says. This is `model.solve` at the best gap that a peer reached, proved: the column to
  compare with.
* **letter** has 26 classes, and with them a machine for each of 325 pairs: `OneVersusOne` beside what `SVC` does
  itself; **covtype7** has 7, and 21 machines. All are certified, the largest gap counts, and the support vectors are
  those of all.
"""

_QUIET = 0.1
"""Processors that other programs may keep busy before a record is marked."""

_FOOT = """
## Measure it yourself

```
python -m benchmarks --data FOLDER --measure all                      # everything; an hour or more
python -m benchmarks --data FOLDER --only usps cpusmall --tol 1e-3    # some; the other records stay as they are
python -m benchmarks.report FOLDER                                    # this page again, from its results.json
```

`--intelex PYTHON` names a Python that has scikit-learn-intelex; `--skip-libsvm` leaves LIBSVM out. Records are
written after each problem. A record takes the place of an older one of the same problem and tolerance, whole: the times
in a line were measured in one go.
"""


def page(results: Results) -> str:
    """Return it."""
    comparisons, parts = results.of(Comparison), [_HEAD]
    parts += [_comparison(tol, comparisons) for tol in sorted({row.tol for row in comparisons}, reverse=True)]
    if growth := results.of(Growth):
        parts.append(_growth(growth))
    if memory := results.of(Memory):
        parts.append(_memory(memory))
    if predictions := results.of(Prediction):
        parts.append(_prediction(predictions))
    if starts := results.of(Start):
        parts.append(_start(starts))
    if results.records:
        parts.append(_where(results))
    return "\n".join([*parts, _FOOT.lstrip("\n")])


def in_order(rows: Iterable[Comparison]) -> list[Comparison]:
    """Return the rows as tables and pictures show them: by the number of samples."""
    return sorted(rows, key=lambda row: (row.samples, row.problem))


def _comparison(tol: float, all_rows: Iterable[Comparison]) -> str:
    rows = in_order(row for row in all_rows if row.tol == tol)
    names = list(dict.fromkeys(name for row in rows for name in row.runs if name not in (ANSWERED, PROVED, MATCHED)))
    solvers = [*names, ANSWERED, PROVED, *([MATCHED] if names else [])]
    heads = ["problem", "samples", "features", "support", "limit", *solvers]
    heads += [*(f"{name} / matched" for name in names), "proved / limit"]
    lines = []
    for row in rows:
        cells = [
            row.problem + _sign(row),
            str(row.samples),
            str(row.features),
            str(row.support),
            _seconds(typical(row.limit)),
        ]
        cells += [_run(row.runs.get(name)) for name in solvers]
        cells += [_ratio(row.runs.get(name), row.runs.get(MATCHED)) for name in names]
        lines.append([*cells, f"{row.runs[PROVED].seconds / typical(row.limit):.3g}"])
    words = "".join(f"{_verdict(name, rows)}\n" for name in names)
    picture = f"![seconds over those of the limit]({ratios_name(tol)})\n"
    return f"## At tol = {tol:g}\n\n{picture}\n{_table(heads, lines)}\n{words}{_note(rows)}"


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
        f"{_ratio(worst.runs[name], worst.runs[MATCHED])}, of {worst.problem}, the median {median(factors):.3g}."
    )


def _growth(points: Sequence[Growth]) -> str:
    parts = ["## Growth\n", f"![seconds over samples]({GROWTH})\n"]
    for task, tol in sorted({(point.task, point.tol) for point in points}):
        those = sorted((p for p in points if (p.task, p.tol) == (task, tol)), key=lambda point: point.samples)
        heads = ["samples", "support", "limit", "ours", "ours / limit"]
        lines = [
            [
                str(p.samples) + _sign(p),
                str(p.support),
                _seconds(typical(p.limit)),
                _run(p.ours),
                f"{p.ours.seconds / typical(p.limit):.3g}",
            ]
            for p in those
        ]
        parts.append(f"{task}, tol = {tol:g}:\n\n{_table(heads, lines)}")
        if len(those) > 1:
            sizes = [p.samples for p in those]
            our_slope, least = (
                slope(sizes, [p.ours.seconds for p in those]),
                slope(sizes, [typical(p.limit) for p in those]),
            )
            parts.append(
                f"By least squares of the logarithms, ours grows as m^{our_slope:.2f}, the limit as m^{least:.2f}.\n"
            )
    return "\n".join(parts) + _note(points)


def _memory(records: Sequence[Memory]) -> str:
    heads = ["problem", "samples", "features", "support", "cache", "with the data", "peak", "K in float64", "seconds"]
    lines = [
        [
            r.problem + _sign(r),
            str(r.samples),
            str(r.features),
            str(r.support),
            f"{r.cache} MiB",
            f"{r.before:.0f} MiB",
            f"{r.peak:.0f} MiB",
            f"{r.samples**2 / 2**17:.0f} MiB",
            f"{_seconds(r.seconds)} ({r.gap:.0e})",
        ]
        for r in sorted(records, key=lambda r: (r.samples, r.problem, r.tol, r.cache))
    ]
    return (
        "## Memory\n\nThe largest resident memory of a process that does nothing else, before it solves (Python, its "
        "libraries, and the data in float64) and at its peak; beside it, what the whole kernel matrix would take.\n\n"
        f"{_table(heads, lines)}{_note(records)}"
    )


def _prediction(records: Sequence[Prediction]) -> str:
    heads = ["problem", "support", "new samples", "LIBSVM", "ours", "LIBSVM / ours", "largest difference"]
    lines = [
        [
            r.problem + _sign(r),
            str(r.support),
            str(r.tested),
            _seconds(typical(r.libsvm)),
            _seconds(typical(r.ours)),
            f"{typical(r.libsvm) / typical(r.ours):.3g}",
            f"{r.difference:.0e}, of values up to {r.size:.2g}",
        ]
        for r in records
    ]
    return (
        "## Prediction\n\nDecision values by `Expansion`, and by `SVC.decision_function` with the same support vectors "
        f"and coefficients.\n\n{_table(heads, lines)}{_note(records)}"
    )


def _start(records: Sequence[Start]) -> str:
    heads = ["machine code", "samples", "imports", "first solve", "second solve"]
    lines = [
        [
            ("found in numba's cache" if r.compiled_before else "to be compiled") + _sign(r),
            str(r.samples),
            _seconds(r.imports),
            _seconds(r.first),
            _seconds(r.second),
        ]
        for r in sorted(records, key=lambda r: r.compiled_before)
    ]
    words = "In a fresh process. The machine code is kept until the code changes."
    return f"## Start\n\n{words}\n\n{_table(heads, lines)}{_note(records)}"


def _where(results: Results) -> str:
    days: dict[str, list[str]] = {}
    for record in results.records:
        days.setdefault(str(record.where.computer), []).append(record.where.day)
    lines = [
        f"* {name}: {len(of)} records, {min(of)}{f' to {max(of)}' if max(of) > min(of) else ''}"
        for name, of in days.items()
    ]
    return "## Where\n\n" + "\n".join(lines) + "\n"


def _sign(record: Record) -> str:
    return " †" if (record.where.others or 0.0) > _QUIET else ""


def _note(records: Sequence[Record]) -> str:
    if not any(_sign(record) for record in records):
        return ""
    return f"\n† Other programs kept more than {_QUIET:g} processors busy meanwhile: to be measured again.\n"


def _table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rows = [heads, ["---", *["---:"] * (len(heads) - 1)], *lines]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def _seconds(value: float) -> str:
    return f"{value:.3g} s" if value >= 1 else f"{1e3 * value:.3g} ms"


def _run(run: Run | None) -> str:
    if run is None:
        return "–"
    proof = "" if run.gap is None else f" ({run.gap:.0e})"
    return f"{'' if run.limit is None else '> '}{_seconds(run.seconds)}{proof}"


def _ratio(run: Run | None, base: Run | None) -> str:
    """Return the ratio, as a bound where one of them was ended; there is none where both were."""
    if run is None or base is None or (run.limit is not None and base.limit is not None):
        return "–"
    sign = "> " if run.limit is not None else "< " if base.limit is not None else ""
    return f"{sign}{run.seconds / base.seconds:.3g}"
