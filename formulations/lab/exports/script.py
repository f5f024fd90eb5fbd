# SPDX-License-Identifier: BSD-3-Clause
"""The setting as lines of Python: the same points, model and kernel, solved, and drawn by the package."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from formulations.lab.exports.export import Export
from formulations.lab.exports.rows import rows_of
from formulations.lab.settings import Setting, Task
from formulations.modelling.model import Model
from qpkernels.kernels import Kernel

__all__ = ["script"]


def script(setting: Setting) -> Export:
    """Return the lines, which find the answer that the page shows, to the tolerance of its certificate.

    Raises
    ------
    ParameterError
        If there are no points.
    """
    blocks = (_head(setting), _imports(setting), _data(setting), _solving(setting), _drawing(setting))
    return Export("lab.py", "\n\n".join("\n".join(block) for block in blocks) + "\n")


def _head(setting: Setting) -> Iterator[str]:
    kernel = " + ".join(term.choice.title for term in setting.kernel)
    yield f"# {setting.machine.choice.title}; kernel: {kernel}; {len(setting.points)} points; as the lab shows them."
    yield "# It needs qpkernels and matplotlib."
    yield "import numpy as np"


def _imports(setting: Setting) -> Iterator[str]:
    yield f"from formulations import {setting.machine.choice.kind.__name__}"
    yield f"from formulations.displays import {_display(setting)}"
    yield f"from qpkernels import {', '.join(sorted({type(kernel).__name__ for kernel in _kernels(setting)}))}"


def _data(setting: Setting) -> Iterator[str]:
    yield "points = np.array("
    yield "    ["
    for row in rows_of(setting):
        yield f"        [{', '.join(row)}],"
    yield "    ]"
    yield ")"
    features = setting.X.shape[1]
    if setting.machine.choice.takes_labels:
        yield f"X, y = points[:, :{features}], points[:, {features}]"
    else:
        yield f"X = points[:, :{features}]"


def _solving(setting: Setting) -> Iterator[str]:
    machine = setting.machine.choice
    samples = "X, y" if machine.takes_labels else "X"
    kernel = " + ".join(map(_stated, _kernels(setting)))
    values = "".join(f", {name}={value!r}" for name, value in setting.machine.values.items())
    yield f"model = {machine.kind.__name__}({samples}, {kernel}{values})"
    yield "solution = model.solve(tol=1e-6)"
    yield "print(solution)"
    if _certified(setting):
        yield 'print(f"{solution.status}: objective {solution.objective!r}")'
    else:
        yield 'print(f"converged: {solution.converged}, ln evidence {solution.log_evidence!r}")'


def _drawing(setting: Setting) -> Iterator[str]:
    window = setting.window
    extent = (window.left, window.right, window.bottom, window.top)[: 4 if setting.task is Task.CLASSIFICATION else 2]
    yield f"display = {_display(setting)}.from_solution(solution, model, extent={extent})"
    yield 'display.plot().figure_.savefig("lab.png", dpi=150)'


def _display(setting: Setting) -> str:
    if setting.task is Task.CLASSIFICATION:
        return "DecisionRegionDisplay"
    return "TubeDisplay" if _certified(setting) else "RelevanceDisplay"


def _certified(setting: Setting) -> bool:
    kind: Any = setting.machine.choice.kind
    return issubclass(kind, Model)


def _kernels(setting: Setting) -> list[Kernel]:
    return [term.choice.make(term.values) for term in setting.kernel]


def _stated(kernel: Kernel) -> str:
    """Return the expression of a kernel with every parameter; its ``repr`` may abridge numbers."""
    parameters = ", ".join(f"{each.name}={getattr(kernel, each.name)!r}" for each in fields(kernel))  # type: ignore[arg-type]
    return f"{type(kernel).__name__}({parameters})"
