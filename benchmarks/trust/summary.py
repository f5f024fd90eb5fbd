# SPDX-License-Identifier: BSD-3-Clause
"""Write the page of trust from its parts, without measuring: ``python -m benchmarks.trust.summary``."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

__all__ = ["write_summary"]

_HEAD = """# What `optimal` means, and what could still be wrong

An answer is `optimal` here if two numbers prove it, computed in float64 from your data and the answer alone: P, the
value of the problem at a point that satisfies its constraints, and D, the value of its dual at a point that satisfies
those; so the optimum lies between D and P, by weak duality. `optimal` at `tol` means that (P - D, and a bound of the
rounding errors of both) is at most `tol` times max(|P|, |D|), that the answer had to be moved by no more than `tol`
of its size to be feasible, and that no single sample or row adds more than `tol` to the gap. Every row is judged in
its own terms, and nothing is small by decree: a gap that is not small against the values proves nothing, and an
optimum of 0 is proved only where every term of both values is within the rounding of the sums that made it. The word
of a solver does not enter.

What could still be wrong:

* **The question.** What is proved is the optimum of the problem in the data as they are in float64. Whether it is the
  problem you meant, no certificate knows.
* **The kernel.** The ordinary certificate counts the rounding of its sums, given the entries of K as they are
  computed. What rounding did to the entries themselves is counted by `model.enclose(answer)`, whose interval holds in
  exact arithmetic; on samples far from the origin, with a polynomial kernel, it can be much wider than the gap. That
  a kernel is positive semidefinite is believed of classes that say so, after a check of 32 samples, and checked of
  all others, to 1e-10 of the largest K_ii; above the limit of memory that check is by products, and finds what it
  finds.
* **Extended forms.** Their certificate is that of a cone program: residuals are shares of the terms of each row and
  column. Bounds of variables, and strong convexity, count the slopes that are left over in the values; what no value
  counts, a violated row or a slope along a variable without a bound, must be within 1e-9 at any `tol`. So the values
  bound the optimum of a program whose coefficients differ by that share. Where the terms of a row all but cancel,
  even such a program can have another optimum: on the LISWET problems, whose rows are differences of high order,
  points that are off by 1e-6 of those terms have objectives that are off by a third. `enclose_cone_program` proves an
  interval for the coefficients as they are, or says that it cannot.
* **Infeasible.** That no function of the space meets the hard constraints of a model holds in exact arithmetic, for the
  exact kernel of the samples, targets and parameters as they are in float64: the multipliers of a few samples, which
  the error shows, are enclosed or computed as fractions. Linear and polynomial kernels, and what is made of them, say
  without rounding which samples are dependent, and those of landmarks or random frequencies in the features that they
  are stated in; of any other kernel only equal samples count as that, unless its values come without rounding. Samples
  that are nearly dependent prove nothing, and neither does a conflict of more samples than can be settled: the answer
  then is not `optimal`, or an error says that nothing is proved (`tests/formulations/modelling/test_infeasible.py`).
* **Infeasible with constraints of your own, and unbounded,** are proved by multipliers and rays to 1e-9: what is
  excluded is any solution less than 1e9 times as large as the data. Where your constraints have no part in a
  contradiction, the model decides as without them.
* **The machine.** Intervals assume the arithmetic of IEEE 754, that sums are sums in whatever order (no product of
  Strassen's kind in the BLAS), and that exp, log, pow, tanh and sinh are within 4 units in the last place, which the
  tests check against 60 digits.
* **This code.** A certificate is a few hundred lines; they are tested against rational arithmetic, closed forms,
  other software, and by the attacks below. A wrong `optimal` is the worst bug there can be here: please report it.
"""

_FOOT = """## Measure it yourself

`make trust DATA=folder` measures all of this page, in an afternoon; every command behind it is named where its result
is, and `python -m benchmarks.trust.summary` writes the page again from the records.
"""

PARTS = ("maros_meszaros.md", "examinations.md", "enclosures.md", "attack.txt")
"""Files that other commands write, in the order of the page; one that is not there is left out."""

_ATTACK = """# Random models and forged answers

`make attack` states random models, all of them with all kernels, on data in bad shape: duplicates, constant features,
kernel matrices of rank 1, costs from 1e-8 to 1e8, labels 999 to 1, features from 1e-8 to 1e8, offsets. Two solvers
answer each. Proved intervals must intersect, nothing may be shown that is not proved, and answers forged on purpose
(wrong sign, swapped label, permuted or stale or scaled coefficients, float32 rounding, NaN, points of another problem,
lies of a solver) must be caught, or bounded by an interval that still holds the optimum.

```text
{table}
```

All cases that failed are replayed in the tests, once they are mended.
"""


_CAPTION = """

Each solver's answers to published quadratic programs: the share that is proved at 1e-6, over the seconds it took.
"""

_PICTURE = re.compile(r"^!\[.*\]\(.*\)$", re.MULTILINE)


def write_summary(folder: Path) -> None:
    """Write README.md from the parts that are in the folder."""
    title, words = _HEAD.split("\n\n", maxsplit=1)
    texts = [title + "\n", words]
    for name in PARTS:
        if (folder / name).exists():
            text = (folder / name).read_text(encoding="utf-8").strip()
            page = _ATTACK.format(table=text) if name.endswith(".txt") else text
            if name == PARTS[0] and (picture := _PICTURE.search(page)):
                texts.insert(1, picture.group() + _CAPTION)
                page = page.replace(picture.group() + "\n\n", "")
            # Each part is a page of its own; here its headings are one level deeper.
            texts.append(re.sub(r"^(#+ )", r"#\1", page, flags=re.MULTILINE) + "\n")
    (folder / "README.md").write_text("\n".join([*texts, _FOOT]), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trust.summary", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs/trust"), help="folder of the parts and the page")
    write_summary(parser.parse_args(arguments).out)


if __name__ == "__main__":
    main()
