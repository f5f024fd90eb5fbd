# SPDX-License-Identifier: BSD-3-Clause
"""Write the page of trust from its parts, without measuring: ``python -m benchmarks.trust.summary``."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from benchmarks.trust.claims import LIMITS, PROVED, listed

__all__ = ["write_summary"]

_HEAD = f"""# What `optimal` means, and what could still be wrong

Each statement names tests in the folder `tests` that would fail if it were false.

{listed(PROVED)}

What could still be wrong:

{listed(LIMITS)}
"""

_FOOT = """## Measure it yourself

`make trust DATA=folder` measures everything on this page in an afternoon. Each section names its command, and
`python -m benchmarks.trust.summary` writes the page again from the records.
"""

PARTS = ("maros_meszaros.md", "examinations.md", "enclosures.md", "attack.txt")
"""Files that other commands write, in the order of the page; one that is not there is left out."""

_ATTACK = """# Random models and forged answers

`make attack` states random models, every model with every kernel, on data in bad shape: duplicates, constant features,
kernel matrices of rank 1, costs from 1e-8 to 1e8, classes of 999 and 1 samples, features from 1e-8 to 1e8, offsets,
samples 1e-9 apart, and targets over twelve decades. More of them go to models without slack, and to forms with cones
that have a constant of up to 1e12. Two solvers answer each problem. P and D are computed anew from the answer, the
consequences of a constraint must hold, proved intervals must intersect, and nothing may be shown that is not proved.
Answers forged on purpose (wrong sign, swapped label, permuted, stale or scaled coefficients, float32 rounding, NaN,
points of another problem, false claims of a solver) must be caught, or bounded by an interval that still holds the
optimum.

```text
{table}
```

Every case that ever failed is replayed in the tests. An attack counts as hung after two minutes without output, which a
program of 1,000 samples can reach on a busy computer.
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
