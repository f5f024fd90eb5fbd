# SPDX-License-Identifier: BSD-3-Clause
"""An example of every display, and a comparison of pictures that holds for any release of matplotlib and any fonts."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from formulations import (
    Comparison,
    CrossExamination,
    OneClass,
    OneVersusRest,
    RelevanceClassification,
    RelevanceRegression,
    SoftMargin,
    SoftTube,
    exact_path,
    grid,
    path,
)
from formulations.judging import Row, Trial
from formulations.losses import EpsilonInsensitive, Hinge, LogisticLoss, SquaredHinge, ZeroOne
from formulations.plots import (
    CertificateDisplay,
    ComparisonDisplay,
    CrossExaminationDisplay,
    DecisionRegionDisplay,
    ExactPathDisplay,
    GramDisplay,
    GridSearchDisplay,
    KKTDisplay,
    LossDisplay,
    PathDisplay,
    RelevanceDisplay,
    TubeDisplay,
)
from formulations.plots.display import Display
from qpkernels import RBF
from relevance_data import gaussians, sine

BASELINES = Path(__file__).parent / "formulations" / "plots" / "baselines"
SIDE = 64
"""Pixels of a panel; they are compared by fours."""


@cache
def moons() -> tuple[np.ndarray, np.ndarray]:
    """Return 60 samples on two half circles, labelled 3 and 7."""
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, np.pi, 60)
    upper = np.arange(60) % 2 == 0
    X = np.column_stack([np.cos(angle), np.sin(angle)]) * np.where(upper, 1.0, -1.0)[:, None]
    X[~upper] += [1.0, 0.4]
    return X + 0.25 * rng.normal(size=X.shape), np.where(upper, 3, 7)


@cache
def three() -> tuple[np.ndarray, np.ndarray]:
    """Return 60 samples of three classes around the corners of a triangle."""
    y = np.arange(60) % 3
    centres = np.array([[0.0, 0.0], [3.0, 0.0], [1.5, 2.6]])
    return centres[y] + np.random.default_rng(1).normal(size=(60, 2)), y


@cache
def soft_margin() -> tuple[Any, Any]:
    """Return a model of two classes and its answer."""
    model = SoftMargin(*moons(), RBF(1.0), C=2.0)
    return model, model.solve(tol=1e-9)


@cache
def tube() -> tuple[Any, Any]:
    """Return a model of regression and its answer."""
    model = SoftTube(*sine(), RBF.from_theta(15.0), C=1.0, epsilon=0.2)
    return model, model.solve(tol=1e-9)


def _regions_of_one() -> Display:
    X = np.vstack([moons()[0], [[3.0, -2.0], [-2.5, 2.0]]])
    model = OneClass(X, RBF(0.5), nu=0.1)
    return DecisionRegionDisplay.from_solution(model.solve(tol=1e-9), model)


def _regions_of_three() -> Display:
    model = OneVersusRest(*three(), RBF(0.3), C=1.0)
    return DecisionRegionDisplay.from_solution(model.solve(tol=1e-9, progress=False), model)


def _probabilities() -> Display:
    model = RelevanceClassification(*gaussians(60), RBF(0.25))
    return DecisionRegionDisplay.from_solution(model.solve(), model, response_method="predict_proba")


def _relevance() -> Display:
    model = RelevanceRegression(*sine(), RBF.from_theta(15.0))
    return RelevanceDisplay.from_solution(model.solve(), model)


def comparison() -> Comparison:
    """Return a comparison with one answer that is not proved and one that is missing."""
    rows = [
        Row("a", form, solver, status, relative_gap=gap, seconds_solve=seconds, **dict.fromkeys(_PHASES, 0.0))
        for form, solver, status, gap, seconds in (
            ("SoftMargin", "smo", "optimal", 1e-9, 0.01),
            ("SoftMarginPrimal", "clarabel", "optimal", 0.0, 0.2),
            ("SoftMarginDual", "clarabel", "uncertified", 1e-4, 0.1),
            ("SoftMarginDual", "osqp", "failed", float("nan"), 1.0),
        )
    ]
    return Comparison(tuple(rows), 1e-6, ("a",))


_PHASES = ("seconds_gram", "seconds_lower", "seconds_certify")


def examination() -> CrossExamination:
    """Return the trials of two solvers at two tolerances, one of which is not proved."""
    trials = tuple(
        Trial(Row("a", "SoftMargin", solver, status, accuracy=accuracy, seconds_solve=s, seconds_certify=0.0), tol)
        for solver, tol, status, accuracy, s in (
            ("smo", 1e-3, "optimal", 5e-4, 0.01),
            ("smo", 1e-6, "optimal", 5e-7, 0.02),
            ("osqp", 1e-3, "optimal", 8e-4, 0.05),
            ("osqp", 1e-6, "uncertified", 1e-5, 0.2),
        )
    )
    return CrossExamination("a", (1e-3, 1e-6), trials)


@cache
def searched() -> Any:
    """Return a grid over two hyper-parameters."""
    costs, widths = [0.1, 1.0, 10.0], [0.1, 1.0]
    return grid(soft_margin()[0], C=costs, gamma=widths, folds=3, progress=False, tol=1e-6)


@cache
def followed() -> Any:
    """Return a path."""
    return path(soft_margin()[0], C=[0.1, 1.0, 10.0, 100.0], progress=False, tol=1e-6)


@cache
def traced() -> Any:
    """Return an exact path."""
    return exact_path(soft_margin()[0], C=(0.1, 100.0))


def _certificates() -> Display:
    model = soft_margin()[0]
    beta = soft_margin()[1].beta
    found = {f"{share:g}": model.certify((share * beta, soft_margin()[1].intercept)) for share in (0.9, 0.99, 0.999)}
    return CertificateDisplay.from_certificates(found, tol=1e-3)


def _kkt_off() -> Display:
    model, solution = soft_margin()
    return KKTDisplay.from_solution((0.8 * solution.beta, solution.intercept), model)


EXAMPLES: dict[str, Callable[[], Display]] = {
    "regions": lambda: DecisionRegionDisplay.from_solution(*reversed(soft_margin())),
    "regions_of_one": _regions_of_one,
    "regions_of_three": _regions_of_three,
    "probabilities": _probabilities,
    "tube": lambda: TubeDisplay.from_solution(*reversed(tube())),
    "relevance": _relevance,
    "kkt": lambda: KKTDisplay.from_solution(*reversed(soft_margin())),
    "kkt_tube": lambda: KKTDisplay.from_solution(*reversed(tube())),
    "kkt_off": _kkt_off,
    "losses": lambda: LossDisplay.from_losses([ZeroOne(), Hinge(), SquaredHinge(), LogisticLoss()]),
    "losses_of_residuals": lambda: LossDisplay.from_losses(EpsilonInsensitive(0.5)),
    "gram": lambda: GramDisplay.from_model(soft_margin()[0]),
    "path": lambda: PathDisplay.from_path(followed()),
    "exact_path": lambda: ExactPathDisplay.from_path(traced()),
    "grid": lambda: GridSearchDisplay.from_search(searched()),
    "grid_of_one": lambda: GridSearchDisplay.from_search(searched(), ["C"]),
    "comparison": lambda: ComparisonDisplay.from_comparison(comparison()),
    "examination": lambda: CrossExaminationDisplay.from_examination(examination()),
    "certificates": _certificates,
}
"""Every display at least once."""


def panels_of(display: Display) -> tuple[Figure, list[Any]]:
    """Return a small figure, which no window shows, with as many axes as the display draws in."""
    rows, columns = display._panel_rows, display._panel_columns
    figure = Figure(figsize=(columns, rows), dpi=SIDE)
    return figure, list(figure.subplots(rows, columns, squeeze=False).flat)


def drawn(display: Display) -> np.ndarray:
    """Return what a display draws in small axes without any text, as numbers from 0 to 1, shape (rows, columns, 3)."""
    figure, axes = panels_of(display)
    display.plot(axes, legend=False)
    for ax in figure.axes:
        ax.set_axis_off()
        ax.set_title("")
        for text in ax.texts:
            text.set_visible(False)
    figure.subplots_adjust(0.02, 0.02, 0.98, 0.98, 0.05, 0.05)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3] / 255.0


def distance(one: np.ndarray, other: np.ndarray) -> float:
    """Return the root mean square of the difference of two pictures, each averaged over squares of 4 x 4 pixels."""
    if one.shape != other.shape:
        return float("inf")
    coarse = [
        image.reshape(image.shape[0] // 4, 4, image.shape[1] // 4, 4, 3).mean(axis=(1, 3)) for image in (one, other)
    ]
    return float(np.sqrt(np.mean((coarse[0] - coarse[1]) ** 2)))


def write(image: np.ndarray, file: Path) -> None:
    """Write a picture in 64 colours."""
    whole = Image.fromarray(np.round(255 * image).astype(np.uint8))
    whole.quantize(64, dither=Image.Dither.NONE).save(file, optimize=True)


def read(file: Path) -> np.ndarray:
    """Read a picture."""
    return np.asarray(Image.open(file).convert("RGB")) / 255.0
