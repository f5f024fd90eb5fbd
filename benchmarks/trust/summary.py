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

Each sentence names tests, below the folder `tests`, that would fail if it were not so.

{listed(PROVED)}

What could still be wrong:

{listed(LIMITS)}
"""

_FOOT = """## Measure it yourself

`make trust DATA=folder` measures all of this page, in an afternoon; every command behind it is named where its result
is, and `python -m benchmarks.trust.summary` writes the page again from the records.
"""

PARTS = ("maros_meszaros.md", "examinations.md", "enclosures.md", "attack.txt")
"""Files that other commands write, in the order of the page; one that is not there is left out."""

_ATTACK = """# Random models and forged answers

`make attack` states random models, all of them with all kernels, on data in bad shape: duplicates, constant features,
kernel matrices of rank 1, costs from 1e-8 to 1e8, labels 999 to 1, features from 1e-8 to 1e8, offsets, samples 1e-9
apart, targets over twelve decades; more of them on models without slack, and on forms with cones one of whose
constants is up to 1e12. Two solvers answer each. P and D are computed anew from what is handed out, what a constraint
implies must hold, proved intervals must intersect, nothing may be shown that is not proved, and answers forged on
purpose (wrong sign, swapped label, permuted or stale or scaled coefficients, float32 rounding, NaN, points of another
problem, lies of a solver) must be caught, or bounded by an interval that still holds the optimum.

```text
{table}
```

All cases that failed are replayed in the tests, once they are mended. An attack counts as hung after two minutes
without a word, which a program of 1,000 samples can take on a computer that has other work.
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
