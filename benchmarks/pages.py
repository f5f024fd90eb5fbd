# SPDX-License-Identifier: BSD-3-Clause
"""The page: what was measured, in words and tables of Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import median
from typing import Any

from benchmarks.pictures import ratios_name
from benchmarks.records import (
    ANSWERED,
    MATCHED,
    PROVED,
    Auditing,
    Changes,
    Comparison,
    Estimator,
    Proving,
    Record,
    Results,
    Run,
    Search,
    Training,
)
from benchmarks.repetition import typical

__all__ = ["FOOTNOTE", "fold", "in_order", "mark", "page", "seconds", "table"]

_HEAD = """# Kernel machines beside LIBSVM and oneDAL

This page compares the seconds that each solver takes from the samples to its answer with a lower limit: the time to
make the rows of the kernel matrix that a proof of the answer needs, once. [Everyday sizes](everyday.md) are timed
beside scikit-learn on a page of their own.
"""

_METHOD = """## How it is measured

`python -m benchmarks` writes this page; the seconds of every single run are in [results.json](results.json). Solvers
take turns. A solver with short runs has many in its turn, until they take 0.3 s together or number 30. A time is the
median over the turns of the best run of each turn. A gap, which also stands in brackets, is the relative duality gap of
the answer: the largest over all machines and answers, recomputed in float64 from the data and the returned coefficients
in the same way for every solver.

* **limit**: NumPy makes the rows of the kernel matrix of the support vectors once, by a matrix product in float32 and
  an exp, into memory that was touched before. No solver can know the gap of its answer without these rows.
* **LIBSVM**: `SVC` and `SVR` of scikit-learn. **oneDAL**: the same classes of scikit-learn-intelex, on the data in
  float32. Both have 2048 MiB for cached rows, as ours does, and a process of their own; `fit` alone is timed, after a
  first fit of 500 samples. `> 300 s` means that the fit was ended after that time.
* **ours, proved**: `model.solve(tol=tol)`, as users call it, from the data as an array to the certified answer. **smo,
  not proved**: the solver alone, from the same arrays to an answer without proof.
* **ours, matched**: peers stop by a tolerance on the optimality conditions, and their answers are often better than
  that number says. This column is `model.solve` at the best gap that a peer reached, with the proof: compare this one.
* **letter** has 26 classes, and with them 325 machines, one for each pair: `OneVersusOne` beside the pairs of `SVC`.
  **covtype7** has 7 classes and 21 machines. All machines are certified, the largest gap counts, and the support
  vectors of all are counted.
"""

_FOOT = """
## Measure it yourself

```
python -m benchmarks --data FOLDER --measure all                      # everything; an hour or more
python -m benchmarks --data FOLDER --only usps cpusmall --tol 1e-3    # some; the other records stay as they are
python -m benchmarks --data FOLDER --measure training --only "20 C, a9a"
python -m benchmarks.report FOLDER                                    # this page again, from its results.json
python -m benchmarks.first_fit                                        # the first fit on a computer, to be compiled
```

`--intelex PYTHON` names a Python that has scikit-learn-intelex; `--skip-libsvm` leaves LIBSVM out. Records are written
after each problem. A new record replaces the older one of the same problem and tolerance as a whole, so that all times
in a line were measured together.
"""

_QUIET = 0.1
"""Processors that other programs may keep busy before a record is marked."""

FOOTNOTE = (
    f"† Other programs kept more than {_QUIET:g} processors busy during this measurement; it should be repeated.\n"
)
"""What the mark says."""


def mark(others: float | None) -> str:
    """Return the mark of what was measured while other programs kept so many processors busy."""
    return " †" if (others or 0.0) > _QUIET else ""


def sign(record: Record) -> str:
    """Return the mark of a record while whose making other programs were busy."""
    return mark(record.where.others)


def note(records: Sequence[Record]) -> str:
    """Return what the mark says, where one of the records has it."""
    return f"\n{FOOTNOTE}" if any(sign(record) for record in records) else ""


def table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a table whose first column is of words."""
    rows = [heads, ["---", *["---:"] * (len(heads) - 1)], *lines]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def seconds(value: float) -> str:
    """Return a time, with its unit."""
    return f"{value:.3g} s" if value >= 1 else f"{1e3 * value:.3g} ms"


def fold(title: str, text: str) -> str:
    """Return a text that is shown when its title is chosen."""
    return f"<details><summary>{title}</summary>\n\n{text}\n</details>\n"


def run_cell(run: Run | None) -> str:
    """Return the time of a run."""
    return "–" if run is None else f"{'' if run.limit is None else '> '}{seconds(run.seconds)}"


def gap_cell(run: Run | None, form: str = "{}") -> str:
    """Return the gap of an answer, in a form; nothing where there is none."""
    return "" if run is None or run.gap is None else form.format(f"{run.gap:.0e}")


def ratio(run: Run | None, base: Run | None) -> str:
    """Return the ratio, as a bound where one of them was ended; there is none where both were."""
    if run is None or base is None or (run.limit is not None and base.limit is not None):
        return "–"
    sign = "> " if run.limit is not None else "< " if base.limit is not None else ""
    return f"{sign}{run.seconds / base.seconds:.3g}"


def in_order(rows: Iterable[Comparison]) -> list[Comparison]:
    """Return the rows as tables and pictures show them: by the number of samples."""
    return sorted(rows, key=lambda row: (row.samples, row.problem))


def comparison(tol: float, all_rows: Iterable[Comparison]) -> str:
    """Return the section of all solvers at a tolerance."""
    rows = in_order(row for row in all_rows if row.tol == tol)
    names = list(dict.fromkeys(name for row in rows for name in row.runs if name not in (ANSWERED, PROVED, MATCHED)))
    solvers = [*names, *([MATCHED] if names else [PROVED])]
    decided = table(
        ["problem", "samples", *solvers, *(f"{name} / matched" for name in names)],
        [
            [
                row.problem + sign(row),
                str(row.samples),
                *(run_cell(row.runs.get(name)) for name in solvers),
                *(ratio(row.runs.get(name), row.runs.get(MATCHED)) for name in names),
            ]
            for row in rows
        ],
    )
    more = table(
        [
            "problem",
            "features",
            "support",
            "limit",
            ANSWERED,
            PROVED,
            "proved / limit",
            *(f"gap of {each}" for each in solvers),
        ],
        [
            [
                row.problem + sign(row),
                str(row.features),
                str(row.support),
                seconds(typical(row.limit)),
                *(
                    f"{run_cell(row.runs.get(name))}{gap_cell(row.runs.get(name), ' ({})')}"
                    for name in (ANSWERED, PROVED)
                ),
                f"{row.runs[PROVED].seconds / typical(row.limit):.3g}",
                *(gap_cell(row.runs.get(name)) for name in solvers),
            ]
            for row in rows
        ],
    )
    words = "".join(f"{_verdict(name, rows)}\n" for name in names)
    picture = f"![Seconds of each solver over those of the limit, a line for each problem]({ratios_name(tol)})\n"
    return f"## At tol = {tol:g}\n\n{picture}\n{decided}\n{words}\n{fold('The limit, and all gaps', more)}{note(rows)}"


def _verdict(name: str, rows: Sequence[Comparison]) -> str:
    """Say in how many problems ours is faster at the same gap, and where it does worst."""
    large = [row for row in rows if row.samples >= 500 and name in row.runs and MATCHED in row.runs]
    if not large:
        return f"No problem of 500 samples or more was solved by {name} and by ours at the same gap."
    factors = [row.runs[name].seconds / row.runs[MATCHED].seconds for row in large]
    worst = large[factors.index(min(factors))]
    return (
        f"From 500 samples on, `model.solve` to the gap of the better peer is faster than {name} in "
        f"{sum(factor > 1 for factor in factors)} of {len(large)} problems. The ratio is at least "
        f"{ratio(worst.runs[name], worst.runs[MATCHED])} ({worst.problem}), and its median is {median(factors):.3g}."
    )


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
        "## Certificates\n\nThis table compares the time of smo with that of the certificate of its answer, and of the "
        "same certificate with every kernel value in float64. The times are those that a processor worked for the "
        "thread that calls. The values of the two certificates are equal to "
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
        "## Audits\n\n`audit(estimator, X, y)` judges `SVC` and `SVR` of scikit-learn, fitted at the tolerance `tol`. "
        "The table compares the time of the whole audit with that of the one product with the kernel matrix that the "
        "certificate needs. The times are those that a processor worked for the thread that calls. The column "
        "“certain” counts the samples for which the optimal machine decides the same.\n\n"
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
        "## Estimators\n\nThe processor time of `fit` stands beside that of stating and solving the model, and that "
        f"of `predict` beside that of its function, at {records[0].new} new samples. "
        f"Each is the least of many turns.\n\n{table(heads, lines)}{note(records)}"
    )


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
        "## Many machines at once\n\nThese are the times of `solve_batch`, from the arrays to the proved answers. The "
        "50 values of lambda in 10 folds are the simulation of TorchKM's paper (2026), with 500 machines and their "
        "values on the held-out samples. The last line is the most expensive machine of a path, solved alone.\n\n"
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
        "## A grid\n\n`grid` and `GridSearchCV(SVC())` try 10 values of C and 10 of gamma in 5 folds, and fit the "
        f"chosen point.\n\n{table(heads, lines)}{note(records)}"
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
        "## Changes of single samples\n\nEach change by `Incremental` leads to a proved answer. Its time stands beside "
        "that of a fit of the same samples from the arrays. All times are medians.\n\n"
        f"{table(heads, lines)}{note(records)}"
    )


def _point(choice: dict[str, float]) -> str:
    return ", ".join(f"{name} = {value:g}" for name, value in choice.items())


_SECTIONS: dict[type[Record], Callable[[Any], str]] = {
    Training: training,
    Search: searching,
    Changes: changing,
    Proving: proving,
    Auditing: auditing,
    Estimator: estimators,
}
"""In the order of the page, after the comparisons."""


def page(results: Results) -> str:
    """Return it."""
    comparisons, parts = results.of(Comparison), [_HEAD]
    parts += [comparison(tol, comparisons) for tol in sorted({row.tol for row in comparisons}, reverse=True)]
    parts.append(_METHOD)
    parts += [section(records) for kind, section in _SECTIONS.items() if (records := results.of(kind))]
    if results.records:
        parts.append(_where(results))
    return "\n".join([*parts, _FOOT.lstrip("\n")])


def _where(results: Results) -> str:
    days: dict[str, list[str]] = {}
    for record in results.records:
        days.setdefault(str(record.where.computer), []).append(record.where.day)
    lines = [
        f"* {name}: {len(of)} records, {min(of)}{f' to {max(of)}' if max(of) > min(of) else ''}"
        for name, of in days.items()
    ]
    return "## Where\n\n" + "\n".join(lines) + "\n"
