# SPDX-License-Identifier: BSD-3-Clause
"""What is attacked: from a seed a model, its data and hyper-parameters, and the order in which solvers get it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np
from numpy.random import Generator

from attack.cones import draw_cone
from attack.data import Drawn, draw_classes, draw_samples, draw_targets, with_near_duplicates, with_own_scales
from formulations import HardMargin, HardTube, Interpolation, NormConstrainedClassifier, SparseApproximation
from formulations.losses import (
    AbsolutePower,
    EpsilonInsensitive,
    Hinge,
    LogisticLoss,
    LogisticResidual,
    Pinball,
)
from formulations.losses import Huber as HuberLoss
from formulations.losses import Squared as SquaredLoss
from formulations.losses import SquaredHinge as SquaredHingeLoss
from formulations.modelling import Form, Model, Stated
from model_data import MODELS
from qpkernels.kernels import RBF, Kernel, Laplacian, Linear, Matern, Polynomial, Precomputed, Sigmoid, Spectrum
from qpkernels.solvers import installed_solvers

__all__ = ["Attack", "Extension", "Route", "draw", "extended"]

SHARE_EXTENDED = 0.12
"""Share of the attacks on an extended form."""

FIRST_HARD = 10_000
"""From this seed on, more of the models have no slack, and data and extensions spread over more decades.

Seeds below are drawn as ever: those that failed once are tests.
"""

WITHOUT_SLACK = (HardMargin, HardTube, Interpolation, SparseApproximation)
"""The models whose every row has to hold."""

LATER = (NormConstrainedClassifier,)
"""Models that came later: they take a share of the seeds over, none of which is a test since it failed once."""

SHARE_WITHOUT_SLACK = SHARE_SPREAD = 0.15
"""Shares of those attacks on these models; with near duplicates; with a scale for each target."""


@dataclass(frozen=True)
class Route:
    """Who solves what: a form by name, or the model as it is where that is empty."""

    form: str
    solver: str
    extended: bool = False

    def __str__(self) -> str:
        return f"{self.form or 'model'} by {self.solver}"


@dataclass(frozen=True, eq=False)
class Attack:
    """A model in bad shape.

    Attributes
    ----------
    model
        Its class.
    data
        Samples, and labels or targets if it takes any.
    kernel, parameters
        What else it is stated with.
    routes
        In this order they are tried, until two have answered.
    words
        What is bad about the data.
    """

    seed: int
    model: type[Model[Any]]
    data: tuple[Any, ...]
    kernel: Kernel | None
    parameters: dict[str, Any]
    routes: tuple[Route, ...]
    words: str

    def state(self) -> Model[Any]:
        """Return the model."""
        return self.model(*self.data, kernel=self.kernel, **self.parameters)

    def __str__(self) -> str:
        shape = f"{len(self.data[0])} samples, {self.words}"
        numbers = ", ".join(f"{name}={_shown(value)}" for name, value in self.parameters.items())
        return f"{self.model.__name__}({shape}; {self.kernel!r}; {numbers})"


@dataclass(frozen=True, eq=False)
class Extension:
    """A form with constraints of the user.

    Attributes
    ----------
    form
        The form.
    implied
        What is at least 0, to the tolerance, at every feasible point, by words.
    """

    form: Form
    implied: dict[str, cp.Expression]


def draw(seed: int) -> Attack:
    """Return the attack of that number: the same on every machine."""
    rng = np.random.default_rng([0x5EED, seed])
    # What is drawn from it comes on top, and changes nothing that the other draws.
    harder = np.random.default_rng([0x4A2D, seed])
    harder_than = lambda share: seed >= FIRST_HARD and harder.random() < share  # noqa: E731
    earlier = [model for model in MODELS if model not in LATER]
    model = earlier[int(rng.integers(len(earlier)))]
    later = np.random.default_rng([0x1ADF, seed])
    if later.random() < len(LATER) / len(MODELS):
        model = LATER[int(later.integers(len(LATER)))]
    if harder_than(SHARE_WITHOUT_SLACK):
        model = WITHOUT_SLACK[int(harder.integers(len(WITHOUT_SLACK)))]
    takes = inspect.signature(model).parameters
    imbalanced = (
        "y" in takes and model.__module__.startswith("formulations.models.classification") and rng.random() < 0.01
    )
    samples = draw_samples(rng, 1000 if imbalanced else int(rng.integers(2, 26)))
    kernel, samples = _draw_kernel(rng, samples)
    if harder_than(SHARE_SPREAD) and isinstance(samples.values, np.ndarray) and samples.values.ndim == 2:
        samples = with_near_duplicates(harder, samples)
    m = len(samples.values)
    data: tuple[Any, ...] = (samples.values,)
    words = samples.words
    if "y" in takes:
        drawer = draw_classes if model.__module__.startswith("formulations.models.classification") else draw_targets
        targets = drawer(rng, samples, imbalanced)
        if drawer is draw_targets and harder_than(SHARE_SPREAD):
            targets = with_own_scales(harder, targets)
        data, words = (samples.values, targets.values), f"{words}, {targets.words}"
    parameters = _draw_parameters(rng, takes, m, np.std(data[-1]) if words.endswith("targets") else 1.0)
    return Attack(seed, model, data, kernel, parameters, _routes(rng, model, m), words)


def extended(attack: Attack, model: Model[Any]) -> Extension | None:
    """Return a form of the model with a constraint or two, or None: it is attacked as the textbook has it."""
    rng = np.random.default_rng([0xADD, attack.seed])
    if rng.random() >= SHARE_EXTENDED:
        return None
    forms = list(model.forms.values())
    form = forms[int(rng.integers(len(forms)))]
    if not isinstance(form, Form):
        return None
    vectors = [each for each in form.problem.variables() if each.ndim == 1]
    variable = vectors[int(rng.integers(len(vectors)))]
    size = variable.shape[0]
    if attack.seed >= FIRST_HARD and rng.random() < 0.5:
        cone, name, implied = draw_cone(rng, variable)
        return Extension(form.extend(cone.set_label("added")), {name: implied})
    kinds: tuple[Callable[[], cp.Constraint], ...] = (
        lambda: cp.abs(variable) <= 10.0 ** rng.uniform(-6, 4, size),
        lambda: cp.norm1(variable) <= 10.0 ** rng.uniform(-4, 3),
        lambda: variable[0] >= 10.0 ** rng.uniform(-6, 2),
        lambda: variable[int(rng.integers(size))] == 10.0 ** rng.uniform(-6, 1),
        lambda: rng.normal(size=size) @ variable <= -(10.0 ** rng.uniform(-6, 1)),
    )
    chosen = rng.choice(len(kinds), size=int(rng.integers(1, 3)), replace=False)
    return Extension(form.extend(*(kinds[int(k)]().set_label(f"added {k}") for k in chosen)), {})


def _draw_kernel(rng: Generator, samples: Drawn) -> tuple[Kernel | None, Drawn]:
    """Return a kernel, and the samples that it takes: mostly those given."""
    X, m = samples.values, len(samples.values)
    size = float(np.linalg.norm(X - X.mean(axis=0), axis=1).mean()) or 1.0
    gamma = float(10.0 ** rng.uniform(-3, 3)) / size**2
    kernels: tuple[Callable[[], Kernel | None], ...] = (
        lambda: None,
        lambda: None,
        Linear,
        lambda: RBF(gamma),
        lambda: RBF(gamma),
        lambda: Laplacian(gamma * size),
        lambda: Matern(size * float(10.0 ** rng.uniform(-2, 2)), float(rng.choice([0.5, 1.5, 2.5]))),
        lambda: Polynomial(int(rng.integers(1, 5)), 1.0 / size**2, float(rng.integers(0, 2))),
        lambda: RBF(gamma) + Linear(),
        lambda: 10.0 ** rng.uniform(-8, 8) * RBF(gamma),
        lambda: Sigmoid(0.1 / size**2, -0.1),
    )
    pick = int(rng.integers(len(kernels) + 2))
    if pick < len(kernels):
        return kernels[pick](), samples
    if pick == len(kernels):
        v = rng.normal(size=m) * 10.0 ** rng.uniform(-4, 4)
        return Precomputed(np.outer(v, v)), Drawn(np.arange(m), "a kernel matrix of rank 1")
    texts = ["".join(rng.choice(list("ab"), size=int(rng.integers(3, 9)))) for _ in range(min(m, 25))]
    return Spectrum(2), Drawn(texts, "short texts")


def _draw_parameters(rng: Generator, takes: Any, m: int, spread: float) -> dict[str, Any]:
    spread = spread if np.isfinite(spread) and spread > 0 else 1.0
    wide = lambda low, high: float(10.0 ** rng.uniform(low, high))  # noqa: E731
    makers: dict[str, Callable[[], Any]] = {
        "C": lambda: wide(-8, 8) if rng.random() < 0.5 else wide(-1, 2),
        "epsilon": lambda: float(rng.choice([0.0, wide(-6, 0) * spread, wide(-1, 1) * spread])),
        "nu": lambda: float(rng.choice([rng.uniform(0.01, 1.0), 1.0 / m, 1.0, wide(-6, 0)])),
        "tau": lambda: float(rng.choice([rng.uniform(0.01, 0.99), 0.5, wide(-6, -1)])),
        "delta": lambda: wide(-6, 3) * spread,
        "R": lambda: wide(-4, 4),
        "regularisation": lambda: wide(-8, 8) if rng.random() < 0.5 else wide(-2, 1),
    }
    parameters = {name: maker() for name, maker in makers.items() if name in takes}
    if "C" in parameters and str(takes["C"].annotation) == "ArrayLike" and rng.random() < 0.2:
        parameters["C"] = 10.0 ** rng.uniform(-4, 4, m)
    if "fit_intercept" in takes and rng.random() < 0.3:
        parameters["fit_intercept"] = False
    if "loss" in takes:
        parameters["loss"] = _draw_loss(rng, str(takes["loss"].annotation), spread)
    return parameters


def _draw_loss(rng: Generator, kind: str, spread: float) -> Any:
    margins = (Hinge(), SquaredHingeLoss(), LogisticLoss())
    residuals = (
        AbsolutePower(float(rng.choice([1.0, 1.2, 1.5, 2.0, 3.0]))),
        EpsilonInsensitive(0.3 * spread),
        HuberLoss(0.3 * spread),
        LogisticResidual(),
        Pinball(0.3),
        SquaredLoss(),
    )
    choices: tuple[Any, ...] = margins if kind.startswith("MarginLoss") else residuals
    return choices[int(rng.integers(len(choices)))]


def _routes(rng: Generator, model: type[Model[Any]], m: int) -> tuple[Route, ...]:
    """Return all routes in an order of their own, but alternating solvers so that two answers come from two."""
    names = sorted(solver.name for solver in installed_solvers() if not solver.name.startswith("cvxpy"))
    if m > 100:
        names = ["smo", "clarabel"]
    forms = [name for name, _ in Stated.of(model)]
    # The one solver that takes almost every model as it is would else have few answers.
    order = [*(["smo"] if rng.random() < 0.4 else []), *(str(name) for name in rng.permutation(names))]
    return tuple(Route(str(form), solver) for _ in forms for solver in order for form in (rng.choice([*forms, ""]),))


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return f"{len(value)} numbers" if isinstance(value, np.ndarray) else str(value)
