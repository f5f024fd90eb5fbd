# SPDX-License-Identifier: BSD-3-Clause
"""Machines that predict by expressions of functions: what they say, their files, and what is none."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cvxpy as cp
import numpy as np
import pytest

from formulations import Function, Machine, Predictor, load
from formulations.language import MachineSolution
from qpkernels import RBF, Expansion, Spectrum
from qpkernels.errors import FileFormatError, LabelError, ParameterError, ShapeError
from qpkernels.gram.functions import Expansions
from together import together

RANDOM = np.random.default_rng(0)
X, NEW = RANDOM.normal(size=(30, 2)), RANDOM.normal(size=(7, 2))
T = X[:, 0] + X[:, 1] ** 2
KNOWN = Expansion(RBF(0.5), X[:3], [1.0, -2.0, 0.5])

f, g = Function(RBF(1.0), "f"), Function(RBF(0.2), "g")
b, w, theta = cp.Variable(name="b"), cp.Variable(2, name="w"), cp.Variable(2, name="theta")
scale = cp.Parameter(value=2.0, name="scale", nonneg=True)
MACHINE = Machine(
    cp.Minimize(
        f.squared_norm
        + 0.5 * g.squared_norm
        + scale * cp.sum_squares(f(X) + g(X) + X @ w + b - T)
        + cp.sum_squares(theta - [0.2, 0.8])
    )
)
SOLUTION = MACHINE.solve(tol=1e-8)


def direct(expression: Callable[[Any], Any]) -> Any:
    """Return what CVXPY computes of an expression at the new samples."""
    return expression(NEW).value


ONE: dict[str, Callable[[Any], Any]] = {
    "a function": f,
    "a multiple of it": 2 * f,
    "with its constant": lambda X: f(X) + b,
    "a sum of functions of two kernels": f + g,
    "with a trend": lambda X: f(X) + g(X) + X @ w + b,
    "with a parameter": lambda X: scale * f(X) - 1.0,
    "with a feature": lambda X: f(X) + 0.5 * X[:, 1],
    "less a known function of another kernel": f - KNOWN,
    "a derivative": lambda X: 3 * f.derivative(X, 0) + f.derivative(X, 1, order=2) - g(X),
    "compared with a mean": lambda X: f(X) - f.mean(NEW),
    "in units of a norm": lambda X: f(X) / f.norm.value + f.norm,
    "a row": lambda X: cp.reshape(f(X), (X.shape[0], 1), order="C") + 1,
}


@together("name", ONE)
def test_expressions_have_their_values_at_new_samples_and_out_of_files(name: str, tmp_path: Path) -> None:
    predictor = SOLUTION.predictor(ONE[name])
    expected = np.ravel(direct(ONE[name]))
    assert predictor.predict(NEW) == pytest.approx(expected, abs=1e-10)
    assert predictor.decision_function(NEW) == pytest.approx(expected, abs=1e-10)
    loaded = load(predictor.save(tmp_path / "machine"))
    assert (loaded.predict(NEW) == predictor.predict(NEW)).all()


def test_functions_of_one_kernel_are_expansions_over_what_is_used() -> None:
    plain = SOLUTION.predictor(lambda X: [f(X) + b, 2 * f(X)])
    assert isinstance(plain.functions, Expansions)
    assert plain.functions.centers.shape == X.shape
    assert plain.predict(NEW) == pytest.approx(np.column_stack([f(NEW).value + b.value, 2 * f(NEW).value]))
    assert plain.score(X, np.column_stack([f(X).value + b.value, 2 * f(X).value])) == pytest.approx(1.0)
    with pytest.raises(ShapeError, match="must hold 2 targets of each sample"):
        plain.score(X, T)
    gradient = SOLUTION.predictor(f.gradient)
    assert gradient.predict(NEW) == pytest.approx(f.gradient(NEW).value)
    with pytest.raises(ParameterError, match="sums over several kernels, or of derivatives"):
        _ = gradient.expansions
    both = str(SOLUTION.predictor(f + g))
    assert "RBF(gamma=1.0)" in both
    assert "RBF(gamma=0.2)" in both


DECIDED: dict[str, tuple[Callable[[], Predictor], Callable[[], Any]]] = {
    "two classes": (
        lambda: SOLUTION.predictor(lambda X: f(X), classes=["no", "yes"]),
        lambda: np.where(f(NEW).value > 0, "yes", "no"),
    ),
    "the largest": (
        lambda: SOLUTION.predictor(lambda X: [f(X), g(X), -0.1], classes=[3, 1, 2]),
        lambda: np.array([3, 1, 2])[np.argmax([f(NEW).value, g(NEW).value, np.full(7, -0.1)], axis=0)],
    ),
    "in their order": (
        lambda: SOLUTION.predictor(f + g, classes=["low", "middle", "high"], thresholds=theta),
        lambda: np.array(["low", "middle", "high"])[np.searchsorted(theta.value, f(NEW).value + g(NEW).value)],
    ),
}


@together("name", DECIDED)
def test_classes_are_decided_by_values_also_out_of_files(name: str, tmp_path: Path) -> None:
    make, expected = DECIDED[name]
    predictor = make()
    assert (predictor.predict(NEW) == expected()).all()
    assert len(set(predictor.predict(NEW).tolist())) > 1
    loaded = load(predictor.save(tmp_path / "machine.npz"))
    assert (loaded.predict(NEW) == expected()).all()
    assert loaded.score(NEW, expected()) == 1.0


def test_what_was_found_stays_when_variables_change() -> None:
    h, c = Function(RBF(1.0), "h"), cp.Variable(name="c")
    size = cp.Parameter(value=1.0, nonneg=True)
    machine = Machine(cp.Minimize(h.squared_norm + size * cp.norm1(h(X) + c - T)))
    first = machine.solve()
    before = h(NEW).value + c.value
    size.value = 50.0
    machine.solve()
    predictor = first.predictor(lambda X: h(X) + c)
    assert predictor.predict(NEW) == pytest.approx(before, abs=1e-10)
    assert abs(predictor.predict(NEW) - h(NEW).value - c.value).max() > 0.1


def test_functions_of_text_predict() -> None:
    words, targets = ["aab", "abb", "bba", "bab"], np.array([1.0, -1.0, -1.0, 1.0])
    s, c = Function(Spectrum(2), "s"), cp.Variable(name="c")
    solution = Machine(cp.Minimize(s.squared_norm + cp.sum_squares(s(words) + c - targets))).solve()
    predictor = solution.predictor(lambda X: s(X) + c)
    assert predictor.predict(["abab", "aab"]) == pytest.approx(s(["abab", "aab"]).value + c.value)


REFUSED: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "not affine": (lambda X: cp.pos(f(X)), ParameterError, "must be affine .* but it is convex"),
    "a product": (lambda X: cp.multiply(f(X), g(X)), ParameterError, "must be affine .* but it is unknown"),
    "a sign": (lambda X: np.sign(f(X) + b), ParameterError, "stated once, at a sample X"),
    "a case": (lambda X: f(X) if X[0, 0] > 1 else g(X), ParameterError, "stated once, at a sample X"),
    "a comparison": (lambda X: f(X) >= 0, ParameterError, "values to compare it with go to thresholds"),
    "another feature": (lambda X: f(X) + np.sin(X[:, 0]), ParameterError, "stated once, at a sample X"),
    "samples that are changed": (lambda X: f(2 * X), ParameterError, "takes known points"),
    "no function": (lambda X: X @ w + b, ParameterError, "contains no function"),
    "another variable": (lambda X: f(X) + cp.Variable(name="c"), ParameterError, "has no variable 'c'"),
    "another function": (Function(RBF(1.0), "h"), ParameterError, "has no function 'h'"),
    "a mean": (lambda X: f.mean(X), ParameterError, "the mean of one is its value"),
    "a number": (lambda _: 1.0, ParameterError, "must be an expression"),
    "a sum over samples": (lambda X: cp.sum(f(X)), ShapeError, "must be one number for each sample"),
    "one below the other": (lambda X: cp.hstack([f(X), g(X)]), ShapeError, "must be one number for each sample"),
    "a list of rows": (lambda X: [cp.hstack([f(X), g(X)])], ShapeError, "each of a list must be one number"),
}


@together("name", REFUSED)
def test_what_does_not_predict_is_refused(name: str) -> None:
    expression, kind, message = REFUSED[name]
    with pytest.raises(kind, match=message):
        SOLUTION.predictor(expression)


def test_decisions_that_are_none_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"is a function of X, such as lambda X: f\(X\) \+ b"):
        SOLUTION.predictor(f(X) + b)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="thresholds are between classes"):
        SOLUTION.predictor(f, thresholds=[0.0])
    with pytest.raises(LabelError, match="two classes, but 3 came"):
        SOLUTION.predictor(f, classes=[1, 2, 3])
    with pytest.raises(LabelError, match="the largest of 2 values decides among as many classes, but 3"):
        SOLUTION.predictor(lambda X: [f(X), g(X)], classes=[1, 2, 3])
    with pytest.raises(LabelError, match="different labels"):
        SOLUTION.predictor(f, classes=[1, 1])
    with pytest.raises(ShapeError, match="between any two of 3 classes in their order, but 1"):
        SOLUTION.predictor(f, classes=[1, 2, 3], thresholds=[0.0])
    with pytest.raises(ParameterError, match="thresholds must ascend"):
        SOLUTION.predictor(f, classes=[1, 2, 3], thresholds=-theta)
    with pytest.raises(ParameterError, match="without thresholds"):
        SOLUTION.predictor(lambda X: [f(X), g(X)], classes=[1, 2], thresholds=[0.0])
    with pytest.raises(ParameterError, match="must be in one space"):
        SOLUTION.function(f + g)


def test_functions_of_other_samples_do_not_add_up() -> None:
    wide = np.column_stack([X, T])
    k, h = Function(RBF(1.0), "k"), Function(RBF(1.0), "h")
    cost = k.squared_norm + h.squared_norm + cp.sum_squares(k(X) + h(wide) - T)
    solution: MachineSolution = Machine(cp.Minimize(cost)).solve()
    assert solution.predictor(h).predict(wide) == pytest.approx(h(wide).value)
    with pytest.raises(ShapeError, match="of the same samples, but theirs are of shapes"):
        solution.predictor(lambda X: k(X) + h(X))
    with pytest.raises(ShapeError, match=r"fitted to samples with 3 features"):
        solution.predictor(h).predict(X)


def test_damaged_files_of_sums_are_refused(tmp_path: Path) -> None:
    path = SOLUTION.predictor(f + g).save(tmp_path / "machine.npz")
    with np.load(path) as file:
        arrays = dict(file)
    for name, value in {
        "term1_coefficients": arrays["term1_coefficients"][:-1],
        "term0_coefficients": np.full_like(arrays["term0_coefficients"], np.nan),
        "terms": np.array("[[[-1], []]]"),
    }.items():
        np.savez(tmp_path / "damaged.npz", **(arrays | {name: value}))
        with pytest.raises(FileFormatError):
            load(tmp_path / "damaged.npz")
    del arrays["term1_kernel"]
    np.savez(tmp_path / "damaged.npz", **arrays)
    with pytest.raises(FileFormatError):
        load(tmp_path / "damaged.npz")
