# SPDX-License-Identifier: BSD-3-Clause
"""A comparison as a picture: seconds against the certified gap."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from formulations.comparison.table import Comparison
from qpkernels.errors import MissingPackageError

__all__ = ["draw"]

_MARKERS = "osD^vP*X"
_EXACT = 1e-16
"""Where a gap of 0 is drawn."""


def draw(comparison: Comparison, path: str | Path, title: str = "") -> Path:
    """Draw every answer by its seconds and its certified relative gap, and write the picture to ``path``.

    What lies within the tolerance is proved optimal. Colours are solvers, markers are forms; an answer that is not
    proved is hollow.

    Raises
    ------
    MissingPackageError
        If matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
        from matplotlib.lines import Line2D
    except ImportError as error:
        raise MissingPackageError(
            'pictures need matplotlib, which is not installed; run: pip install "qpkernels[plot]"'
        ) from error
    rows = [row for row in comparison if np.isfinite(row.relative_gap)]
    solvers = list(dict.fromkeys(row.solver for row in rows))
    forms = list(dict.fromkeys(row.formulation for row in rows))
    colour = {solver: f"C{k % 10}" for k, solver in enumerate(solvers)}
    marker = {form: _MARKERS[k % len(_MARKERS)] for k, form in enumerate(forms)}
    figure = Figure(figsize=(9.0, 5.0), layout="constrained")
    axes = figure.add_subplot(xscale="log", yscale="log")
    for row in rows:
        axes.plot(
            row.seconds,
            max(row.relative_gap, _EXACT),
            marker[row.formulation],
            color=colour[row.solver],
            markersize=9,
            markerfacecolor=colour[row.solver] if row.status == "optimal" else "none",
        )
    axes.axhspan(_EXACT / 3, comparison.tol, color="tab:green", alpha=0.08, zorder=0)
    axes.axhline(comparison.tol, color="tab:green", linewidth=1)
    axes.text(0.01, comparison.tol, " proved optimal below", va="bottom", transform=axes.get_yaxis_transform())
    axes.set(xlabel="seconds, certificate included", ylabel="certified relative gap")
    axes.set_title(title, fontsize="medium")
    axes.set_ylim(bottom=_EXACT / 3)
    keys = [Line2D([], [], color=colour[each], marker="o", linestyle="", label=each) for each in solvers]
    keys += [Line2D([], [], color="black", marker=marker[each], linestyle="", label=each) for each in forms]
    figure.legend(handles=keys, loc="outside right upper", fontsize="small")
    target = Path(path)
    figure.savefig(target, dpi=150)
    return target
