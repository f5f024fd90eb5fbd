# SPDX-License-Identifier: BSD-3-Clause
"""Cross-examine every installed solver on bundled data, and write tables, records and pictures.

``python -m benchmarks.trust.examinations --out docs/trust``
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from formulations import CrossExamination, LinearProgramMachine, NuMargin, SoftMargin, SoftTube, cross_examine
from formulations.plots import CrossExaminationDisplay
from formulations.plots.style import style
from qpkernels.files import load_dataset, scale_features
from qpkernels.kernels import RBF

FILE = "examinations.md"

_HEAD = """# Solvers, cross-examined

Written by `python -m benchmarks.trust.examinations`; every number is in the .json file beside each picture. Each solver
is asked for 1e-3, 1e-6 and 1e-9; solvers of other projects run in a process of their own. **claimed** is the solver's
own status, **proved** the status that the certificate gives, and **to** the accuracy to which the answer is proved.
**obj. error** bounds the distance of its objective from the optimum, relative to that; **|g - g\\*|** is the largest
difference of its decision values from those of the answer proved best, and **differ** the number of support vectors
that only one of the two has. A hollow mark in a picture is an answer that is not proved to the tolerance asked for.
"""


@dataclass(frozen=True)
class _Witness:
    """A model on data, by the name of its picture."""

    name: str
    title: str
    model: Any


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, examine, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trust.examinations", description=__doc__)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="names of problems")
    parser.add_argument("--limit-seconds", type=float, default=60.0, help="of each answer")
    parser.add_argument("--out", type=Path, default=Path("docs/trust"), help="folder of page and pictures")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    parts = [_HEAD]
    for witness in _witnesses():
        if options.only and witness.name not in options.only:
            continue
        examination = cross_examine(witness.model, time_limit=options.limit_seconds, progress=False)
        print(examination, flush=True)
        (options.out / f"{witness.name}.json").write_text(examination.to_json() + "\n")
        draw(examination, options.out / f"{witness.name}.png", witness.title)
        parts.append(_section(witness, examination))
    (options.out / FILE).write_text("\n".join(parts))


def draw(examination: CrossExamination, path: Path, title: str) -> None:
    """Draw the trials into a file, under a title."""
    with style():
        figure = Figure(figsize=(8.4, 4.6), layout="constrained")
        ax = figure.subplots()
        CrossExaminationDisplay.from_examination(examination).plot(ax, legend=False)
        ax.set_title(title)
        figure.legend(loc="outside right upper")
        figure.savefig(path)


def _witnesses() -> Iterator[_Witness]:
    cancer = load_dataset("breast-cancer")
    X, y = scale_features(cancer.X), cancer.y
    yield _Witness("soft-margin", "Soft margin, breast-cancer, C = 1", SoftMargin(X, y, kernel=RBF.from_data(X)))
    yield _Witness(
        "costly-errors", "Soft margin in unscaled features, C = 10000", SoftMargin(cancer.X, y, kernel=None, C=1e4)
    )
    yield _Witness("nu-margin", "Margin of nu = 0.1, breast-cancer", NuMargin(X, y, kernel=RBF.from_data(X), nu=0.1))
    yield _Witness("linear-program", "Linear program machine", LinearProgramMachine(X, y, kernel=RBF.from_data(X)))
    diabetes = load_dataset("diabetes")
    X = scale_features(diabetes.X)
    tube = SoftTube(X, diabetes.y, kernel=RBF.from_data(X), C=100.0, epsilon=20.0)
    yield _Witness("tube", "Tube of half width 20, diabetes, C = 100", tube)


def _section(witness: _Witness, examination: CrossExamination) -> str:
    table = "\n".join(line.rstrip() for line in str(examination).splitlines())
    picture = f"![seconds against what is proved]({witness.name}.png)"
    return f"## {witness.title}\n\n{picture}\n\n```text\n{table}\n```\n"


if __name__ == "__main__":
    main()
