# SPDX-License-Identifier: BSD-3-Clause
"""The path of a machine along its first hyper-parameter, a breakpoint or a value at each step.

For soft margin, tube and quantile it is exact: the coefficients are piecewise linear in C, and a step is a breakpoint.
Other machines are solved at a list of values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from formulations.lab.background import Background
from formulations.lab.settings import MachineChoice, Setting, Slider, Stated
from formulations.lab.views.view import Drawn, Scene, ViewKind, recorded, roles
from formulations.modelling import Model, Solution
from formulations.models.classification.margins.nu_margin import NuMargin
from formulations.models.classification.margins.soft_margin import SoftMargin
from formulations.models.regression.quantile import Quantile
from formulations.models.regression.tubes.soft import SoftTube
from formulations.selection import ExactPath, exact_path
from qpkernels.arrays import Matrix, Vector
from qpkernels.errors import QPKernelsError, SolverFailedError
from qpkernels.kernels import Linear
from qpkernels.problems import Certificate

__all__ = ["PATH"]

_MOST_EXACT, _MOST_BY_VALUES = 300, 100
"""Samples that a path may have: an exact one of 300 has about a thousand breakpoints, and takes half a second."""

_CURVES, _PLACES = 80, 160
"""Samples whose coefficients are drawn, and values of the hyper-parameter at which they are."""

_VALUES = 25
"""Values at which a machine without an exact path is solved."""

_TOL = 1e-4
"""Relative gap to which it is."""

_NONZERO = 1e-7
"""Share of the largest coefficient above which a sample counts as a support vector."""

_PATIENCE = 0.2
"""Seconds that a page waits for the compiler."""


@dataclass(frozen=True, eq=False)
class _Path:
    """A path that was followed.

    Attributes
    ----------
    parameter, scale
        The hyper-parameter, and how its axis is divided.
    model
        The model, for its kernel matrix.
    values, betas, intercepts
        Of each step: shapes (n,), (n, m), (n,).
    certificates
        What is proved at each step.
    curves
        Values of the hyper-parameter and the coefficients of some samples there, shapes (k,) and (k, samples).
    words
        What the path is.
    """

    parameter: str
    scale: str
    model: Model[Any]
    values: Vector
    betas: Matrix
    intercepts: Vector
    certificates: Sequence[Certificate]
    curves: tuple[Vector, Matrix]
    words: str


def _compile() -> None:
    """Follow a path of few samples, for which all compiled loops are needed."""
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, -1.0, 1.0, -1.0])
    exact_path(SoftMargin(X, y, Linear()), C=(0.01, 10.0))
    exact_path(Quantile(X, y, Linear()), C=(0.01, 10.0))


_COMPILED = Background(_compile)


def _draw(scene: Scene, step: int) -> Drawn:
    answer = scene.answer
    model, sliders = answer.model, answer.setting.machine.choice.sliders
    if not isinstance(model, Model):
        return Drawn({"words": "There is no answer here, and so no path." if model is None else _NO_PARAMETER})
    if not sliders:
        return Drawn({"words": _NO_PARAMETER})
    if len(model) > (most := _MOST_EXACT if _is_exact(model) else _MOST_BY_VALUES):
        words = f"The path of this machine is shown of at most {most} samples, within about a second; here are"
        return Drawn({"words": f"{words} {len(model)}."})
    if _is_exact(model) and not _COMPILED.is_done(_PATIENCE):
        words = "The loops of the path are being compiled, once on this computer: about twenty seconds."
        return Drawn({"words": words, "pending": True})
    return recorded(scene, "path", _followed, _drawn, step)


_NO_PARAMETER = "This machine has no hyper-parameter along which a path could lead."


def _refusal(choice: MachineChoice, model: Stated) -> str | None:
    return None if choice.sliders and isinstance(model, Model) else _NO_PARAMETER


def _is_exact(model: Model[Any]) -> bool:
    return isinstance(model, SoftMargin | SoftTube | Quantile)


def _followed(setting: Setting) -> _Path:
    """Return the path along the first slider."""
    slider, model = setting.machine.choice.sliders[0], setting.state()
    assert isinstance(model, Model)
    if _is_exact(model):
        ends: dict[str, Any] = {slider.name: (slider.low, slider.high)}
        return _exactly(exact_path(model, **ends), slider)
    return _by_values(model, slider)


def _exactly(found: ExactPath, slider: Slider) -> _Path:
    places = _between(slider, _PLACES)
    shown = _shown(len(found.model))
    points = list(found.pieces.breakpoints())
    return _Path(
        slider.name,
        slider.scale,
        found.model,
        np.array([value for value, _, _ in points]),
        np.array([beta for _, beta, _ in points]),
        np.array([b for _, _, b in points]),
        found.certificates,
        (places, np.array([found.coefficients(float(value))[0][shown] for value in places])),
        f"The exact path: between {len(points)} breakpoints every coefficient is linear in {slider.name}",
    )


def _by_values(model: Model[Any], slider: Slider) -> _Path:
    solved: list[tuple[float, Solution]] = []
    for value in _between(slider, _VALUES).tolist():
        # Not every value need have an answer: nu is limited by the smaller class.
        with suppress(QPKernelsError):
            solved.append((value, model.copy().set_params(**{slider.name: value}).solve(tol=_TOL)))
    if not solved:
        raise SolverFailedError("the machine has no answer at any value along the path.")
    values = np.array([value for value, _ in solved])
    betas = np.array([solution.beta for _, solution in solved])
    return _Path(
        slider.name,
        slider.scale,
        model,
        values,
        betas,
        np.array([solution.intercept for _, solution in solved]),
        [solution.certificate for _, solution in solved],
        (values, betas[:, _shown(len(model))]),
        f"The machine at {values.size} values of {slider.name}, each solved and proved by itself",
    )


def _drawn(found: _Path, step: int) -> Drawn:
    k = min(step, found.values.size - 1)
    value, beta, b = float(found.values[k]), found.betas[k], float(found.intercepts[k])
    counts = _supports(found.betas)
    places, curves = found.curves
    size = np.maximum(np.abs(curves).max(axis=1, keepdims=True), np.finfo(float).tiny)
    shares = curves / (places[:, None] if found.parameter == "C" and _is_exact(found.model) else size)
    samples = "all samples" if curves.shape[1] == len(found.model) else f"{curves.shape[1]} of the samples"
    share = f"β / {found.parameter}" if _is_exact(found.model) else "β by the largest |β|"
    facts: Mapping[str, Any] = {
        "words": f"{found.words}. Here {found.parameter} = {value:.4g}: {int(counts[k])} coefficients are not 0, and "
        f"the relative gap is {found.certificates[k].relative_gap:.0e}.",
        "steps": int(found.values.size) - 1,
        "step": k,
        "parameter": found.parameter,
        "scale": found.scale,
        "value": value,
        "share": f"{share}, of {samples}",
    }
    arrays = {
        "values": found.values,
        "counts": counts,
        "primal": np.array([each.primal_value for each in found.certificates]),
        "places": places,
        "curves": shares,
        "samples": _shown(len(found.model)),
    }
    at = found.model.copy().set_params(**{found.parameter: value})
    return Drawn(
        facts,
        arrays,
        function=at.gram.expansion(beta, b, at.classes),
        multipliers=beta,
        roles=roles(beta, at.qp()),
        # That of a nu-margin moves with nu.
        has_margin=not isinstance(at, NuMargin),
    )


def _supports(betas: Matrix) -> Vector:
    sizes = np.abs(betas)
    return np.asarray((sizes > _NONZERO * sizes.max(axis=1, keepdims=True)).sum(axis=1))


def _shown(samples: int) -> Any:
    """Return the numbers of the samples whose coefficients are drawn."""
    return np.unique(np.linspace(0, samples - 1, min(samples, _CURVES)).astype(int))


def _between(slider: Slider, count: int) -> Vector:
    """Return values from end to end of a slider, evenly spread on its scale."""
    if slider.scale == "log":
        values = np.geomspace(slider.low, slider.high, count)
    else:
        values = np.linspace(slider.low, slider.high, count)
    return np.clip(values, slider.low, slider.high)


PATH = ViewKind("path", "Path", _draw, _refusal)
