# SPDX-License-Identifier: BSD-3-Clause
"""Write docs/scale/README.md from what the modules of this package have measured: python -m benchmarks.scale."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks.pages import FOOTNOTE, mark, seconds, table
from benchmarks.scale.pictures import Records, draw_exact, draw_least_squares, draw_low_rank
from qpkernels.display import count

__all__ = ["main"]


class _Section(NamedTuple):
    """A table of the page: its files, heading, words, columns, how a record becomes lines of it, and its picture."""

    file: str
    heading: str
    words: str
    columns: tuple[str, ...]
    lines: Callable[[Mapping[str, Any]], Iterator[list[str]]]
    picture: tuple[str, Callable[[Records, Path], None]] | None = None
    """What it shows, and who draws it."""

    @property
    def picture_name(self) -> str:
        """The name of the picture's file."""
        return Path(self.file.replace("*", "")).with_suffix(".png").name


def _mark(record: Mapping[str, Any]) -> str:
    return mark((record.get("where") or record.get("setting") or {}).get("others"))


def _low_rank(record: Mapping[str, Any]) -> Iterator[list[str]]:
    yield [
        f"{record['solver']}{_mark(record)}",
        f"{record['samples']} x {record['rank']}",
        f"{record['C']:g}",
        f"{record['tol']:g}",
        seconds(record["seconds"]),
        f"{record['gap']:.0e}",
        f"{record['memory'] / 2**30:.2f} GiB",
    ]


def _tuning(record: Mapping[str, Any]) -> Iterator[list[str]]:
    yield [
        f"{record['data']}{_mark(record)}",
        f"{record['samples']} x {record['rank']}",
        f"{record['costs']} costs, {count(len(record['gammas']), 'width')}, {record['folds']} folds",
        seconds(record["seconds"]),
        f"{record['accuracy']:.4f}",
        "all" if record["proved"] else "not all",
    ]


def _bounds(record: Mapping[str, Any]) -> Iterator[list[str]]:
    yield [
        f"{record['problem']}{_mark(record)}",
        str(record["rank"]),
        f"{100 * record['product']:.3g} % ({seconds(record['product_seconds'])})",
        f"{100 * record['trace']:.3g} %",
        f"{100 * record['actual']:.3g} %",
        f"{100 * record['error']:.2f} / {100 * record['exact_error']:.2f} %",
        f"{seconds(median(record['refining']))} / {seconds(median(record['from_zero']))}",
    ]


def _least_squares(record: Mapping[str, Any]) -> Iterator[list[str]]:
    yield [
        f"{record['solver']}{_mark(record)}",
        f"{record['samples']} x {record['features']}",
        f"{record['ridge']:g}",
        f"{record['tol']:g}",
        seconds(median(record["seconds"])),
        record["status"],
        f"{record['relative_gap']:.0e}",
    ]


def _exact(record: Mapping[str, Any]) -> Iterator[list[str]]:
    yield [
        f"covertype, generated{_mark(record)}",
        str(record["samples"]),
        str(record["support"]),
        f"{record['status']}, {record['relative_gap']:.0e}",
        f"{record['seconds']:.0f} s ({record['processor']:.0f} s)",
        f"{record['accuracy']:.4f}",
        f"{record['peak'] / 1024:.2f} GiB",
    ]


def _cluster(record: Mapping[str, Any]) -> Iterator[list[str]]:
    question = record["question"]
    for who in ("serial", "workers"):
        run = record[who]
        name = "one process" if who == "serial" else f"{question['workers']} workers{', one killed' * run['killed']}"
        yield [
            f"{name}{_mark(record)}",
            f"{question['samples']} x {question['rank']}",
            seconds(run["making"]),
            seconds(run["solving"]),
            f"{run['peak'] / 1024:.2f} GiB",
            f"{record['primal_difference']:.0e}, {record['decision_difference']:.0e}",
        ]


_SECTIONS = (
    _Section(
        "low_rank.json",
        "Soft margins of low rank",
        "`python -m benchmarks.scale.low_rank` measures this. All solvers get the same features, and each answer "
        "comes from a process of its own. For LIBLINEAR, the gap is the distance of its objective from the bound "
        "that ours proved, and the tolerance is its own.",
        ("solver", "samples x rank", "C", "tol", "seconds", "gap", "memory"),
        _low_rank,
        ("Seconds of three solvers over the number of samples", draw_low_rank),
    ),
    _Section(
        "tuning.json",
        "The cost chosen by cross-validation",
        "`python -m benchmarks.scale.tuning --data FOLDER` measures the time from samples in memory to the machine "
        "at the best cost. TorchKM states 17.9 s on an L40S GPU and a test accuracy of 0.851 for a9a at rank 300, "
        "and 20 and 27 s for two other sets of up to 50,000 samples.",
        ("data", "samples x rank", "search", "seconds", "test accuracy", "proved"),
        _tuning,
    ),
    _Section(
        "bounds.json",
        "How far from the exact kernel",
        "`python -m benchmarks.scale.bounds --data FOLDER` measures how far an answer of low rank is from the "
        "optimum with the exact kernel. One pass over the kernel rows proves a bound, the diagonals alone prove "
        "another, and the column *in fact* has the distance itself. The last columns have the test errors of both "
        "machines, and the seconds to the exact machine from this answer on and from zero.",
        ("problem", "rank", "proved", "by diagonals", "in fact", "test error, exact", "refined / from zero"),
        _bounds,
    ),
    _Section(
        "exact.json",
        "Exact machines from a mapped file",
        "`python -m benchmarks.scale.exact --data FOLDER` measures this with samples generated from 20,000 rows of "
        "covertype. The seconds of all processors stand in brackets.",
        ("data", "samples", "support vectors", "proved", "seconds", "test accuracy", "memory"),
        _exact,
        ("Seconds of the exact machine over the number of samples", draw_exact),
    ),
    _Section(
        "least_squares*.json",
        "Least squares",
        "`python -m benchmarks.scale.least_squares` measures the kernel matrix, the solution and the certificate "
        "together.",
        ("solver", "samples x features", "ridge", "tol", "seconds", "status", "gap"),
        _least_squares,
        ("Seconds of three solvers over the ridge; an empty mark is no proof", draw_least_squares),
    ),
    _Section(
        "cluster.json",
        "Workers of Dask",
        "`python -m benchmarks.scale.cluster` runs all workers on one computer, so they cost what they exchange. The "
        "last column says how far apart the primal values and the decision values of both are.",
        ("who", "samples x rank", "making Z", "solving", "memory of who asks", "differences"),
        _cluster,
    ),
)


_FOOT = """## Measure it yourself

```
make scale DATA=FOLDER              # everything; hours, and 20 GiB of memory
python -m benchmarks.scale          # this page again, from the records beside it
```

FOLDER holds data of the LIBSVM page; each section names its own command.
"""


def _records(path: Path) -> list[Mapping[str, Any]]:
    """Return what a file holds, whether it is a list or an object with one."""
    read: Any = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(read, list):
        return read
    shared = {name: value for name, value in read.items() if not isinstance(value, list)}
    lists = [value for value in read.values() if isinstance(value, list)]
    return [{**shared, **each} for each in lists[0]] if lists else [read]


def write(folder: Path) -> None:
    """Write the page of what was measured, and its pictures."""
    parts, marked = ["# Past one kernel matrix\n"], False
    for section in _SECTIONS:
        records = [record for path in sorted(folder.glob(section.file)) for record in _records(path)]
        if not records:
            continue
        marked = marked or any(_mark(record) for record in records)
        rows = [line for record in records for line in section.lines(record)]
        picture = ""
        if section.picture is not None:
            words, draw = section.picture
            draw(records, folder / section.picture_name)
            picture = f"![{words}]({section.picture_name})\n\n"
        parts.append(f"## {section.heading}\n\n{picture}{section.words}\n\n{table(section.columns, rows)}")
    if marked:
        parts.append(FOOTNOTE)
    (folder / "README.md").write_text("\n".join([*parts, _FOOT]), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the page and its pictures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs/scale"))
    write(parser.parse_args(arguments).out)


if __name__ == "__main__":
    main()
