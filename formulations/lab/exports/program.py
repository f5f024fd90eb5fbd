# SPDX-License-Identifier: BSD-3-Clause
"""The convex program of a setting as matrices, in the .npz of ``qpkernels export``."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from formulations.lab.exports.export import Export
from formulations.lab.settings import Setting
from formulations.modelling.model import Model
from qpkernels.errors import ParameterError

__all__ = ["MOST_SAMPLES", "program"]

MOST_SAMPLES = 500
"""Points of a program: its matrices are dense, 2 MB for each that the kernel fills."""


def program(setting: Setting) -> Export:
    """Return the first form of the model, in the variables of the textbook, every block named.

    Raises
    ------
    ParameterError
        If there is no such program, or it is too large.
    QPKernelsError
        If the points do not make a model.
    """
    if len(setting.points) > MOST_SAMPLES:
        raise ParameterError(
            f"a page writes programs of up to {MOST_SAMPLES} points, but it has {len(setting.points)}; "
            "take the Python lines, and call export(path) of a form there."
        )
    model = setting.state()
    if not isinstance(model, Model):
        raise ParameterError("the evidence of a relevance machine is no convex program; take the Python lines instead.")
    form = next(iter(model.forms.values()))
    with TemporaryDirectory() as folder:
        return Export(f"{form.name}.npz", form.export(Path(folder) / "program.npz").read_bytes())
