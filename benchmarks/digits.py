# SPDX-License-Identifier: BSD-3-Clause
"""Handwritten digits by perceptrons and support vector machines, under every protocol: python -m benchmarks.digits.

    python -m benchmarks.digits --data FOLDER    # which holds usps.npz, or zip.train.gz and zip.test.gz

A published test error says little without its protocol: how pixels are scaled, which kernel, in which order and how
often a perceptron sees the images, which cost, and how ten classes are made of machines of two. All of these are tried
here on USPS, whose split is fixed. One protocol is stated beforehand and makes the table; the others show how far such
choices move an error. About an hour. The record is docs/performance/digits.json, and docs/performance/digits.md
is written from it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, product
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from scipy.ndimage import gaussian_filter

from benchmarks.computer import Computer, Setting, Watch, this_computer
from benchmarks.pages import FOOTNOTE, mark, table
from formulations import OneVersusOne, OneVersusRest, Perceptron
from formulations.modelling.prediction.decisions import Votes
from qpkernels import RBF, Gram, Kernel, Polynomial
from qpkernels.arrays import Indices, Matrix

__all__ = ["MACHINE", "PERCEPTRON", "PUBLISHED", "Images", "Protocol", "Record", "Run", "main", "measure", "page"]

PERCEPTRON, MACHINE = "perceptron", "support vector machine"
PUBLISHED = {PERCEPTRON: 5.9, MACHINE: 4.0}
"""Test errors in per cent; nothing but the split is printed beside them."""


def _smooth(X: Matrix) -> Matrix:
    side = round(X.shape[1] ** 0.5)
    return np.asarray(gaussian_filter(X.reshape(-1, side, side), (0.0, 0.75, 0.75), mode="nearest").reshape(X.shape))


SCALINGS: dict[str, Callable[[Matrix], Matrix]] = {
    "-1 to 1": lambda X: X,
    "0 to 1": lambda X: (X + 1.0) / 2.0,
    "length 1": lambda X: X / np.linalg.norm(X, axis=1, keepdims=True),
    "smoothed": _smooth,
}
"""Of the pixels. Smoothed: by a Gaussian of 0.75 pixels, from -1 to 1."""


def _polynomial(degree: int, coef0: float) -> Callable[[Matrix], Kernel]:
    return lambda X: Polynomial(degree=degree, gamma=1.0 / float(np.mean(X**2) * X.shape[1]), coef0=coef0)


def _gaussian(width: float) -> Callable[[Matrix], Kernel]:
    return lambda X: RBF(width / float(X.var() * X.shape[1]))


DEGREES = ("p + 1", "(p + 1)^2", "(p + 1)^3")
POLYNOMIALS = {
    **{name: _polynomial(degree, 1.0) for degree, name in enumerate((*DEGREES, "(p + 1)^4", "(p + 1)^5"), start=1)},
    **{f"p^{degree}": _polynomial(degree, 0.0) for degree in range(2, 6)},
}
GAUSSIANS = {f"exp(-{width:g} q)": _gaussian(width) for width in (0.5, 1.0, 2.0)}
KERNELS = POLYNOMIALS | GAUSSIANS
"""p = <x, z> divided by the mean of |x_i|^2; q = |x - z|^2 divided by the number of pixels times their variance."""

REST, ONE = "one against the rest", "one against one"
ORDERS = {"as distributed": None, "shuffled, seed 0": 0, "shuffled, seed 1": 1}
EPOCHS, COSTS = (1, 10, 100), (1.0, 10.0, 100.0)


@dataclass(frozen=True)
class Protocol:
    """All that decides a test error besides the split: of a perceptron order and epochs, of a machine the cost C."""

    machine: str
    scaling: str
    kernel: str
    rule: str
    order: str | None = None
    epochs: int | None = None
    C: float | None = None


@dataclass(frozen=True)
class Run:
    """An error in per cent, seconds of training, and whether all machines of two classes came to their own end."""

    protocol: Protocol
    error: float
    seconds: float
    ended: bool


@dataclass(frozen=True)
class Images:
    """Images with their digits, for training and for testing."""

    X: Matrix
    y: Indices
    X_test: Matrix
    y_test: Indices

    def held_out(self, seed: int = 0) -> Images:
        """Return the images for training, a third of which, drawn at random, takes the place of those for testing."""
        fit, held = np.split(np.random.default_rng(seed).permutation(len(self.y)), [2 * len(self.y) // 3])
        return Images(self.X[fit], self.y[fit], self.X[held], self.y[held])


def protocols() -> list[Protocol]:
    """Return every protocol that is run on the test images."""
    perceptrons = product(SCALINGS, POLYNOMIALS, (REST, ONE), ORDERS, EPOCHS)
    machines = product(SCALINGS, KERNELS, (REST, ONE), COSTS)
    return [Protocol(PERCEPTRON, *choices) for choices in perceptrons] + [
        Protocol(MACHINE, scaling, kernel, rule, C=C) for scaling, kernel, rule, C in machines
    ]


def stated() -> list[Protocol]:
    """Return the perceptrons of the table, for which nothing is sought: kernels of degree 1, 2 and 3."""
    return [Protocol(PERCEPTRON, "-1 to 1", kernel, REST, "as distributed", 100) for kernel in DEGREES]


def candidates() -> list[Protocol]:
    """Return the machines of the table, among which the images held out choose."""
    return [each for each in protocols() if each.machine == MACHINE and each.scaling == "-1 to 1"]


def measure(wanted: Sequence[Protocol], images: Images) -> Iterator[Run]:
    """Yield a run of each protocol; neighbours of one scaling and kernel share a kernel matrix, which is not timed."""
    bound: tuple[str, str] | None = None
    for protocol in wanted:
        if bound != (protocol.scaling, protocol.kernel):
            bound = protocol.scaling, protocol.kernel
            X, X_test = (SCALINGS[protocol.scaling](part) for part in (images.X, images.X_test))
            gram = Gram(KERNELS[protocol.kernel](X), X)
            gram.dense  # noqa: B018  made before the first of them is timed
        begin = perf_counter()
        predict, ended = (_perceptrons if protocol.machine == PERCEPTRON else _machines)(protocol, gram, images.y)
        seconds = perf_counter() - begin
        error = 100.0 * float(np.mean(predict(X_test) != images.y_test))
        yield Run(protocol, round(error, 3), round(seconds, 2), ended)


_Trained = tuple[Callable[[Matrix], Any], bool]
"""What predicts digits, and whether the training came to its own end."""


def _machines(protocol: Protocol, gram: Gram, y: Indices) -> _Trained:
    scheme = {REST: OneVersusRest, ONE: OneVersusOne}[protocol.rule]
    solution = scheme(gram, y, C=protocol.C).solve("smo", tol=1e-3, progress=False)
    return solution.predict, solution.status == "optimal"


def _perceptrons(protocol: Protocol, gram: Gram, y: Indices) -> _Trained:
    assert protocol.order is not None
    assert protocol.epochs is not None
    digits, seed = np.unique(y), ORDERS[protocol.order]
    of_two = combinations(range(len(digits)), 2)
    pairs = tuple((-1, digit) for digit in range(len(digits))) if protocol.rule == REST else tuple(of_two)
    runs = []
    for other, digit in pairs:
        rows = np.flatnonzero((y == digits[digit]) | (other < 0) | (y == digits[other]))
        part = gram if len(rows) == len(y) else gram.part(rows)
        runs.append(Perceptron(part, y[rows] == digits[digit], seed=seed).solve(max_epochs=protocol.epochs))
    decide = Votes(digits, pairs).predict
    return (
        lambda X: decide(np.column_stack([run.function(X) for run in runs])),
        all(run.separated for run in runs),
    )


@dataclass(frozen=True)
class Record:
    """Where it was measured, the runs with their errors on the images held out, and those on the test images."""

    where: Setting
    held: tuple[Run, ...]
    tests: tuple[Run, ...]

    def write(self, file: Path) -> None:
        """Write JSON, a run in each line."""
        held, tests = (",\n".join(json.dumps(asdict(run)) for run in runs) for runs in (self.held, self.tests))
        where = json.dumps(asdict(self.where))
        text = f'{{"where": {where},\n"held": [\n{held}\n],\n"tests": [\n{tests}\n]}}\n'
        file.write_text(text, encoding="utf-8")

    @classmethod
    def read(cls, file: Path) -> Record:
        """Return what was written."""
        read = json.loads(file.read_text(encoding="utf-8"))
        where = read["where"] | {"computer": Computer(**read["where"]["computer"])}
        held, tests = (
            tuple(Run(**(run | {"protocol": Protocol(**run["protocol"])})) for run in read[name])
            for name in ("held", "tests")
        )
        return cls(Setting(**where), held, tests)

    def table(self) -> list[Run]:
        """Return the runs of the table: perceptrons as stated, and machines as the images held out choose them."""
        tests = {run.protocol: run for run in self.tests}
        chosen = [
            min((run for run in self.held if run.protocol.rule == rule and run.protocol.kernel in kernels), key=_error)
            for kernels, rule in product((POLYNOMIALS, GAUSSIANS), (REST, ONE))
        ]
        return [tests[protocol] for protocol in (*stated(), *(run.protocol for run in chosen))]


def _error(run: Run) -> float:
    return run.error


def page(record: Record) -> str:
    """Return the page of a record."""
    return _PAGE.format(
        table=table(
            ("", "kernel", "ten classes by", "C", "test error", "seconds"),
            (
                (
                    run.protocol.machine,
                    f"`{run.protocol.kernel}`",
                    run.protocol.rule,
                    "–" if run.protocol.C is None else f"{run.protocol.C:g}",
                    f"{run.error:.2f} %",
                    f"{run.seconds:.1f}",
                )
                for run in record.table()
            ),
        ),
        spread=table(
            ("", "kernel", "protocols", "lowest", "median", "highest", "at or below the published error"),
            _spread(record),
        ),
        where=f"{record.where.computer}, on {record.where.day}{mark(record.where.others)}",
        footnote=f"\n{FOOTNOTE}" if mark(record.where.others) else "",
    )


def _spread(record: Record) -> Iterator[tuple[str, ...]]:
    """Yield a line for each machine and kernel, and for each machine with all kernels."""
    for machine, published in PUBLISHED.items():
        for kernels in (*([name] for name in KERNELS), list(KERNELS)):
            found = [
                run.error for run in record.tests if run.protocol.machine == machine and run.protocol.kernel in kernels
            ]
            if found:
                what = f"`{kernels[0]}`" if len(kernels) == 1 else "all"
                errors = (f"{value:.2f} %" for value in (min(found), median(found), max(found)))
                below = sum(error <= published for error in found)
                yield machine, what, f"{len(found)}", *errors, f"{below}"


_PAGE = """# Handwritten digits: what a test error leaves open

A chapter of a textbook prints three test errors on USPS, 7291 images of 16 x 16 pixels for training and 2007 for
testing: 2.7 % of human readers, 5.9 % of the perceptron and 4.0 % of the support vector machine. It does not print the
scaling of the pixels, the kernel with its parameters, the cost, the order and the number of passes of the perceptron,
or how ten classes are made of machines of two. This page states one protocol, and measures how far these choices move
the errors. `make digits DATA=folder` writes it, from a folder with `usps.npz`, or with the files `zip.train.gz` and
`zip.test.gz` of "The Elements of Statistical Learning". All runs are in [digits.json](digits.json).

## The protocol

* Split and pixels, between -1 and 1, are as distributed. No choice looks at the test images.
* Kernels of perceptrons are $(p + 1)^d$ of degree 1, 2 and 3, with $p = \\langle x, z\\rangle / s$ and $s$ the mean of
  $\\|x_i\\|^2$; those of machines go up to degree 5, without the 1 as well, and the Gaussian $e^{{-w q}}$ is another,
  where $w$ is 0.5, 1 or 2 and $q$ is $\\|x - z\\|^2$ divided by the number of pixels times their variance.
* [Perceptrons](../models/perceptron.md): a single-sample rule from 0 with rate 1, images in the order as distributed,
  until a pass makes no mistake, but for 100 passes at most; each digit against the rest.
* [Support vector machines](../models/soft-margin.md) with a cost $C$ of 1, 10 or 100, each proved optimal to a
  relative gap of 1e-3, by both rules for [ten classes](../models/multiclass.md). Kernel and cost are those with the
  fewest errors on a third of the training images, drawn at random with seed 0 and held out; then all training images
  are used.

{table}
Seconds are those of training, without the kernel matrix.

## Other protocols

Pixels are taken from -1 to 1, from 0 to 1, with each image at length 1, or smoothed by a Gaussian of 0.75 pixels;
perceptrons see the images as distributed or in two random orders, and pass 1, 10 or at most 100 times; ten classes are
made by either rule; kernels and costs are all of those above, for perceptrons without the Gaussian. That gives the test
errors

{spread}
All of these protocols fit the little that is printed, so that the printed errors can be neither confirmed nor refuted
without more. Degrees 4 and 5 were added when no machine with the other kernels had reached 4.0 %, and reach it with
smoothed pixels only. The lowest errors are no recommendation: they were sought on the test images, and other images
would choose other protocols.

Measured on {where}.
{footnote}"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.digits", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with usps.npz or zip.train.gz and zip.test.gz")
    parser.add_argument("--out", type=Path, default=Path("docs/performance"))
    asked = parser.parse_args(arguments)
    images, watch = _read(asked.data), Watch(this_computer())
    held = tuple(_shown(measure(candidates(), images.held_out())))
    tests = tuple(_shown(measure(protocols(), images)))
    record = Record(watch.setting(), held, tests)
    asked.out.mkdir(parents=True, exist_ok=True)
    record.write(asked.out / "digits.json")
    (asked.out / "digits.md").write_text(page(record), encoding="utf-8")


def _shown(runs: Iterator[Run]) -> Iterator[Run]:
    for run in runs:
        print(run, flush=True)
        yield run


def _read(folder: Path) -> Images:
    """Return the images of usps.npz, in thousandths, or of the two files of "The Elements of Statistical Learning"."""
    if (folder / "usps.npz").is_file():
        with np.load(folder / "usps.npz") as file:
            X, X_test = file["X_train_milli"] / 1000.0, file["X_test_milli"] / 1000.0
            return Images(X, file["y_train"].astype(int), X_test, file["y_test"].astype(int))
    (y, X), (y_test, X_test) = (
        (rows[:, 0].astype(int), rows[:, 1:])
        for rows in (np.loadtxt(folder / f"zip.{part}.gz") for part in ("train", "test"))
    )
    return Images(X, y, X_test, y_test)


if __name__ == "__main__":
    main()
