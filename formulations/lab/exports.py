# SPDX-License-Identifier: BSD-3-Clause
"""The exports of a page: its setting as lines of Python, its program as matrices, and a proof of its optimum."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from formulations.lab.settings import LabTask, Setting
from formulations.modelling.model import Model
from qpkernels.errors import ParameterError
from qpkernels.kernels import Kernel

__all__ = ["EXPORTS"]


@dataclass(frozen=True)
class Export:
    """A file: its name, and what is in it."""

    file: str
    content: str | bytes

    def message(self) -> Mapping[str, str]:
        """Return what JSON can say: the file with its text, or with its bytes in base64."""
        if isinstance(self.content, str):
            return {"file": self.file, "text": self.content}
        return {"file": self.file, "base64": b64encode(self.content).decode()}


def _rows(setting: Setting) -> Sequence[Sequence[str]]:
    """Return the coordinates of each point, the label or target last."""
    if len(setting.points) == 0:
        raise ParameterError("there are no points to take along; add some first.")
    labels = setting.task is LabTask.CLASSIFICATION
    return [[*map(repr, values), f"{last:g}" if labels else repr(last)] for *values, last in setting.points.tolist()]


MOST_SAMPLES = 500
"""Points of a program, whose matrices are dense, 2 MB for each that the kernel fills, and of a proof."""


def _program(setting: Setting) -> Export:
    """Return the first form of the model, in the variables of the textbook, every block named."""
    form = next(iter(_convex(setting, "programs", "export(path) of a form").forms.values()))
    with TemporaryDirectory() as folder:
        return Export(f"{form.name}.npz", form.export(Path(folder) / "program.npz").read_bytes())


def _proof(setting: Setting) -> Export:
    """Return the proof of the optimum that the page shows, which ``proofcheck`` checks."""
    model = _convex(setting, "proofs", "solution.prove(path)")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "machine.proof"
        model.solve(tol=1e-9).prove(path)
        return Export(path.name, path.read_text(encoding="utf-8"))


def _convex(setting: Setting, what: str, call: str) -> Model[Any]:
    if len(setting.points) > MOST_SAMPLES:
        raise ParameterError(
            f"a page writes {what} of up to {MOST_SAMPLES} points, but it has {len(setting.points)}; "
            f"take the Python lines, and call {call} there."
        )
    model = setting.state()
    if not isinstance(model, Model):
        raise ParameterError("the evidence of a relevance machine is no convex program; take the Python lines instead.")
    return model


def _script(setting: Setting) -> Export:
    """Return the lines, which find the answer that the page shows, to the tolerance of its certificate."""
    blocks = (_head(setting), _imports(setting), _data(setting), _solving(setting), _drawing(setting))
    return Export("lab.py", "\n\n".join("\n".join(block) for block in blocks) + "\n")


def _head(setting: Setting) -> Iterator[str]:
    kernel = " + ".join(term.choice.title for term in setting.kernel)
    yield f"# {setting.machine.choice.title}; kernel: {kernel}; {len(setting.points)} points; as the lab shows them."
    yield "# It needs qpkernels and matplotlib."
    yield "import numpy as np"


def _imports(setting: Setting) -> Iterator[str]:
    yield f"from formulations import {setting.machine.choice.kind.__name__}"
    yield f"from formulations.plots import {_display(setting)}"
    yield f"from qpkernels import {', '.join(sorted({type(kernel).__name__ for kernel in _kernels(setting)}))}"


def _data(setting: Setting) -> Iterator[str]:
    yield "points = np.array("
    yield "    ["
    for row in _rows(setting):
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
    extent = (window.left, window.right, window.bottom, window.top)[
        : 4 if setting.task is LabTask.CLASSIFICATION else 2
    ]
    yield f"display = {_display(setting)}.from_solution(solution, model, extent={extent})"
    yield 'display.plot().figure_.savefig("lab.png", dpi=150)'


def _display(setting: Setting) -> str:
    if setting.task is LabTask.CLASSIFICATION:
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


EXPORTS: Mapping[str, Callable[[Setting], Export]] = {"python": _script, "npz": _program, "proof": _proof}
"""How each file is made, by the name by which a page asks for it."""
