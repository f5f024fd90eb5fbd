# SPDX-License-Identifier: BSD-3-Clause
"""Measure two ways to the same, the slow one and the fast one: python -m benchmarks.tips. About a minute.

The code is that of docs/use/performance.md. Each turn runs both ways of a pair, one after the other, in one thread.
Seconds are those that a processor worked; what is kept is the median over the turns, the first of which may compile.
What the two return is compared. The record is docs/performance/tips.md, which the page includes.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from benchmarks.computer import Setting, Watch, this_computer
from benchmarks.pages import FOOTNOTE, mark, seconds, table
from benchmarks.tips.pairs import PAIRS, Pair
from qpkernels.arrays.threads import in_this_thread, without_blas_threads

__all__ = ["main"]


@dataclass(frozen=True)
class _Measured:
    """A pair, and the typical seconds of both of its ways."""

    pair: Pair
    slow: float
    fast: float

    @property
    def times(self) -> str:
        """How many times as fast the fast way is."""
        return f"{self.slow / self.fast:.2g}" if self.slow < 10 * self.fast else f"{self.slow / self.fast:.0f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tips", description=__doc__)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--samples", type=int, default=10**6, help="at most so many for each pair")
    parser.add_argument("--out", type=Path, default=Path("docs/performance"))
    asked = parser.parse_args(arguments)
    watch = Watch(this_computer())
    with in_this_thread(), without_blas_threads(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = []
        for pair in PAIRS:
            found.append(_measured(pair, min(pair.size, asked.samples), asked.turns))
            print(f"{pair.name}: {found[-1].slow:.4f} s, {found[-1].fast:.4f} s", flush=True)
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / "tips.md").write_text("\n".join(_page(found, asked.turns, watch.setting())), encoding="utf-8")


def _measured(pair: Pair, size: int, turns: int) -> _Measured:
    arguments = pair.data(size)
    spent: tuple[list[float], list[float]] = ([], [])
    for _ in range(turns):
        answers = []
        for way, worked in zip((pair.slow, pair.fast), spent, strict=True):
            begun = process_time()
            answers.append(way(*arguments))
            worked.append(process_time() - begun)
        pair.check(*answers)
    return _Measured(pair, *(median(worked) for worked in spent))


def _page(found: Sequence[_Measured], turns: int, where: Setting) -> Iterator[str]:
    """Yield the record: a table of all pairs, and a line for each, which the page has beside the code."""
    yield """# The gain of each tip

Written by `make tips`, which measures the code of [the page on performance](../use/performance.md).

<!-- where -->
"""
    yield f"""Seconds that one processor worked, of {where.computer.processor},
on {where.day}{mark(where.others)}; Python {where.computer.python}, NumPy {where.computer.numpy}, qpkernels \
{where.computer.qpkernels}. Each number is the median of {turns} turns.

<!-- end of where -->

<!-- table -->
"""
    yield table(("tip", "before", "after", "times as fast"), (_row(each) for each in found))
    if mark(where.others):
        yield FOOTNOTE
    yield "<!-- end of table -->\n\n## One by one\n"
    for each in found:
        name = each.pair.name
        yield f"<!-- {name} -->\n"
        yield f"Measured: {seconds(each.slow)} and {seconds(each.fast)}, {each.times} times as fast.\n"
        yield f"<!-- end of {name} -->\n"


def _row(each: _Measured) -> list[str]:
    slow, fast = _in_words(each.pair.slow), _in_words(each.pair.fast)
    return [f"{slow} → {fast.lower()}", seconds(each.slow), seconds(each.fast), each.times]


def _in_words(way: Callable[..., Any]) -> str:
    return way.__name__.replace("_", " ").capitalize()


if __name__ == "__main__":
    main()
