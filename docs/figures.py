# SPDX-License-Identifier: BSD-3-Clause
"""The pictures of docs/examples as files: python docs/figures.py [names ...], or make figures.

A name chooses the examples that begin with it; without one all are drawn, into the folder figures/.
"""

import runpy
import sys
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.figure import Figure

__all__ = ["EXAMPLES", "draw"]

DOCS = Path(__file__).parent
EXAMPLES = sorted((DOCS / "examples").glob("*/*.py"))


def draw(example: Path, folder: Path) -> dict[Path, Figure]:
    """Run an example, save its figures there, and return them by their files: NAME.png, or NAME-1.png and so on."""
    plt.close("all")
    with mpl.rc_context():
        runpy.run_path(str(example), run_name="__main__")
        figures = [plt.figure(number) for number in plt.get_fignums()]
        suffixes = [""] if len(figures) == 1 else [f"-{number}" for number in range(1, len(figures) + 1)]
        files = {folder / f"{example.stem}{end}.png": figure for end, figure in zip(suffixes, figures, strict=True)}
        for file, figure in files.items():
            figure.savefig(file, dpi=110)
        plt.close("all")
    return files


def main(names: list[str]) -> None:
    """Draw the examples with these names."""
    mpl.use("Agg")
    folder = DOCS.parent / "figures"
    folder.mkdir(exist_ok=True)
    chosen = [each for each in EXAMPLES if not names or any(each.stem.startswith(name) for name in names)]
    if not chosen:
        sys.exit(f"no example begins with {' or '.join(names)}; there are {', '.join(each.stem for each in EXAMPLES)}.")
    sys.argv = [sys.argv[0]]
    for example in chosen:
        print(f"\n{example.stem}")
        for file in draw(example, folder):
            print(f"-> {file.relative_to(folder.parent)}")


if __name__ == "__main__":
    main(sys.argv[1:])
