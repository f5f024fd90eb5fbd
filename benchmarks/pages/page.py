# SPDX-License-Identifier: BSD-3-Clause
"""All sections, with what is said before and after them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.pages.many import changing, searching, training
from benchmarks.pages.single import (
    auditing,
    comparison,
    estimators,
    growth,
    memory,
    overhead,
    prediction,
    proving,
    start,
)
from benchmarks.records import (
    Auditing,
    Changes,
    Comparison,
    Estimator,
    Growth,
    Memory,
    Overhead,
    Prediction,
    Proving,
    Record,
    Results,
    Search,
    Start,
    Training,
)

__all__ = ["page"]

_HEAD = """# Performance of smo

Seconds of each solver from the samples to its answer, beside the least that any solver needs: the time to make once the
rows of the kernel matrix that an answer's proof needs. [The sizes that people have](everyday.md) are timed beside
scikit-learn on a page of their own.
"""

_METHOD = """## How it is measured

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

_FOOT = """
## Measure it yourself

```
python -m benchmarks --data FOLDER --measure all                      # everything; an hour or more
python -m benchmarks --data FOLDER --only usps cpusmall --tol 1e-3    # some; the other records stay as they are
python -m benchmarks --data FOLDER --measure training --only "20 C, a9a"
python -m benchmarks.report FOLDER                                    # this page again, from its results.json
```

`--intelex PYTHON` names a Python that has scikit-learn-intelex; `--skip-libsvm` leaves LIBSVM out. Records are
written after each problem. A record takes the place of an older one of the same problem and tolerance, whole: the times
in a line were measured in one go.
"""


_SECTIONS: dict[type[Record], Callable[[Any], str]] = {
    Training: training,
    Search: searching,
    Changes: changing,
    Proving: proving,
    Auditing: auditing,
    Overhead: overhead,
    Estimator: estimators,
    Growth: growth,
    Memory: memory,
    Prediction: prediction,
    Start: start,
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
