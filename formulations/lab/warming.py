# SPDX-License-Identifier: BSD-3-Clause
"""Loading and compiling what answers need, before a page asks for the first."""

from __future__ import annotations

import numpy as np

from formulations.lab.background import Background
from formulations.lab.session import Session
from formulations.lab.settings import LabTask, read_setting
from formulations.lab.views import VIEWS

__all__ = ["begin_to_warm_up", "notice", "warm_up"]

_POINTS = 300
"""As many as make every part of a solve do something."""

_USUALLY = 2.0
"""Seconds in which all is loaded that was compiled before."""

_NOTICE = (
    "The solvers are being made ready. At the first start on this computer they are compiled, which takes about 20 to "
    "40 seconds, once."
)

_USUAL = {"soft-margin": LabTask.CLASSIFICATION, "soft-tube": LabTask.REGRESSION}


def begin_to_warm_up() -> None:
    """Warm up in a thread that ends with the process, and wait for it as long as it usually takes.

    What is loaded later would hold up the page that comes up meanwhile. Compiling takes longer, and happens once.
    """
    _WARMING.is_done(_USUALLY)


def notice() -> str | None:
    """Return what a page is told that comes while this is under way; None where it is not."""
    return _NOTICE if _WARMING.is_under_way else None


def warm_up() -> None:
    """Answer the usual machines for some points, and again with one of them moved."""
    random = np.random.default_rng(0)
    for name, task in _USUAL.items():
        session, points = Session(), random.normal(size=(_POINTS, 2))
        labels = np.where(np.arange(_POINTS) % 2, 1.0, -1.0)[:, None]
        for _ in range(2):
            points[0] += 0.1
            shown = np.hstack([points, labels]) if task is LabTask.CLASSIFICATION else points
            session.frame(read_setting({"machine": {"name": name}, "points": shown.tolist()}, VIEWS)).encode()


_WARMING = Background(warm_up)
