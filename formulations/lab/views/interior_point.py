# SPDX-License-Identifier: BSD-3-Clause
"""An interior-point method, iterate by iterate, along the central path."""

from __future__ import annotations

import numpy as np

from formulations.lab.algorithms.interior_point import Path, record_interior_point
from formulations.lab.algorithms.limits import TOL
from formulations.lab.views.base import Drawn, Scene, ViewKind
from formulations.lab.views.steps import percent, recorded, roles

__all__ = ["INTERIOR_POINT"]


def _draw(scene: Scene, step: int) -> Drawn:
    return recorded(scene, "interior-point", record_interior_point, _drawn, step)


def _drawn(path: Path, step: int) -> Drawn:
    iterates = path.iterates
    k = min(step, len(iterates) - 1)
    now = iterates[k]
    answer = now.judged.answer
    return Drawn(
        {
            "words": _words(path, k),
            "steps": len(iterates) - 1,
            "step": k,
            "tol": TOL,
            "mu": now.mu,
            "rows": path.rows,
            "ends": path.ends,
        },
        {
            "gap": np.array([each.judged.error for each in iterates]),
            "primal_residual": np.array([each.primal_residual for each in iterates]),
            "dual_residual": np.array([each.dual_residual for each in iterates]),
            "mu": np.array([each.mu for each in iterates]),
            "slacks": now.slacks,
            "multipliers": now.multipliers,
        },
        function=answer.function,
        multipliers=answer.beta,
        roles=roles(answer.beta),
    )


def _words(path: Path, k: int) -> str:
    now = path.iterates[k]
    products = now.slacks * now.multipliers
    said = f"Iterate {k}: all slacks and multipliers are inside their cones."
    if products.size and now.mu > 0:
        spread = f"{products.min() / now.mu:.2g} and {products.max() / now.mu:.2g}"
        said = (
            f"Iterate {k}: the products of slacks and multipliers lie between {spread} times their mean, {now.mu:.1e}."
        )
    elif path.is_linear:
        said = f"Iterate {k}: without inequalities there is no barrier, and the answer is that of one linear system."
    left = f"The certificate leaves {percent(now.judged.error)} open"
    return f"{said} {left}: {'the answer is proved' if now.judged.proved else 'this proves nothing yet'}."


INTERIOR_POINT = ViewKind("interior-point", "Interior point", _draw)
