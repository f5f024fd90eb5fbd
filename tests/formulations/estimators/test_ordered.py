# SPDX-License-Identifier: BSD-3-Clause
"""Ordinal classes, rankings and censored times: optima by another solver, scores by hand, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

from formulations import load
from formulations.estimators import OrdinalSVC, RankingSVM, SurvivalSVR
from qpkernels.errors import LabelError, OneClassError, ParameterError
from together import together

RNG = np.random.default_rng(5)
X = RNG.normal(size=(24, 2))
QUALITY = X[:, 0] - 0.5 * X[:, 1] + 0.4 * RNG.normal(size=24)
GRADES = np.digitize(QUALITY, [-0.5, 0.5])
QUERIES = np.arange(24) % 3
END = RNG.normal(size=24) + 0.5
TIMES, SEEN = np.minimum(QUALITY, END), QUALITY <= END
SURVIVAL = np.array(list(zip(SEEN, TIMES, strict=True)), dtype=[("event", bool), ("time", float)])
C, TOL = 0.7, 1e-8


def optimum(fitted: Any, loss: Any, w: Any, constraints: Any = ()) -> None:
    """Hold the objective of a fit with the linear kernel against Clarabel's, of the same problem in the weights w."""
    value = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(w) + C * loss), list(constraints)).solve(solver="CLARABEL")
    assert fitted.certificate_.holds(TOL)
    assert fitted.solution_.objective == pytest.approx(value, rel=1e-6)


@pytest.mark.parametrize("order", ["implicit", "explicit"])
def test_ordinal_classes_have_the_optimum_of_chu_and_keerthi(order: Any) -> None:
    w, c = cp.Variable(2), cp.Variable(2)
    loss = 0.0
    for k in (0, 1):
        low = [0] if order == "explicit" and k == 0 else [1] if order == "explicit" else range(k + 1)
        high = [k + 1] if order == "explicit" else range(k + 1, 3)
        loss += cp.sum(cp.pos(1 + X[np.isin(GRADES, list(low))] @ w - c[k]))
        loss += cp.sum(cp.pos(1 - X[np.isin(GRADES, list(high))] @ w + c[k]))
    fitted = OrdinalSVC(kernel="linear", C=C, order=order, tol=TOL).fit(X, GRADES)
    optimum(fitted, loss, w, [c[0] <= c[1]])
    values = fitted.decision_function(X)
    assert (fitted.predict(X) == (values[:, None] > fitted.thresholds_).sum(axis=1)).all()


def test_classes_keep_the_order_that_is_given(tmp_path: Path) -> None:
    names = np.array(["poor", "fair", "good"])
    fitted = OrdinalSVC(C=C, classes=names).fit(X, names[GRADES])
    assert fitted.classes_.tolist() == names.tolist()
    assert (fitted.predict(X) == names[OrdinalSVC(C=C).fit(X, GRADES).predict(X)]).all()
    assert (load(fitted.predictor_.save(tmp_path / "machine")).predict(X) == fitted.predict(X)).all()


def test_pairs_of_a_query_have_the_optimum_of_joachims() -> None:
    w = cp.Variable(2)
    pairs = [(i, j) for i in range(24) for j in range(24) if QUERIES[i] == QUERIES[j] and GRADES[i] > GRADES[j]]
    loss = sum(cp.pos(1 - (X[i] - X[j]) @ w) for i, j in pairs)
    fitted = RankingSVM(kernel="linear", C=C, tol=TOL).fit(X, GRADES, qid=QUERIES)
    optimum(fitted, loss, w)
    values = fitted.predict(X)
    assert fitted.score(X, GRADES, QUERIES) == pytest.approx(np.mean([values[i] > values[j] for i, j in pairs]))


def test_censored_times_have_the_optimum_of_shivaswamy() -> None:
    w, b = cp.Variable(2), cp.Variable()
    residuals = TIMES - X @ w - b
    fitted = SurvivalSVR(kernel="linear", C=C, tol=TOL).fit(X, SURVIVAL)
    optimum(fitted, cp.sum(cp.pos(residuals)) + cp.sum(cp.pos(-residuals[SEEN])), w)
    assert (SurvivalSVR(kernel="linear", C=C, tol=TOL).fit(X, TIMES, event=SEEN).predict(X) == fitted.predict(X)).all()


def test_concordance_counts_comparable_pairs_and_half_of_ties() -> None:
    fitted = SurvivalSVR(kernel="linear", C=10.0, tol=TOL).fit([[0.0], [1.0]], [0.0, 1.0])
    # Comparable: (0, 1) in order, (0, 2) tied, (0, 3) in order as censored at the same time, and (2, 1) in order.
    score = fitted.score([[0.0], [2.0], [0.0], [1.0]], [1.0, 3.0, 2.0, 1.0], event=[True, False, True, False])
    assert score == pytest.approx(3.5 / 4)


def test_a_search_takes_structured_times() -> None:
    search = GridSearchCV(SurvivalSVR(), {"C": [0.1, 1.0]}, cv=2).fit(X, SURVIVAL)
    assert search.best_score_ > 0.5


ILL: dict[str, Any] = {
    "classes that are not those of y": (OrdinalSVC(classes=[0, 1]), GRADES, {}, LabelError, "each label of y once"),
    "one class": (OrdinalSVC(), np.zeros(24, dtype=int), {}, OneClassError, "got 1 class"),
    "an order": (OrdinalSVC().set_params(order="sorted"), GRADES, {}, ParameterError, "'implicit' or 'explicit'"),
    "no pair": (RankingSVM(), GRADES, {"qid": np.arange(24)}, ParameterError, "no pair has an order"),
    "short qid": (RankingSVM(), GRADES, {"qid": [0]}, ParameterError, "a query for each of the 24 samples"),
    "no event": (SurvivalSVR(), TIMES, {"event": np.zeros(24, dtype=bool)}, ParameterError, "every time is censored"),
    "no bools": (SurvivalSVR(), TIMES, {"event": np.arange(24)}, ParameterError, "True or False for each"),
    "fields": (SurvivalSVR(), SURVIVAL[["time", "event"]], {}, ParameterError, "first whether the event was seen"),
    "twice": (SurvivalSVR(), SURVIVAL, {"event": SEEN}, ParameterError, "and event came"),
}


@together("name", list(ILL))
def test_bad_data_are_refused(name: str) -> None:
    estimator, y, given, error, words = ILL[name]
    with pytest.raises(error, match=words):
        estimator.fit(X, y, **given)
