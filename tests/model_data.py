# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the models share: the formulations found, an example of each, its data, and KKT in NumPy."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import cvxpy as cp
import numpy as np

import formulations
from formulations import (
    ChebyshevFit,
    HardMargin,
    HardTube,
    Huber,
    Interpolation,
    KernelRidge,
    LaplaceFit,
    LeastAbsoluteFit,
    LeastSquares,
    LeastSquaresClassifier,
    LeastSquaresFit,
    LinearProgramMachine,
    Logistic,
    MarginLossClassifier,
    NormConstrainedClassifier,
    NormConstrainedRegression,
    NuMargin,
    NuTube,
    OneClass,
    PenalisedLogistic,
    PenalisedTube,
    Quantile,
    ResidualLossRegression,
    Separability,
    SoftMargin,
    SoftTube,
    SparseApproximation,
    SquaredHinge,
)
from formulations.losses import AbsolutePower, LogisticLoss, LogisticResidual
from formulations.losses import SquaredHinge as SquaredHingeLoss
from formulations.modelling import Dual, Form, Model, Primal, Solution, Stated
from qpkernels.files import load_dataset, scale_features
from qpkernels.kernels import RBF, Kernel, Polynomial
from qpkernels.problems import LinearSystem, ResidualNorm, SmoothRisk

MODELS: tuple[type[Model], ...] = tuple(
    value
    for value in (getattr(formulations, name) for name in formulations.__all__)
    if isinstance(value, type) and issubclass(value, Model) and not inspect.isabstract(value)
)
"""Every concrete model that the package makes public."""

FORMS: tuple[tuple[type[Model], str, type[Form]], ...] = tuple(
    (model, name, form) for model in MODELS for name, form in Stated.of(model)
)
"""Every form of every model, by its name there and its class."""

KERNELS: dict[str, Kernel | None] = {"explicit": None, "rbf": RBF(0.5), "polynomial": Polynomial(2, 0.5, 0.0)}
"""None: explicit features. The polynomial has 6 features of 3, which leaves residuals to a fit."""

COST = 0.8
"""C of a soft margin in the contract, unless a test says otherwise."""


# --- data ---


def blobs(seed: int, samples: int, features: int, distance: float) -> tuple[np.ndarray, np.ndarray]:
    """Return two Gaussian clouds whose centres are that far apart along the first axis, and labels +-1."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(samples) % 3 == 0, -1, 1)
    X = rng.normal(size=(samples, features))
    X[:, 0] += 0.5 * distance * y
    return X, y


def overlapping() -> tuple[np.ndarray, np.ndarray]:
    """Return 30 samples that no line separates."""
    return blobs(seed=11, samples=30, features=3, distance=1.5)


def touching() -> tuple[np.ndarray, np.ndarray]:
    """Return 30 samples of which a few are on the wrong side of every line."""
    return blobs(seed=11, samples=30, features=3, distance=3.0)


def separable() -> tuple[np.ndarray, np.ndarray]:
    """Return 30 samples that a line separates with room, with and without an intercept."""
    X, y = blobs(seed=5, samples=30, features=3, distance=2.0)
    X[:, 0] = y * (0.4 + np.abs(X[:, 0]))
    return X, y


def xor() -> tuple[np.ndarray, np.ndarray]:
    """Return the four corners of a square with opposite corners in one class."""
    return np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]), np.array([1, -1, -1, 1])


def contradiction() -> tuple[np.ndarray, np.ndarray]:
    """Return data with one point in both classes: inseparable with any kernel."""
    X, y = separable()
    return np.vstack([X, X[:1]]), np.append(y, -y[0])


def measured() -> tuple[np.ndarray, np.ndarray]:
    """Return 24 samples with targets near a plane that misses the origin."""
    rng = np.random.default_rng(17)
    X = rng.normal(size=(24, 3))
    return X, X @ np.array([1.0, -0.6, 0.3]) + 0.7 + 0.4 * rng.standard_t(3, size=24)


def few() -> tuple[np.ndarray, np.ndarray]:
    """Return 6 samples with more features than that: a plane meets any targets."""
    rng = np.random.default_rng(23)
    return rng.normal(size=(6, 8)), rng.normal(size=6)


def cloud() -> tuple[np.ndarray]:
    """Return 24 samples without targets, on one side of the origin."""
    return (np.random.default_rng(29).normal(size=(24, 3)) + np.array([2.5, 1.0, 0.5]),)


@cache
def one_against_rest(name: str, positive: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a bundled set with features in [-1, 1] and one class against the rest."""
    dataset = load_dataset(name)
    return scale_features(dataset.X), np.where(dataset.y == positive, 1, -1)


# --- examples ---


@dataclass(frozen=True)
class Example:
    """How the contract states a form: data and numbers for which the optimum is not 0.

    Attributes
    ----------
    data
        Returns the samples, and their labels or targets.
    parameters
        Hyper-parameters by name.
    others
        Further values of each hyper-parameter, to sweep.
    kernels
        Names of the kernels, explicit features first.
    label
        Tells several examples of a form apart.
    """

    data: Callable[[], tuple[np.ndarray, ...]]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    others: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    kernels: tuple[str, ...] = ("explicit", "rbf")
    label: str = ""


_COSTS = {"C": (0.05, 3.0, np.linspace(0.1, 2.0, 30))}
_TARGET_COSTS = {"C": (0.3, np.linspace(0.5, 2.0, 24))}

_SEPARABLE = Example(separable)
_SOFT = Example(overlapping, {"C": COST}, _COSTS)
# Where the samples overlap too much for nu, the optimum is f = 0.
_NU_MARGIN = Example(
    touching, {"nu": 0.61, "sample_weight": 1.0}, {"nu": (0.43, 0.54), "sample_weight": (np.linspace(0.9, 1.1, 30),)}
)
_ONE_CLASS = Example(
    cloud, {"nu": 0.3, "sample_weight": 1.0}, {"nu": (0.17, 0.8), "sample_weight": (np.linspace(0.5, 2.0, 24),)}
)
# A kernel of full rank fits every target exactly, which leaves nothing to be minimised.
_FIT = Example(measured, kernels=("explicit", "polynomial"))
_HARD_TUBE = Example(measured, {"epsilon": 1.4}, {"epsilon": (1.2, 1.9)})
_SOFT_TUBE = Example(measured, {"C": 1.3, "epsilon": 0.25}, {**_TARGET_COSTS, "epsilon": (0.0, 0.6)})
_QUANTILE = Example(measured, {"C": 1.3, "tau": 0.3}, {**_TARGET_COSTS, "tau": (0.45, 0.8)})
_HUBER = Example(measured, {"C": 1.3, "delta": 0.35}, {**_TARGET_COSTS, "delta": (0.1, 1.0)})
_LOSSES = (
    Example(measured, {"C": 1.3, "loss": AbsolutePower(1.5)}, {"C": (0.3, 2.0)}, label="power"),
    Example(measured, {"C": 1.3, "loss": LogisticResidual()}, {"C": (0.3, 2.0)}, label="logistic"),
)
_MARGIN_LOSSES = (
    Example(overlapping, {"C": 0.8, "loss": SquaredHingeLoss()}, _COSTS, label="squared hinge"),
    Example(overlapping, {"C": 0.8, "loss": LogisticLoss()}, _COSTS, label="logistic"),
)
_CLASSES_IN_BALL = (
    # The balls are met, and wide enough for both answers.
    Example(touching, {"R": 1.2, "loss": SquaredHingeLoss()}, {"R": (0.1, 2.0)}, label="squared hinge"),
    Example(touching, {"R": 3.0, "loss": LogisticLoss()}, {"R": (0.1, 0.9)}, label="logistic"),
)
_BALL = Example(measured, {"R": 0.3, "loss": AbsolutePower(1.5)}, {"R": (0.1, 0.9)}, label="power")
_NU_TUBE = Example(
    measured,
    {"C": 1.3, "nu": 0.3, "sample_weight": 1.0},
    {"C": (0.3, 2.0), "nu": (0.15, 0.7), "sample_weight": (np.linspace(0.5, 2.0, 24),)},
)
_LEAST_SQUARES = Example(measured, {"C": 1.3}, {"C": (0.3, 20.0)})
_RIDGE = Example(measured, {"regularisation": 0.4}, {"regularisation": (0.1, 3.0)})
# The kernel matrix of an interpolation has to be positive definite: explicit features must outnumber the samples.
_INTERPOLATION = Example(few)
_SPARSE = Example(measured, {"epsilon": 1.6}, {"epsilon": (1.7, 2.0)})

EXAMPLES: dict[type[Model], tuple[Example, ...]] = {
    Separability: (_SEPARABLE,),
    HardMargin: (_SEPARABLE,),
    SoftMargin: (_SOFT,),
    LinearProgramMachine: (_SOFT,),
    Logistic: (_SOFT,),
    PenalisedLogistic: (Example(overlapping, {"regularisation": 0.6}, {"regularisation": (0.1, 3.0)}),),
    SquaredHinge: (_SOFT,),
    LeastSquaresClassifier: (_SOFT,),
    MarginLossClassifier: _MARGIN_LOSSES,
    NormConstrainedClassifier: _CLASSES_IN_BALL,
    NormConstrainedRegression: (_BALL,),
    NuMargin: (_NU_MARGIN,),
    OneClass: (_ONE_CLASS,),
    LeastSquaresFit: (_FIT,),
    LeastAbsoluteFit: (_FIT,),
    LaplaceFit: (_FIT,),
    ChebyshevFit: (_FIT,),
    HardTube: (_HARD_TUBE,),
    SoftTube: (_SOFT_TUBE,),
    PenalisedTube: (
        Example(
            measured,
            {"regularisation": 0.4, "epsilon": 0.25},
            {"regularisation": (0.1, 3.0), "epsilon": (0.0, 0.6)},
        ),
    ),
    Quantile: (_QUANTILE,),
    Huber: (_HUBER,),
    ResidualLossRegression: _LOSSES,
    NuTube: (_NU_TUBE,),
    LeastSquares: (_LEAST_SQUARES,),
    KernelRidge: (_RIDGE,),
    SparseApproximation: (_SPARSE,),
    Interpolation: (_INTERPOLATION,),
}
"""How each model is stated in the contract."""


@dataclass(frozen=True)
class Case:
    """A form of a model, with a kernel; where its signature lets it, also without an intercept."""

    model: type[Model]
    form: str
    kernel: str
    label: str = ""
    intercept: bool = True

    def __str__(self) -> str:
        parts = [self.form_class.__name__, self.kernel, self.label, "" if self.intercept else "without intercept"]
        return "-".join(part for part in parts if part)

    @property
    def form_class(self) -> type[Form]:
        return dict(Stated.of(self.model))[self.form]

    @property
    def example(self) -> Example:
        return next(example for example in EXAMPLES[self.model] if example.label == self.label)

    @property
    def has(self) -> frozenset[str]:
        """Return the names of the arguments that the model is stated with."""
        return frozenset(inspect.signature(self.model).parameters)

    @property
    def is_regression(self) -> bool:
        return self.example.data in (measured, few)

    def data(self) -> tuple[np.ndarray, ...]:
        """Return data that the model has an answer for: samples, and labels or targets unless it takes none."""
        return self.example.data()

    def state_model(self, X: Any = None, y: Any = None, **parameters: Any) -> Any:
        """Return the model on its own data and numbers, or on those given."""
        own = self.data()
        data = [own[0] if X is None else X, *([own[1] if y is None else y] if len(own) == 2 else [])]
        settings = dict(self.example.parameters)
        if not self.intercept:
            settings["fit_intercept"] = False
        return self.model(*data, KERNELS[self.kernel], **(settings | parameters))

    def state(self, X: Any = None, y: Any = None, **parameters: Any) -> Any:
        """Return the form of that model."""
        return getattr(self.state_model(X, y, **parameters), self.form)

    @property
    def is_kernel_qp(self) -> bool:
        return "smo" in self.routes and not self.has_free_level

    @property
    def has_free_level(self) -> bool:
        return self.model in (NuMargin, NuTube)

    @property
    def chosen(self) -> str:
        """Return the solver that answers where nobody is named."""
        if self.is_system:
            return "linear"
        if self.model is NuMargin and self.kernel != "explicit":
            return "smo"
        if self.is_kernel_qp and self.kernel == "explicit" and not self.model.entry.hard and self.model is not OneClass:
            # As an array, in few features, where the coefficients add up to 0 or to anything.
            return "semismooth-newton"
        return "interior-point" if self.has_free_level else self.routes[0]

    @property
    def is_system(self) -> bool:
        return "linear" in self.routes

    @property
    def partner(self) -> Case:
        """Return the case of :func:`partner`."""
        own = issubclass(self.form_class, Primal)
        others = (name for name, form in Stated.of(self.model) if issubclass(form, Dual if own else Primal))
        return replace(self, form=next(others, self.form))

    @property
    def routes(self) -> tuple[str, ...]:
        """Return the solvers of the contract that take it."""
        return _routes(self)


@cache
def _routes(case: Case) -> tuple[str, ...]:
    form = case.state()
    model, bounds = form.model, form.model.bounds()
    program, system = getattr(bounds, "program", None), form.linear_system() or form.model.linear_system(bounds)
    kernel_qp = model.qp() is not None
    own = (
        ("smo", kernel_qp or case.has_free_level),
        ("interior-point", kernel_qp or case.has_free_level),
        ("newton", isinstance(program, SmoothRisk)),
        ("frisch-newton", isinstance(program, ResidualNorm)),
        ("linear", system is not None),
        ("conjugate-gradient", isinstance(system, LinearSystem) and system.is_expansion),
        ("highs", case.model.entry.cone_solver == "highs"),
        ("clarabel", True),
    )
    return tuple(solver for solver, takes in own if takes)


def _cases() -> Iterator[Case]:
    for model, form, _ in FORMS:
        for example in EXAMPLES.get(model, ()):
            for kernel in example.kernels:
                yield Case(model, form, kernel, example.label)
            if "fit_intercept" in inspect.signature(model).parameters:
                yield Case(model, form, example.kernels[-1], example.label, intercept=False)


def form_of(case: Case, *_: Any) -> type[Form]:
    """Return the form of a case: for what depends on it, and is checked together for all of its kernels and solvers."""
    return case.form_class


def model_of(case: Case, *_: Any) -> type[Model]:
    """Return the model of a case: for what is the same in all of its forms."""
    return case.model


CASES = list(_cases())
ROUTES = [(case, solver) for case in CASES for solver in case.routes]
CERTIFIED_CASES = [case for case in CASES if case.is_kernel_qp]
FIRST_CASES = [case for case in CASES if case.intercept and case.kernel == case.example.kernels[0]]
"""One case for each example, in explicit features: for what has nothing to do with the kernel."""
MODEL_CASES = [case for case in FIRST_CASES if case.form == next(name for name, _ in Stated.of(case.model))]
"""One case for each example, of the usual form: for what is asked of the model."""
SHARP = {
    "smo": 1e-11,
    "interior-point": 1e-11,
    "newton": 1e-11,
    "frisch-newton": 1e-9,
    "linear": 1e-9,
    "conjugate-gradient": 1e-11,
    "highs": 1e-8,
    "clarabel": 1e-8,
}
"""The tolerance asked of each route where numbers are compared."""


@cache
def solved(case: Case, solver: str) -> tuple[Any, Any]:
    """Return the form of a case and its sharp solution, which is also what its variables hold; leave both alone."""
    form = case.state()
    solution = form.solve(solver, tol=SHARP[solver])
    assert isinstance(solution, Solution)
    return form, solution


@cache
def loosely_solved(case: Case) -> tuple[Any, Any]:
    """Return the form of a case and an answer with two digits, which its variables hold; leave both alone.

    So little is asked for that nothing is polished.
    """
    form = case.state()
    return form, form.solve("scs", tol=0.5, eps_abs=1e-2, eps_rel=1e-2)


def coefficients_of(form: Any, solution: Any) -> np.ndarray:
    """Return coefficients of the solution's function over all samples."""
    if form.model.entry.expands:
        return np.asarray(solution.beta)
    K = form.model.gram.kernel(form.model.gram.X)
    return np.linalg.lstsq(K, solution.decision - solution.intercept, rcond=1e-10)[0]


def stated(form: type[Form], *data: Any, **parameters: Any) -> Any:
    """Return that form of its model on these data."""
    model, name = next((model, name) for model, name, each in FORMS if each is form)
    return getattr(model(*data, **parameters), name)


def partner(form: Any) -> Any:
    """Return a dual of a primal form, a primal of a dual; the form itself where its model has no other side."""
    other = Dual if isinstance(form, Primal) else Primal
    return next((each for each in form.model.forms.values() if isinstance(each, other)), form)


# --- KKT in NumPy ---


def relative_error(value: float, expected: float) -> float:
    return abs(value - expected) / abs(expected)


def values_of(problem: cp.Problem) -> dict[str, np.ndarray]:
    """Return the values of the variables by name."""
    return {variable.name(): np.asarray(variable.value) for variable in problem.variables()}


def multipliers_of(problem: cp.Problem) -> dict[str, np.ndarray]:
    """Return the multipliers of the constraints by label."""
    return {constraint.label: np.asarray(constraint.dual_value) for constraint in problem.constraints}


def lagrangian(problem: cp.Problem) -> float:
    """Return f + sum lambda' g at the present values, f minimised and every constraint written g <= 0 or g = 0."""
    sign = -1.0 if isinstance(problem.objective, cp.Maximize) else 1.0
    terms = [np.sum(constraint.dual_value * constraint.expr.value) for constraint in problem.constraints]
    return sign * float(problem.objective.value) + float(sum(terms))


@contextmanager
def restored(problem: cp.Problem) -> Iterator[dict[cp.Variable, np.ndarray]]:
    """Give the variables their present values back at the end."""
    here = {variable: np.array(variable.value) for variable in problem.variables()}
    try:
        yield here
    finally:
        for variable, value in here.items():
            variable.value = value
