# SPDX-License-Identifier: BSD-3-Clause
"""Measure how wide intervals in exact arithmetic are, and what they cost, and write a page and its records.

``python -m benchmarks.trust.enclosures --out docs/trust``
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.computer import Setting, Watch, this_computer
from formulations import HardMargin, LinearProgramMachine, Logistic, NuMargin, NuTube, OneClass, SoftMargin, SoftTube
from qpkernels.arrays.intervals import UNIT
from qpkernels.files import load_dataset, scale_features
from qpkernels.kernels import RBF, Kernel, Linear

__all__ = ["Measured", "main", "measure", "page"]

FILE = "enclosures"

_LONG = 0.5
"""Seconds after which a measurement is not repeated."""

_OFTEN = 30
"""Repetitions of a short one."""

_HEAD = """# Intervals in exact arithmetic

Written by `python -m benchmarks.trust.enclosures`; all digits are in [enclosures.json](enclosures.json). Each model is
solved, and its answer is then judged by models stated anew, which hold no kernel matrix: by the certificate
(`certify`), and by an interval that holds the optimum however float64 rounds (`enclose`). A model that still holds its
matrix certifies with a product, in less time than is shown here; an interval makes the entries anew.

* **gap**: P - D of the certificate. **width**: upper less lower end of the interval.
* **more**: width less |gap|, in units of rounding of the sum of absolute terms: 2^-53 times sum_i |l_i| (|y_i| + |b| +
  sum_j |K_ij| |beta_j|), where l are the multipliers: beta, except in the linear program.
* **certify**, **enclose**: seconds of processor time on all cores, the least of some repetitions with BLAS in one
  thread; **ratio**: the second over the first.
"""


@dataclass(frozen=True)
class Measured:
    """One row of the table."""

    model: str
    data: str
    samples: int
    kernel: str
    gap: float
    lower: float
    upper: float
    more: float
    certify: float
    enclose: float

    @property
    def ratio(self) -> float:
        """What the interval costs, in certificates."""
        return self.enclose / self.certify


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, measure, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trust.enclosures", description=__doc__)
    parser.add_argument("--largest", type=int, default=5000, help="samples of the largest problem")
    parser.add_argument("--out", type=Path, default=Path("docs/trust"), help="folder of page and records")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    watch, rows = Watch(this_computer()), []
    for data, state in _cases(options.largest):
        rows.append(measure(data, state))
        print(_row(rows[-1]), flush=True)
    setting = watch.setting()
    record = {"setting": asdict(setting), "models": [asdict(row) for row in rows]}
    (options.out / f"{FILE}.json").write_text(json.dumps(record, indent=1) + "\n")
    (options.out / f"{FILE}.md").write_text(page(rows, setting))


def measure(data: str, state: Callable[[], Any]) -> Measured:
    """Solve, judge in both ways, and measure both."""
    model = state()
    solution = model.solve()
    certificate, enclosure = model.certify(solution), model.enclose(solution)
    gap = certificate.primal_value - certificate.dual_value
    certify, enclose = _seconds(state, lambda each: each.certify(solution), lambda each: each.enclose(solution))
    return Measured(
        model=type(model).__name__,
        data=data,
        samples=len(model),
        kernel=type(model.gram.kernel).__name__,
        gap=gap,
        lower=enclosure.lower,
        upper=enclosure.upper,
        more=(enclosure.width - abs(gap)) / (UNIT * _absolute_terms(model, solution)),
        certify=certify,
        enclose=enclose,
    )


def _absolute_terms(model: Any, solution: Any) -> float:
    beta = np.abs(solution.beta)
    duals = beta if solution.multipliers is None else np.abs(solution.multipliers)
    (rows,), (columns,) = np.nonzero(duals), np.nonzero(beta)
    X, targets = model.gram.X, np.abs(getattr(model, "y", np.zeros(len(model))))
    values = np.abs(model.gram.kernel.matrix(X[rows], X[columns])) @ beta[columns]
    return float(duals[rows] @ (targets[rows] + abs(solution.intercept) + values))


def _seconds(state: Callable[[], Any], *works: Callable[[Any], object]) -> list[float]:
    """Return the least processor time of each, taking turns."""
    least = [np.inf] * len(works)
    with threadpool_limits(limits=1, user_api="blas"):
        begin = process_time()
        for turn in range(_OFTEN):
            for number, work in enumerate(works):
                model = state()
                start = process_time()
                work(model)
                least[number] = min(least[number], process_time() - start)
            if turn > 1 and process_time() - begin > _LONG * len(works):
                break
    return least


def page(rows: Sequence[Measured], setting: Setting) -> str:
    """Return it."""
    names = ("model", "data", "m", "kernel", "gap", "width", "more", "certify", "enclose", "ratio")
    others = "" if setting.others is None else f" Other programs kept {setting.others:.2f} processors busy."
    worst = max(rows, key=lambda row: row.ratio)
    return "\n".join(
        [
            _HEAD,
            f"{setting.computer}, {setting.day}.{others} The largest ratio is {worst.ratio:.2f}.\n",
            _line(*names),
            _line(*["---"] * len(names)),
            *map(_row, rows),
            "",
        ]
    )


def _row(row: Measured) -> str:
    width = row.upper - row.lower
    seconds = f"{row.certify:.2g}", f"{row.enclose:.2g}", f"{row.ratio:.2f}"
    numbers = f"{row.gap:.1e}", f"{width:.1e}", f"{row.more:.1f}", *seconds
    return _line(row.model, row.data, str(row.samples), row.kernel, *numbers)


def _line(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def _cases(largest: int) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield data and what states a model on them."""
    cancer, diabetes = load_dataset("breast-cancer"), load_dataset("diabetes")
    X, y = scale_features(cancer.X), cancer.y
    rbf: Kernel = RBF.from_data(X)
    narrow = RBF(gamma=0.5)
    if len(X) <= largest:
        yield "breast-cancer", lambda: SoftMargin(X, y, rbf)
        yield "breast-cancer", lambda: SoftMargin(X, y)
        yield "breast-cancer", lambda: HardMargin(X, y, narrow)
        yield "breast-cancer", lambda: NuMargin(X, y, rbf, nu=0.1)
        yield "breast-cancer", lambda: LinearProgramMachine(X, y, rbf)
        yield "breast-cancer", lambda: Logistic(X, y, rbf)
        yield "breast-cancer", lambda: OneClass(X, rbf, nu=0.1)
    Z, t = scale_features(diabetes.X), diabetes.y
    if len(Z) <= largest:
        wide: Kernel = RBF.from_data(Z)
        yield "diabetes", lambda: SoftTube(Z, t, wide, C=100.0, epsilon=20.0)
        yield "diabetes", lambda: NuTube(Z, t, wide, C=100.0, nu=0.5)
    for size in (2000, 5000):
        if size <= largest:
            yield from _synthetic(size)


def _synthetic(size: int) -> Iterator[tuple[str, Callable[[], Any]]]:
    rng = np.random.default_rng(0)
    X, noise = rng.normal(size=(size, 10)), rng.normal(size=size)
    y, t = np.where(X[:, 0] + 0.5 * noise > 0, 1.0, -1.0), np.sin(X[:, 0]) + X[:, 1] + 0.1 * noise
    kernel = RBF(gamma=0.1)
    yield "normal", lambda: SoftMargin(X, y, kernel)
    yield "normal", lambda: SoftMargin(X, y, Linear())
    yield "normal", lambda: SoftTube(X, t, kernel)
    yield "normal", lambda: OneClass(X, kernel, nu=0.1)


if __name__ == "__main__":
    main()
