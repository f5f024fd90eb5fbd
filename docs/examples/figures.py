# SPDX-License-Identifier: BSD-3-Clause
"""Pictures for white and for black paper: no background, middle tones, and a mark or line style beside each colour."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

INK, BLUE, ORANGE, GREEN, PURPLE = "#767676", "#2b7fc0", "#cf6410", "#12876a", "#b05a9c"
"""Each has a contrast of at least 3 on white and on black; the tests compute it."""

STYLE: dict[str, Any] = {
    "axes.edgecolor": INK,
    "axes.facecolor": "none",
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlesize": 11,
    "figure.facecolor": "none",
    "font.size": 10,
    "legend.frameon": False,
    "legend.labelcolor": INK,
    "lines.linewidth": 1.8,
    "savefig.dpi": 130,
    "savefig.facecolor": "none",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


@contextmanager
def picture(path: Path, columns: int = 1, rows: int = 1, *, width: float = 4.6, height: float = 4.2) -> Iterator[Any]:
    """Give axes in one flat array, each of that size in inches, and save the picture when they are drawn."""
    with rc_context(STYLE):
        figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
        yield figure.subplots(rows, columns, squeeze=False).ravel()
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path)


def draw_classes(axes: Axes, X: NDArray[np.float64], y: NDArray[np.float64], size: float = 26) -> None:
    """Draw samples with y = +1 as blue discs and those with y = -1 as orange squares."""
    for label, colour, marker in ((1, BLUE, "o"), (-1, ORANGE, "s")):
        chosen = X[y == label]
        axes.scatter(chosen[:, 0], chosen[:, 1], size, color=colour, marker=marker, label=f"$y = {label:+d}$", zorder=3)


def ring(axes: Axes, X: NDArray[np.float64], label: str | None = None, size: float = 110) -> None:
    """Draw a ring around each of the points X, shape (points, 2)."""
    axes.scatter(X[:, 0], X[:, 1], size, facecolors="none", edgecolors=INK, linewidths=1.3, label=label, zorder=4)


def draw_levels(
    axes: Axes,
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    box: tuple[float, float, float, float],
    levels: tuple[float, float, float] = (-1.0, 0.0, 1.0),
    names: tuple[str, str] = ("$g = 0$", r"$g = \pm 1$"),
    points: int = 121,
) -> None:
    """Draw three level lines of a function of the plane over (left, right, bottom, top): the middle one solid."""
    across, up = np.meshgrid(np.linspace(*box[:2], points), np.linspace(*box[2:], points))
    values = function(np.column_stack([across.ravel(), up.ravel()])).reshape(across.shape)
    # Matplotlib warns of a level that the function does not take.
    taken = [level for level in levels if values.min() < level < values.max()]
    styles = ["solid" if level == levels[1] else "dashed" for level in taken]
    axes.contour(across, up, values, taken, colors=GREEN, linestyles=styles, linewidths=1.6)
    for name, style in zip(names, ("solid", "dashed"), strict=True):
        axes.plot([], [], color=GREEN, linestyle=style, linewidth=1.6, label=name)
    axes.set(xlim=box[:2], ylim=box[2:], xlabel="$x_1$", ylabel="$x_2$", aspect="equal")


def legend_below(axes: Axes, columns: int) -> None:
    """Explain what is drawn in these axes below the whole picture."""
    axes.figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=columns)


def run(main: Callable[[Path], None]) -> None:
    """Run an example with the folder that the command line names, or pictures/ beside it."""
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "pictures")
