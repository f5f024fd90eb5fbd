# SPDX-License-Identifier: BSD-3-Clause
"""Extended forms: what their solutions predict is the function of the statement, or they predict nothing."""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cvxpy as cp
import numpy as np
import pytest

from formulations import LeastSquares, Quantile, SoftMargin, SoftTube
from qpkernels import RBF
from qpkernels.errors import PartialFunctionError
from qpkernels.problems import Status

KERNEL = RBF(0.7)
POINTS = np.linspace(-2.5, 2.5, 9)[:, None]


def samples(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = np.sort(rng.uniform(-2, 2, size=(16, 1)), axis=0)
    return X, np.sin(2 * X[:, 0]) + 1.5 * X[:, 0] + 0.2 * rng.normal(size=16)


def polynomial(seed: int = 0) -> tuple[Any, cp.Expression]:
    """f + polynomial: the model's own loss is next to nothing, a further one has both."""
    X, y = samples(seed)
    form = SoftTube(X, y, KERNEL, C=1e-7, epsilon=0.1).primal
    c = cp.Variable(2, name="c")
    fitted = form.g + np.hstack([X, X**2]) @ c
    return form.extend(objective=3 * cp.sum(cp.abs(y - fitted))), fitted


def margins() -> tuple[Any, cp.Expression]:
    """The same in rows: the slacks s are the price, the coefficient c decides."""
    X, y = samples(0)
    labels = np.where(y > 0.5, 1, -1)
    form = SoftMargin(X, labels, KERNEL, C=1e-7).primal
    c, s = cp.Variable(name="c"), cp.Variable(len(y), name="s", nonneg=True)
    fitted = form.g + X[:, 0] * c
    return form.extend(cp.multiply(labels, fitted) >= 1 - s, objective=2 * cp.sum(s)), fitted


def two_functions() -> tuple[Any, cp.Expression]:
    """f1 + f2 of two forms, of a wide and a narrow kernel."""
    X, y = samples(0)
    p, q = (LeastSquares(X, y, RBF(gamma), C=1e-7).primal for gamma in (0.1, 10.0))
    fitted = p.g + q.g
    return p.extend(objective=q.f.half_squared_norm + 5 * cp.sum_squares(y - fitted)), fitted


def joined_quantiles() -> tuple[Any, cp.Expression]:
    X, y = samples(0)
    p, q = (Quantile(X, y, KERNEL, tau=tau, C=3.0).primal for tau in (0.3, 0.7))
    return p.extend(*q.problem.constraints, p.g <= q.g, objective=q.problem.objective.args[0]), q.g


def unpenalised_in_the_dual() -> tuple[Any, cp.Expression]:
    """P'beta = 0: its multipliers are the coefficients of a polynomial."""
    X, y = samples(0)
    form = SoftTube(X, y, KERNEL, C=3.0, epsilon=0.1).dual
    return form.extend((X.T @ form.beta == 0).set_label("no slope")), form.beta


def summed_in_the_dual() -> tuple[Any, cp.Expression]:
    X, y = samples(0)
    form = LeastSquares(X, y, RBF(0.1), C=3.0).dual
    return form.extend(objective=-0.5 * cp.quad_form(form.c, cp.psd_wrap(RBF(10.0)(X, X)))), form.c


def learned_in_the_dual() -> tuple[Any, cp.Expression]:
    """A kernel of weights mu, learned through [[sum mu_k K_k, beta], [beta', t]] >> 0."""
    X, y = samples(0)
    form = LeastSquares(X, y, RBF(1e-9), C=3.0).dual
    mu, t = cp.Variable(2, name="mu", nonneg=True), cp.Variable((1, 1), name="t")
    column = cp.reshape(form.c, (len(y), 1), order="C")
    inner = sum(mu[k] * (RBF(gamma)(X, X) + 1e-6 * np.eye(len(y))) for k, gamma in enumerate((0.3, 3.0)))
    return form.extend(cp.bmat([[inner, column], [column.T, t]]) >> 0, cp.sum(mu) == 1, objective=-0.5 * t[0, 0]), mu


@pytest.mark.parametrize(
    ("state", "named"),
    [
        (polynomial, "namely c"),
        (margins, "namely c"),
        (two_functions, "namely u, b"),
        (joined_quantiles, "namely .*u.*b"),
        (unpenalised_in_the_dual, "namely the multipliers of no slope"),
        (summed_in_the_dual, "namely the derivative of the further objective term"),
        (learned_in_the_dual, "namely .*mu.*t"),
    ],
)
def test_what_more_than_f_and_b_decide_is_not_predicted(
    state: Callable[[], tuple[Any, cp.Expression]], named: str, tmp_path: Path
) -> None:
    form, fitted = state()
    solution = form.solve("clarabel")
    assert solution.status is Status.OPTIMAL
    assert np.isfinite(fitted.value).all()
    assert str(solution)
    assert repr(solution)
    asked: list[Callable[[], Any]] = [
        lambda: solution.predict(POINTS),
        lambda: solution.decision_function(POINTS),
        lambda: solution.score(POINTS, np.ones(9)),
        lambda: solution.function,
        lambda: solution.decision,
        lambda: solution.predictor,
        lambda: solution.slacks,
        lambda: solution.explain(0),
        lambda: solution.save(tmp_path / "machine"),
        lambda: form.model.certify(solution),
        lambda: pickle.loads(pickle.dumps(solution)).function,
    ]
    for ask in asked:
        with pytest.raises(PartialFunctionError, match=named):
            ask()
    assert not list(tmp_path.iterdir())
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        solution.nonsense  # noqa: B018


def test_the_polynomial_is_in_the_values_that_are_named() -> None:
    """The fit with a polynomial follows the targets, which f + b alone, or the textbook's fit, does not."""
    form, fitted = polynomial()
    form.solve("clarabel")
    _, y = samples(0)
    assert np.abs(fitted.value - y).mean() < 0.2
    assert np.abs(form.g.value - y).mean() > 0.5


Kinds = dict[str, Callable[[Any, np.ndarray, Any], tuple[list[cp.Constraint], Any]]]


def slack(form: Any, _y: np.ndarray, t: Any) -> tuple[list[cp.Constraint], Any]:
    return [form.g >= -0.2 - t, t >= 0], 0.7 * t


def penalty(form: Any, _y: np.ndarray, _t: Any) -> tuple[list[cp.Constraint], Any]:
    return [], 0.3 * cp.norm1(form.g) + 0.1 * cp.square(form.b)


def epigraph(form: Any, y: np.ndarray, t: Any) -> tuple[list[cp.Constraint], Any]:
    return [cp.norm(form.g - y) <= t, t <= 50.0], 0.4 * t + 0.1 * cp.abs(form.b)


def box(form: Any, _y: np.ndarray, t: Any) -> tuple[list[cp.Constraint], Any]:
    return [-t <= form.g, form.g <= t], 2.0 * t


def cone(form: Any, _y: np.ndarray, t: Any) -> tuple[list[cp.Constraint], Any]:
    return [cp.SOC(t, form.g)], 0.5 * t


def alias(form: Any, _y: np.ndarray, t: Any) -> tuple[list[cp.Constraint], Any]:
    return [t == form.g[0] - form.g[-1], cp.abs(t) <= 1.0], 0.0


def rising(form: Any, _y: np.ndarray, _t: Any) -> tuple[list[cp.Constraint], Any]:
    return [cp.diff(form.g) >= 0], 0.0


PRIMAL: Kinds = {each.__name__: each for each in (slack, penalty, epigraph, box, cone, alias, rising)}


class Plain:
    """A tube stated anew, by the coefficients of f over a Cholesky factor of K."""

    def __init__(self, X: np.ndarray, y: np.ndarray, C: float, epsilon: float) -> None:
        self.X = X
        self.root = np.linalg.cholesky(KERNEL(X, X) + 1e-11 * np.eye(len(X)))
        self.v, self.b = cp.Variable(len(X)), cp.Variable()
        self.g = self.root @ self.v + self.b
        self.objective = 0.5 * cp.sum_squares(self.v) + C * cp.sum(cp.pos(cp.abs(y - self.g) - epsilon))

    def values(self) -> np.ndarray:
        coefficients = np.linalg.solve(self.root.T, self.v.value)
        return np.asarray(KERNEL(POINTS, self.X) @ coefficients + self.b.value)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", PRIMAL)
def test_constraints_and_penalties_predict_the_function_of_the_statement(kind: str, seed: int) -> None:
    rng = np.random.default_rng([seed, len(kind)])
    X, y = samples(seed)
    C = float(10.0 ** rng.uniform(-0.5, 1.5))
    form = SoftTube(X, y, KERNEL, C=C, epsilon=0.1).primal
    constraints, objective = PRIMAL[kind](form, y, cp.Variable(name="t"))
    solution = form.extend(*constraints, objective=objective).solve("clarabel", tol=1e-9)
    assert solution.status is Status.OPTIMAL
    assert hasattr(solution, "function")
    plain = Plain(X, y, C, 0.1)
    constraints, objective = PRIMAL[kind](plain, y, cp.Variable())
    problem = cp.Problem(cp.Minimize(plain.objective + objective), constraints)
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9)
    assert solution.objective == pytest.approx(problem.value, rel=1e-6)
    assert solution.predict(POINTS) == pytest.approx(plain.values(), abs=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_a_dual_predicts_where_each_multiplier_is_changed_by_itself(seed: int) -> None:
    """A bound is another cost, a linear term another target, a square another ridge."""
    X, y = samples(seed)
    shift = 0.3 * np.random.default_rng(seed).normal(size=len(y))
    form = LeastSquares(X, y, KERNEL, C=2.0).dual
    found = form.extend(objective=shift @ form.c - 0.5 * cp.sum_squares(form.c)).solve("clarabel", tol=1e-9)
    moved = LeastSquares(X, y + shift, KERNEL, C=2.0 / 3.0).solve(tol=1e-9)
    assert found.status is Status.OPTIMAL
    assert found.predict(POINTS) == pytest.approx(moved.predict(POINTS), abs=1e-5)
    tube = SoftTube(X, y, KERNEL, C=2.0, epsilon=0.1)
    capped = tube.dual.extend(cp.abs(tube.dual.beta) <= 0.5).solve("clarabel", tol=1e-9)
    cheap = SoftTube(X, y, KERNEL, C=0.5, epsilon=0.1).solve(tol=1e-9)
    assert capped.predict(POINTS) == pytest.approx(cheap.predict(POINTS), abs=1e-4)
