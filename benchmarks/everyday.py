# SPDX-License-Identifier: BSD-3-Clause
"""Everyday sizes: fit and predict of our estimators beside scikit-learn's, python -m benchmarks.everyday.

    python -m benchmarks.everyday --data FOLDER           # everything, some ten minutes
    python -m benchmarks.everyday --data FOLDER --go-on   # what an interrupted run has left
    python -m benchmarks.everyday --only iris wine        # these sets, the others stay as they are
    python -m benchmarks.everyday --page                  # page and picture from the record, without measuring

Both fit the same samples with the same parameters in this process, in turns, with the threads that users have; the
least seconds of the turns count. Ours end with the certificate. FOLDER may hold sets of the LIBSVM data page, packed by
xz, and usps.npz; what is there is taken, up to 20,000 samples. The record is docs/performance/everyday.jsonl, a line
for each set, written when it is measured; everyday.md and everyday.png are made from it.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, product
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter
from scipy.sparse import csr_array
from sklearn import svm
from sklearn.datasets import load_linnerud, make_friedman1
from sklearn.exceptions import ConvergenceWarning

from benchmarks.computer import Computer, Setting, Watch, this_computer
from benchmarks.pages import FOOTNOTE, fold, mark, seconds, table
from formulations import estimators
from formulations.plots.style import BLUE, GREEN, GREY, PURPLE, VERMILLION, style
from qpkernels.arrays import Samples
from qpkernels.files import load_dataset, scale_features
from qpkernels.files.datasets import BUNDLED_NAMES

__all__ = ["Measured", "Sampled", "cases", "load", "main", "measure", "page", "sampled", "save"]

FILE = "everyday.jsonl"
MACHINES = ("SVC", "NuSVC", "SVR", "LinearSVC", "OneClassSVM")
COSTS, WIDTHS = (0.01, 1.0, 100.0), ("scale", 1.0)
PREDICTED = {"many": 2000, "ten": 10, "one": 1}
"""How many samples are predicted at once, at most."""

MOST, LARGE, SMALL = 20_000, 5_000, 150
"""Samples of the largest sets, those above which a set has fewer settings, and those from which a page judges."""

_TURNS, _ENOUGH = 15, {"fit": 0.15, "predict": 0.015}
"""Turns at most, and seconds of each of the two after which there are no more."""

_REGRESSIONS = ("abalone_scale", "cpusmall", "housing_scale")
_UNEQUAL = 50.0
"""How many times as large as the smallest class the largest is."""


@dataclass(frozen=True, eq=False)
class Sampled:
    """Samples scaled to [-1, 1] with labels, or with real targets of mean 0 and standard deviation 1."""

    name: str
    X: Samples
    y: np.ndarray[Any, Any]

    @property
    def classes(self) -> int:
        """The number of classes; 0 of real targets."""
        return np.unique(self.y).size if self.y.dtype.kind == "i" else 0


@dataclass(frozen=True)
class Case:
    """A machine at its parameters, beside theirs.

    Attributes
    ----------
    machine, parameters
        Name of the estimator, and what it is given.
    fit, many, ten, one
        Seconds of theirs and of ours: of the fit, and of predictions of so many samples.
    proved
        Whether ours is.
    agree
        The share of many samples with equal predictions; without classes, with values within 0.05 standard deviations.
    """

    machine: str
    parameters: dict[str, Any]
    fit: tuple[float, float]
    many: tuple[float, float]
    ten: tuple[float, float]
    one: tuple[float, float]
    proved: bool
    agree: float

    def times(self, what: str) -> float:
        """Return how many times as fast as theirs ours is."""
        theirs, ours = getattr(self, what)
        return float(theirs / ours)

    @property
    def words(self) -> str:
        """The parameters."""
        return ", ".join(f"{name} = {value}" for name, value in self.parameters.items())


@dataclass(frozen=True)
class Measured:
    """A set and its cases."""

    name: str
    samples: int
    features: int
    classes: int
    where: Setting
    cases: list[Case]


def sampled(folder: Path | None) -> list[Sampled]:
    """Return all sets: of scikit-learn, of the folder, and generated ones; the smallest come first."""
    found = [*_bundled(), *_generated(), *([] if folder is None else _read(folder))]
    return sorted((each for each in found if each.X.shape[0] <= MOST), key=lambda each: each.X.shape[0])


def _bundled() -> Iterator[Sampled]:
    for name in BUNDLED_NAMES:
        data = load_dataset(name)
        yield _scaled(name, data.X, data.y, real=name == "diabetes")
    X, y = load_linnerud(return_X_y=True)
    yield _scaled("linnerud, weight", X, y[:, 0], real=True)


def _read(folder: Path) -> Iterator[Sampled]:
    for path in sorted(folder.glob("*.xz")):
        if path.suffixes[-2:] != [".tar", ".xz"]:
            name, data = path.stem, load_dataset(path)
            if data.X.shape[0] > MOST:
                continue
            dense = data.X.toarray() if isinstance(data.X, csr_array) else data.X
            yield _scaled(name, dense, data.y, real=name in _REGRESSIONS)
            if name == "mushrooms":
                yield _scaled(f"{name}, sparse", csr_array(dense), data.y)
    if (folder / "usps.npz").exists():
        with np.load(folder / "usps.npz") as file:
            yield _scaled("usps", file["X_train_milli"] / 1000.0, file["y_train"])


def _generated() -> Iterator[Sampled]:
    for seed, (m, k, d) in enumerate(
        ((150, 3, 4), (214, 6, 9), (500, 5, 10), (1000, 10, 10), (2000, 20, 16), (2500, 50, 20), (20_000, 7, 9))
    ):
        for words, ratio in (("equal", 1.0), ("unequal", _UNEQUAL)):
            yield _blobs(f"{k} {words} classes of {m}", seed, m, d, ratio ** -(np.arange(k) / (k - 1.0)))
    for seed, (m, d) in enumerate(((200, 13), (700, 20), (3000, 8))):
        yield _blobs(f"two classes of {m}", seed, m, d, np.ones(2))
    for m in (100, 300, 3000):
        X, y = make_friedman1(m, noise=1.0, random_state=0)
        yield _scaled(f"friedman, {m}", X, y, real=True)
    yield _words()


def _blobs(name: str, seed: int, m: int, d: int, shares: np.ndarray[Any, Any]) -> Sampled:
    """Return normal samples around a centre for each class, of which each has five samples at least."""
    rng, k = np.random.default_rng(seed), shares.size
    y = np.concatenate([np.repeat(np.arange(k), 5), rng.choice(k, m - 5 * k, p=shares / shares.sum())])
    rng.shuffle(y)
    return _scaled(name, rng.normal(size=(k, d))[y] + rng.normal(size=(m, d)), y)


def _words() -> Sampled:
    """Return counts of words that are as frequent as Zipf has it, of which some are more frequent in one class."""
    rng, m, d = np.random.default_rng(0), 2000, 5000
    y = rng.integers(0, 4, m)
    shares = 1.0 / np.arange(1, d + 1)
    rows = []
    for label in range(4):
        own = shares * np.where(np.arange(d) % 40 == label, 3.0, 1.0)
        rows.append(rng.multinomial(60, own / own.sum(), size=m))
    return _scaled("words, sparse", csr_array(np.choose(y[:, None], rows).astype(float)), y)


def _scaled(name: str, X: Samples, y: Any, *, real: bool = False) -> Sampled:
    X = scale_features(X)
    if isinstance(X, csr_array):
        # scikit-learn takes no others.
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    y = np.asarray(y)
    return Sampled(name, X, (y - y.mean()) / y.std() if real else np.unique(y, return_inverse=True)[1].astype(np.int64))


def cases(some: Sampled, *, whole: bool = False) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the machines and their parameters; a large set that is not asked for as a ``whole`` has one or two each."""
    few = some.X.shape[0] > LARGE and not whole
    costs, widths, shares = (COSTS[1:], WIDTHS[:1], (0.1,)) if few else (COSTS, WIDTHS, (0.1, 0.5))
    kernels = [{"C": C, "gamma": gamma} for C, gamma in product(costs, widths)]
    if some.classes:
        yield from (("SVC", each) for each in kernels)
        # A pair of classes takes no nu that is larger than twice the share of the smaller one.
        counts = np.bincount(some.y)
        most = min(2 * min(pair) / sum(pair) for pair in combinations(counts.tolist(), 2))
        yield from (("NuSVC", {"nu": float(f"{nu * most:.2g}"), "gamma": g}) for nu, g in product(shares, widths))
        yield from (("LinearSVC", {"C": C}) for C in (costs[:1] if few else costs))
    else:
        yield from (("SVR", each) for each in kernels)
    yield from (("OneClassSVM", {"nu": nu, "gamma": gamma}) for nu, gamma in product(shares, widths))


def measure(some: Sampled, computer: Computer, *, whole: bool = False) -> Measured:
    """Measure a set."""
    watch = Watch(computer)
    found = [_measure(some, *case) for case in cases(some, whole=whole)]
    m, d = some.X.shape
    return Measured(some.name, m, d, some.classes, watch.setting(), found)


def _measure(some: Sampled, machine: str, parameters: dict[str, Any]) -> Case:
    options = {"random_state": 0} if machine == "LinearSVC" else {}
    theirs = getattr(svm, machine)(**parameters, **options)
    ours = getattr(estimators, machine)(**parameters)
    y = None if machine == "OneClassSVM" else some.y
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        fit = _turns("fit", lambda: theirs.fit(some.X, y), lambda: ours.fit(some.X, y))
    new = {what: some.X[:count] for what, count in PREDICTED.items()}
    predict = {what: _turns("predict", lambda: theirs.predict(X), lambda: ours.predict(X)) for what, X in new.items()}  # noqa: B023
    # A sample on the boundary of a class counts for nothing; one machine of one class has many there.
    asked = "decision_function" if machine == "OneClassSVM" else "predict"
    one, other = (getattr(each, asked)(new["many"]) for each in (theirs, ours))
    equal = one == other if machine.endswith("SVC") else np.abs(one - other) <= 0.05 * np.std(one)
    proved = not any(issubclass(each.category, estimators.UncertifiedWarning) for each in caught)
    return Case(machine, parameters, fit, **predict, proved=proved, agree=round(float(np.mean(equal)), 4))


def _turns(what: str, theirs: Callable[[], object], ours: Callable[[], object]) -> tuple[float, float]:
    """Return the least seconds of both, which take turns: three at least unless they take long."""
    works, spent = (theirs, ours), ([], [])  # type: tuple[Callable[[], object], ...], tuple[list[float], list[float]]
    for turn in range(_TURNS):
        for work, times in zip(works, spent, strict=True):
            begun = perf_counter()
            work()
            times.append(perf_counter() - begun)
        least = min(map(sum, spent))
        if least > _ENOUGH[what] and (turn > 1 or least > 1.0):
            break
    first, second = (float(f"{min(times):.4g}") for times in spent)
    return first, second


def load(path: Path) -> list[Measured]:
    """Read the file; without one there is nothing yet. A line that a kill cut off is left out."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            continue
        where = entry["where"] | {"computer": Computer(**entry["where"]["computer"])}
        rows = [Case(**(row | {what: tuple(row[what]) for what in ("fit", *PREDICTED)})) for row in entry["cases"]]
        found.append(Measured(**(entry | {"where": Setting(**where), "cases": rows})))
    return found


def save(path: Path, found: Sequence[Measured]) -> None:
    """Write the file in place of the one that is there, the smallest sets first."""
    beside = path.with_suffix(".new")
    lines = (json.dumps(asdict(each)) + "\n" for each in sorted(found, key=lambda each: (each.samples, each.name)))
    beside.write_text("".join(lines), encoding="utf-8")
    beside.replace(path)


_Row = tuple[Measured, list[Case]]


def _rows(found: Sequence[Measured], machine: str) -> list[_Row]:
    pairs = ((each, [case for case in each.cases if case.machine == machine]) for each in found)
    return [pair for pair in pairs if pair[1]]


def _times(cases: Sequence[Case], what: str) -> list[float]:
    return [case.times(what) for case in cases]


def page(found: Sequence[Measured]) -> str:
    """Return the page of a record."""
    parts = [_PAGE, table(_SUMMARY, _summary(found)), _SCALE]
    for machine in MACHINES:
        if rows := _rows(found, machine):
            more = table(_MORE, (_line_of_more(*row) for row in rows))
            parts += [
                f"## {machine}\n",
                table(_HEADS, (_line(*row) for row in rows)),
                fold("Where ours do worst", more),
            ]
    days = sorted({each.where.day for each in found})
    parts.append(f"{' to '.join(dict.fromkeys((days[0], days[-1])))}: {found[-1].where.computer}.\n")
    if any(mark(each.where.others) for each in found):
        parts.append(FOOTNOTE)
    return "\n".join(parts)


def _summary(found: Sequence[Measured]) -> Iterator[list[str]]:
    """Yield a line for each machine, of all cases of 150 samples or more."""
    for machine in MACHINES:
        rows = _rows([each for each in found if each.samples >= SMALL], machine)
        every = [(case, each.name) for each, cases in rows for case in cases]
        if every:
            least, name = min(every, key=lambda pair: pair[0].times("fit"))
            fits = _times([case for case, _ in every], "fit")
            unproved = sum(not case.proved for case, _ in every)
            predictions = (_times([case for case, _ in every], what) for what in PREDICTED)
            yield [
                machine,
                f"{len(every)}{f', {unproved} not proved' if unproved else ''}",
                f"{sum(value < 1 for value in fits)}",
                f"{median(fits):.2f}",
                f"{least.times('fit'):.2f} ({name}, {least.words})",
                *(f"{median(values):.2f} ({min(values):.2f})" for values in predictions),
            ]


def _line(each: Measured, cases: Sequence[Case]) -> list[str]:
    fits, predictions = _times(cases, "fit"), (_times(cases, what) for what in PREDICTED)
    return [
        f"{each.name}{mark(each.where.others)}",
        str(each.samples),
        f"{median(fits):.2f}",
        f"{min(fits):.2f}",
        *(f"{median(values):.2f} ({min(values):.2f})" for values in predictions),
    ]


def _line_of_more(each: Measured, cases: Sequence[Case]) -> list[str]:
    worst = min(cases, key=lambda case: case.times("fit"))
    return [
        each.name,
        *map(str, (each.features, each.classes or "–")),
        f"{worst.words}{'' if all(case.proved for case in cases) else '; not all proved'}",
        *map(seconds, worst.fit),
        f"{100 * min(case.agree for case in cases):.0f} %",
    ]


_SUMMARY = ("", "cases", "slower", "fit, median", "fit, least", "predict many", "ten", "one")
_HEADS = ("set", "samples", "fit", "least", "predict many", "ten", "one")
_MORE = ("set", "features", "classes", "least at", "theirs", "ours", "equal")

_PAGE = """# Everyday sizes

This page times `fit` and `predict` of our estimators beside those of scikit-learn, on the sets that come with
scikit-learn, on sets of up to 20,000 samples of the LIBSVM data page, and on generated ones. Numbers say **how many
times as fast as scikit-learn** ours are, with the certificate; below 1 ours are slower.

![For each machine the sets by their samples, and how many times as fast ours fit and predict](everyday.png)

Each mark is a set, at the median of its settings, and its line runs from the least to the greatest of them. The table
covers all cases of at least 150 samples; the least is in brackets.
"""

_SCALE = """`make everyday DATA=folder` writes this page; every case is in [everyday.jsonl](everyday.jsonl). Features
are scaled to [-1, 1], and real targets to standard deviation 1. The costs are 0.01, 1 and 100, gamma is `scale` or 1,
and nu is a tenth or a half of the largest that the classes allow. Sets of more than 5,000 samples have the costs 1 and
100 (`LinearSVC`: 1), gamma `scale` and the smaller nu. The sizes of unequal classes differ by up to 50 times. Both
libraries fit with their defaults in one process, in turns, with the threads that they choose themselves; the least of
up to 15 turns counts. "many" means all samples, at most 2,000. "least" is the setting in which ours do worst, with the
seconds of both. "equal" is the least share of equal predictions; real targets count as equal within 0.05 standard
deviations. The tolerances are 1e-3 by default (`LinearSVC`: 1e-4), but they differ in meaning: theirs stops on the
optimality conditions, while ours bounds the relative gap and is proved.
"""

_COLOURS = {0: (PURPLE, "D", "real targets"), 2: (BLUE, "o", "two classes"), 3: (VERMILLION, "s", "several classes")}


def _draw(found: Sequence[Measured], path: Path) -> None:
    """Draw a panel for the fits of each machine, and one for predictions of one sample."""
    with style():
        figure = Figure(figsize=(9.4, 6.2), layout="constrained")
        panels = [(f"{machine}().fit", [machine], "fit") for machine in MACHINES]
        panels.append(("predict, one sample", list(MACHINES), "one"))
        for axes, (title, machines, what) in zip(figure.subplots(2, 3).flat, panels, strict=True):
            for each, cases in (row for machine in machines for row in _rows(found, machine)):
                values, (colour, marker, _) = _times(cases, what), _COLOURS[min(each.classes, 3)]
                axes.plot([each.samples] * 2, [min(values), max(values)], color=colour, lw=0.8, alpha=0.5)
                axes.plot(each.samples, median(values), color=colour, marker=marker, ms=4, linestyle="none")
            axes.axhline(1.0, color=GREEN, lw=1.4, zorder=0)
            axes.set(title=title, xscale="log", yscale="log", xlim=(15, 25_000))
            axes.grid(axis="y", color=GREY, alpha=0.25, lw=0.6)
            axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_formatter(lambda value, _: f"{value:g}")
                axis.set_minor_formatter(NullFormatter())
        figure.supxlabel("samples", fontsize=10)
        figure.supylabel("times as fast as scikit-learn", fontsize=10)
        handles = [
            Line2D([], [], color=colour, marker=marker, linestyle="none", label=label)
            for colour, marker, label in _COLOURS.values()
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=3)
        figure.savefig(path)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.everyday", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="folder with further sets")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="names of sets; the others stay as they are")
    parser.add_argument("--go-on", action="store_true", help="measure what the record lacks")
    parser.add_argument("--page", action="store_true", help="measure nothing, write page and picture again")
    parser.add_argument("--whole", action="store_true", help="every setting of large sets too: an hour more")
    parser.add_argument("--out", type=Path, default=Path("docs/performance"), help="folder of record and page")
    asked = parser.parse_args(arguments)
    every, computer = [] if asked.page else sampled(asked.data), this_computer()
    if unknown := [name for name in asked.only or () if name not in {each.name for each in every}]:
        parser.error(f"there is no set {', '.join(unknown)}; choose from {', '.join(each.name for each in every)}.")
    asked.out.mkdir(parents=True, exist_ok=True)
    record = asked.out / FILE
    found = {each.name: each for each in load(record)} if asked.only or asked.go_on or asked.page else {}
    for each in every:
        if each.name in (asked.only or [each.name]) and not (asked.go_on and each.name in found):
            found[each.name] = measure(each, computer, whole=asked.whole)
            ratios = _times(found[each.name].cases, "fit")
            print(f"{each.name}: fit {median(ratios):.2f} times as fast, at least {min(ratios):.2f}", flush=True)
            save(record, list(found.values()))
    written = load(record)
    (asked.out / "everyday.md").write_text(page(written), encoding="utf-8")
    _draw(written, asked.out / "everyday.png")


if __name__ == "__main__":
    main()
