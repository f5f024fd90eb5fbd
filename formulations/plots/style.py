# SPDX-License-Identifier: BSD-3-Clause
"""The common style of all pictures: colours with a marker and a line style each, new figures, and the user's axes.

A figure of ours is drawn on an opaque white background, so that it reads the same on white and on dark pages. Every
colour has a contrast of at least 3 on white, and is told from the others by readers with each kind of colour blindness.
A setting of matplotlib that the user changed stays hers, and nothing is set outside of our own figures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from qpkernels.errors import MissingPackageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "BLUE",
    "BRICK",
    "COLOURS",
    "DASHES",
    "GREEN",
    "GREY",
    "INK",
    "MARKERS",
    "NAVY",
    "PURPLE",
    "STYLE",
    "VERMILLION",
    "class_mark",
    "draw_band",
    "draw_samples",
    "explain",
    "ink_of",
    "require_matplotlib",
    "ring",
    "style",
    "tinted",
]

INK, GREY = "#222222", "#767676"
BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
NAVY, BRICK = "#332288", "#882255"
COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, NAVY, BRICK, INK)
"""Four of Okabe and Ito, two of Tol, and that of text."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES: tuple[Any, ...] = (
    "solid",
    "dashed",
    "dashdot",
    (0, (1, 1)),
    (0, (6, 1.5)),
    (0, (3, 1, 1, 1, 1, 1)),
    (0, (9, 2, 2, 2)),
)

STYLE: dict[str, Any] = {
    "axes.edgecolor": INK,
    "axes.facecolor": "white",
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlesize": 11.0,
    "figure.dpi": 130.0,
    "figure.facecolor": "white",
    "font.size": 10.0,
    "legend.fontsize": 9.5,
    "legend.frameon": False,
    "legend.labelcolor": INK,
    "lines.linewidth": 1.8,
    "lines.markersize": 6.0,
    "savefig.facecolor": "white",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}
"""The settings of our figures that differ from matplotlib's own."""


def require_matplotlib() -> None:
    """Refuse to draw where matplotlib is not installed.

    Raises
    ------
    MissingPackageError
        If it is not.
    """
    try:
        import matplotlib  # noqa: F401  that is the question
    except ImportError as error:
        raise MissingPackageError(
            "pictures need matplotlib, which is not installed; run: pip install matplotlib"
        ) from error


@contextmanager
def style() -> Iterator[None]:
    """Make our figures within: :data:`STYLE`, as far as the user has set nothing else, and back.

    Other settings stay as they are found at the end: the first figure of a notebook starts the back-end that shows the
    figures of its cells, by a setting of its own.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    """
    require_matplotlib()
    from matplotlib import rcParams, rcParamsDefault

    own: Any = rcParams
    usual: Any = rcParamsDefault
    before = {name: own[name] for name in STYLE}
    own.update({name: value for name, value in STYLE.items() if before[name] == usual[name]})
    try:
        yield
    finally:
        own.update(before)


def ink_of(ax: Axes) -> Any:
    """Return the colour of the text beside these axes, in which what has no colour of its own is drawn."""
    return ax.xaxis.label.get_color()


def tinted(colour: str, alpha: float) -> tuple[float, float, float, float]:
    """Return the colour that lets the background through."""
    from matplotlib.colors import to_rgba

    return to_rgba(colour, alpha)


def class_mark(code: int, classes: int) -> tuple[str, str]:
    """Return the colour and the marker of a class: of two, blue discs for the positive one, else by number."""
    number = 1 - code if classes == 2 else code
    return COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]


def draw_samples(ax: Axes, x: Any, y: Any, colour: Any, marker: str, label: str | None) -> None:
    """Draw samples as markers, with an edge in the colour of the background that keeps them apart."""
    from matplotlib import rcParams

    size = rcParams["lines.markersize"] ** 2
    edge = ax.get_facecolor()
    ax.scatter(x, y, size, color=colour, marker=marker, edgecolors=[edge], linewidths=0.5, label=label, zorder=3)


def ring(ax: Axes, x: Any, y: Any, label: str | None) -> None:
    """Draw a ring around each of these points."""
    from matplotlib import rcParams

    size = (1.9 * rcParams["lines.markersize"]) ** 2
    ax.scatter(x, y, size, facecolors="none", edgecolors=ink_of(ax), linewidths=1.1, label=label, zorder=4)


def draw_band(ax: Axes, x: Any, low: Any, high: Any, colour: str, label: str) -> None:
    """Draw what is between two curves as a pale tint with dashed edges, which lets everything else be seen."""
    ax.fill_between(x, low, high, color=tinted(colour, 0.16), linewidth=0, label=label, zorder=1)
    for edge in (low, high):
        ax.plot(x, edge, color=colour, linestyle="dashed", linewidth=1.0, zorder=1.5)


def explain(axes: Sequence[Axes], *, own: bool, columns: int = 3) -> None:
    """Add a legend: below the whole of a figure of ours, inside the first axes of the user.

    Parameters
    ----------
    axes
        Those whose labels are explained, each label once.
    own
        Whether the figure is ours.
    columns
        How many entries below a figure are side by side.
    """
    found: dict[str, Any] = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    if not found:
        return
    if own:
        figure: Any = axes[0].figure
        figure.legend(list(found.values()), list(found), loc="outside lower center", ncols=min(len(found), columns))
    else:
        axes[0].legend(list(found.values()), list(found))
