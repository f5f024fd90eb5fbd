# SPDX-License-Identifier: BSD-3-Clause
"""Changes of a model agree with a model stated and solved afresh, and what is refused changes nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from formulations import Incremental, Interpolation, KernelRidge, OneClass, SoftMargin, SoftTube, Solution
from formulations.modelling.incremental import numbers_of, read_samples, read_targets, require_classes, start_after
from model_data import MODEL_CASES, Case, blobs, overlapping
from qpkernels import RBF, Columns, Gram, Precomputed, Spectrum
from qpkernels.errors import (
    FeatureNamesError,
    InfeasibleError,
    LabelError,
    NonFiniteError,
    OneClassError,
    ParameterError,
    QPKernelsError,
    ShapeError,
    SolverFailedError,
)
from qpkernels.gram.changing import ChangingGram, changed
from qpkernels.problems import Status
from showing import check_bundle, check_repr
from together import together

KERNEL_CASES = [replace(case, kernel="rbf") for case in MODEL_CASES if "rbf" in case.example.kernels]
CHANGES = ("add", "remove", "move", "relabel", "move and relabel", "set_params")


@together("count", [1, 3, 9])
def test_a_window_keeps_the_latest_samples(count: int) -> None:
    rng = np.random.default_rng(4)
    X, y, C = rng.normal(size=(14, 2)), np.tile([1, -1], 7), rng.uniform(0.5, 2.0, 14)
    machine = Incremental(SoftMargin(X[:5], y[:5], RBF(0.5), C=C[:5]), tol=1e-9, window=6)
    machine.add(X[5 : 5 + count], y[5 : 5 + count], C=C[5 : 5 + count])
    kept = slice(max(0, count - 1), 5 + count)
    fitted = SoftMargin(X[kept], y[kept], RBF(0.5), C=C[kept]).solve(tol=1e-9)
    np.testing.assert_array_equal(machine.model.gram.X, X[kept])
    np.testing.assert_allclose(machine.solution.beta, fitted.beta, atol=1e-6)
    assert machine.solution.certificate.holds(1e-9)


def test_it_shows_the_present_model_and_answer() -> None:
    machine = Incremental(SoftMargin(*overlapping(), RBF(0.5), C=2.0))
    machine.remove([0, 1])
    check_repr(machine)
    assert repr(machine).startswith("<Incremental: <SoftMargin: 28 samples, 3 features, ")
    assert repr(machine).endswith("RBF(gamma=0.5), C = 2>, optimal to 1e-06>")
    text = check_bundle(machine, maths=True)
    for said in ("model", "28 samples", "C = 2", "relative gap", "support vectors", "says: "):
        assert said in text


def test_columns_of_a_table_are_looked_up_by_name() -> None:
    X, y = overlapping()
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    elsewhere = table.iloc[:2][["c", "b", "a"]].assign(more=0.0)
    for kernel in (Columns(RBF(0.5), ["a", "b", "c"]), RBF(0.5)):
        machine = Incremental(SoftMargin(table, y, kernel))
        if kernel == RBF(0.5):
            with pytest.raises(FeatureNamesError, match="those of the fit, a, b, c, but they are c, b, a, more"):
                machine.add(elsewhere, y[:2])
            elsewhere = table.iloc[:2]
        expected = SoftMargin(np.vstack([X, X[:2]]), np.append(y, y[:2]), RBF(0.5)).solve().objective
        assert machine.add(elsewhere, y[:2]).objective == pytest.approx(expected, rel=1e-5)


class Twin:
    """A model and the data that it should be of, changed by hand."""

    def __init__(self, case: Case, seed: int) -> None:
        self.case, self.rng = case, np.random.default_rng(seed)
        own = case.data()
        self.X, self.y = own[0].copy(), own[1].copy() if len(own) == 2 else None
        self.parameters: dict[str, Any] = {}
        self.machine = Incremental(case.state_model())

    def fresh(self) -> Solution:
        return self.case.state_model(self.X, self.y, **self.parameters).solve()

    def change(self, kind: str) -> Solution:
        """Make a random change of that kind to the data, and return the answer of the machine to the same."""
        rng, i = self.rng, int(self.rng.integers(len(self.X)))
        match kind:
            case "add":
                x = self.X[i] + 0.1 * rng.normal(size=self.X.shape[1])
                self.X = np.vstack([self.X, x])
                if self.y is None:
                    return self.machine.add(x)
                self.y = np.append(self.y, self.y[i])
                return self.machine.add(x, self.y[-1])
            case "remove":
                self.X = np.delete(self.X, i, axis=0)
                self.y = None if self.y is None else np.delete(self.y, i)
                return self.machine.remove(i)
            case "move":
                self.X[i] += 0.1 * rng.normal(size=self.X.shape[1])
                return self.machine.move(i, self.X[i])
            case "relabel" | "move and relabel":
                assert self.y is not None
                self.y[i] = self.y[i] + 0.3 if self.case.is_regression else -self.y[i]
                moves = kind != "relabel"
                self.X[i] += 0.1 * moves * rng.normal(size=self.X.shape[1])
                return self.machine.move(i, self.X[i], self.y[i]) if moves else self.machine.relabel(i, self.y[i])
        name, values = next(iter(self.case.example.others.items()))
        self.parameters[name] = rng.choice([value for value in values if np.ndim(value) == 0])
        return self.machine.set_params(**{name: self.parameters[name]})

    def kinds(self) -> list[str]:
        absent = {"relabel", "move and relabel"} if self.y is None else set()
        return [kind for kind in CHANGES if kind not in absent and (self.case.example.others or kind != "set_params")]


def assert_same(answer: Solution, fresh: Solution) -> None:
    """Settle that both are proved optimal, at the same optimum within their gaps."""
    one, two = answer.certificate, fresh.certificate
    assert type(answer) is type(fresh)
    assert answer.status is fresh.status
    scale = max(abs(two.primal_value), abs(two.dual_value))
    allowed = (one.relative_gap + two.relative_gap) * scale + 1e-12 * scale
    assert abs(one.primal_value - two.primal_value) <= allowed
    assert answer.objective == pytest.approx(fresh.objective, rel=1e-4, abs=1e-9)


@pytest.mark.parametrize("case", [*MODEL_CASES, *KERNEL_CASES], ids=str)
def test_every_model_agrees_with_a_fresh_one_after_each_change(case: Case) -> None:
    twin = Twin(case, seed=len(str(case)))
    kinds = twin.kinds()
    for kind in [*kinds, *twin.rng.choice(kinds, 3)]:
        before, X, y, parameters = twin.machine.solution, twin.X.copy(), twin.y, dict(twin.parameters)
        y = None if y is None else y.copy()
        try:
            answer = twin.change(str(kind))
        except InfeasibleError:
            # As of a hard margin whose classes overlap now: the model afresh says the same, and nothing has changed.
            with pytest.raises(InfeasibleError):
                twin.fresh()
            twin.X, twin.y, twin.parameters = X, y, parameters
            assert twin.machine.solution is before
            continue
        fresh = twin.fresh()
        assert_same(answer, fresh)
        assert answer is twin.machine.solution
        model: Any = twin.machine.model
        np.testing.assert_array_equal(model.gram.X, twin.X)
        assert len(twin.machine) == len(model) == len(twin.X)
        np.testing.assert_allclose(answer.function(twin.X), answer.decision, atol=1e-8)


@pytest.mark.parametrize("seed", [1, 2])
def test_many_changes_in_turn_stay_sharp(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = overlapping()
    machine = Incremental(SoftMargin(X, y, RBF(0.5), C=3.0), tol=1e-9)
    for _ in range(60):
        m = len(machine)
        match int(rng.integers(4)):
            case 0:
                machine.add(rng.normal(size=3), int(rng.choice([-1, 1])))
            case 1:
                machine.remove(int(rng.integers(m)))
            case 2:
                machine.move(int(rng.integers(m)), rng.normal(size=3))
            case _:
                machine.relabel(int(rng.integers(m)), int(rng.choice([-1, 1])))
    model: Any = machine.model
    fresh = SoftMargin(np.array(model.gram.X), model.y, RBF(0.5), C=3.0).solve(tol=1e-9)
    assert machine.solution.status is Status.OPTIMAL
    np.testing.assert_allclose(machine.solution.decision, fresh.decision, atol=1e-4)


def test_a_sample_twice_leaves_a_linear_system_to_its_own_solver() -> None:
    machine = Incremental(Interpolation(X30, X30[:, 0], RBF(0.5)))
    answer = machine.move(3, X30[3] + 0.1)
    assert answer.solver == "active-set"
    with pytest.raises(QPKernelsError):
        machine.add(X30[0], X30[0, 0] + 1.0)
    assert machine.solution is answer
    ridge = Incremental(KernelRidge(X30, X30[:, 0], RBF(0.5), regularisation=0.1))
    assert_same(
        ridge.add(X30[0], 2.0),
        KernelRidge(np.vstack([X30, X30[:1]]), np.append(X30[:, 0], 2.0), RBF(0.5), regularisation=0.1).solve(),
    )


def test_several_samples_at_once() -> None:
    X, y = overlapping()
    machine = Incremental(SoftMargin(X[:20], y[:20], RBF(0.5), C=0.8))
    machine.add(X[20:], y[20:])
    machine.remove([0, 5])
    machine.move([0, 1], X[[0, 5]])
    machine.relabel([2, 3], [1, -1])
    rows = np.delete(np.arange(30), [0, 5])
    Z, labels = X[rows], y[rows]
    Z[[0, 1]], labels[[2, 3]] = X[[0, 5]], [1, -1]
    assert_same(machine.solution, SoftMargin(Z, labels, RBF(0.5), C=0.8).solve())


def test_labels_keep_their_meaning() -> None:
    X, y = overlapping()
    machine = Incremental(SoftMargin(X, np.where(y > 0, "b", "a"), RBF(0.5)))
    machine.add(X[0], "a")
    machine.relabel(0, "b")
    model: Any = machine.model
    assert model.classes.tolist() == ["a", "b"]
    assert set(machine.solution.function.predict(X)) <= {"a", "b"}
    assert (model.y[0], model.y[-1]) == (1.0, -1.0)


def test_costs_of_single_samples_come_and_go_with_them() -> None:
    X, y = overlapping()
    C = np.linspace(0.5, 2.0, 30)
    machine = Incremental(SoftMargin(X, y, RBF(0.5), C=C))
    with pytest.raises(ParameterError, match="C differs from sample to sample"):
        machine.add(X[0], 1)
    machine.add(X[0], 1, C=5.0)
    machine.remove(1)
    model: Any = machine.model
    np.testing.assert_array_equal(model.C.value, np.append(np.delete(C, 1), 5.0))
    with pytest.raises(ParameterError, match="has no epsilon of single samples"):
        machine.add(X[0], 1, epsilon=5.0)


def test_samples_that_are_words() -> None:
    words, y = ["abab", "baba", "abba", "cdcd", "dcdc", "cddc"], [-1, -1, -1, 1, 1, 1]
    machine = Incremental(SoftMargin(words, y, Spectrum(2)))
    machine.add("aabb", -1)
    machine.move(0, "aaab")
    changed = SoftMargin(["aaab", *words[1:], "aabb"], [*y, -1], Spectrum(2)).solve()
    assert_same(machine.solution, changed)


def test_the_model_given_and_earlier_ones_stay_what_they_were() -> None:
    X, y = overlapping()
    first = SoftMargin(X, y, RBF(0.5))
    machine = Incremental(first)
    earlier, answer = machine.model, machine.solution
    machine.remove(3)
    machine.add(X[3], y[3])
    machine.set_params(C=7.0)
    for model in (first, earlier):
        np.testing.assert_array_equal(model.gram.X, X)
        np.testing.assert_allclose(model.gram.dense, RBF(0.5)(X), atol=1e-11)
        assert model.certify(answer).holds(1e-6)
        assert float(model.C.value[0]) == 1.0  # type: ignore[attr-defined]


X30, Y30 = overlapping()
LONE = np.append(-np.ones(29), 1.0)
REFUSED = {
    "a number beyond the last": (lambda machine: machine.remove(30), ParameterError, "from 0 to 29, but 30"),
    "a number below 0": (lambda machine: machine.move(-1, X30[0]), ParameterError, "but -1 came"),
    "a number that is none": (lambda machine: machine.remove(1.5), ParameterError, "number of a sample"),
    "a truth value": (lambda machine: machine.remove(True), ParameterError, "number of a sample"),
    "no numbers": (lambda machine: machine.remove([]), ParameterError, "number of a sample"),
    "a number twice": (lambda machine: machine.remove([1, 1]), ParameterError, "once"),
    "another number of features": (lambda machine: machine.add(X30[0, :2], 1), ShapeError, "3 features.*2 came"),
    "features that are no numbers": (lambda machine: machine.move(0, [np.nan, 0, 0]), NonFiniteError, "finite"),
    "too many features for one sample": (lambda machine: machine.move(0, X30[:2]), ParameterError, "1 samples"),
    "a new label": (lambda machine: machine.add(X30[0], 3), LabelError, "-1 or 1.*3"),
    "a label of another type": (lambda machine: machine.relabel(0, "a"), LabelError, "'a'"),
    "too few labels": (lambda machine: machine.add(X30[:2], [1]), ShapeError, "2 samples"),
    "no label": (lambda machine: machine.add(X30[0]), ParameterError, "needs its y"),
    "the last sample of a class": (lambda machine: machine.remove(29), OneClassError, "class 1 would"),
    "the last label of a class": (lambda machine: machine.relabel(29, -1), OneClassError, "class 1 would"),
    "all samples": (lambda machine: machine.remove(np.arange(30)), ParameterError, "all would be removed"),
    "a hyper-parameter out of range": (lambda machine: machine.set_params(C=-1.0), ParameterError, "C must be"),
    "an unknown hyper-parameter": (lambda machine: machine.set_params(nu=0.5), ParameterError, "no hyper-parameter"),
    "a cost out of range": (lambda machine: machine.add(X30[0], 1, C=-1.0), ParameterError, "C must be"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_changes_nothing(name: str) -> None:
    act, error, message = REFUSED[name]
    machine = Incremental(SoftMargin(X30, LONE, RBF(0.5)))
    model, solution = machine.model, machine.solution
    with pytest.raises(error, match=message) as caught:
        act(machine)
    assert isinstance(caught.value, QPKernelsError)
    assert machine.model is model
    assert machine.solution is solution
    np.testing.assert_allclose(model.gram.dense, RBF(0.5)(X30), atol=1e-11)
    # And it goes on from there.
    machine.add(X30[0], 1)
    machine.remove(29)
    assert_same(machine.solution, SoftMargin(np.vstack([X30[:29], X30[:1]]), LONE, RBF(0.5)).solve())


def test_a_model_without_labels_takes_none() -> None:
    machine = Incremental(OneClass(X30, RBF(0.5), nu=0.3))
    with pytest.raises(ParameterError, match="no labels and no targets"):
        machine.add(X30[0], 1)


def test_targets_are_numbers() -> None:
    machine = Incremental(SoftTube(X30, X30[:, 0], RBF(0.5)))
    with pytest.raises(NonFiniteError):
        machine.relabel(0, np.nan)


def test_only_a_model_is_taken() -> None:
    with pytest.raises(ParameterError, match="Incremental takes a model"):
        Incremental(X30)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="tol"):
        Incremental(SoftMargin(X30, Y30), tol=0.0)


def test_a_time_limit_ends_an_answer_and_improve_goes_on() -> None:
    X, y = blobs(seed=3, samples=150, features=2, distance=0.7)
    model = SoftMargin(X, y, RBF(1.0), C=1e4)
    machine = Incremental(model, time_limit=1e-9)
    first = machine.solution
    assert first.status is Status.STOPPED
    better = machine.improve(1e-9)
    assert better.certificate.error <= first.certificate.error
    proved = machine.improve()
    assert proved is machine.solution
    assert proved.status is Status.OPTIMAL
    assert proved.objective == pytest.approx(model.solve().objective, rel=2e-6)
    machine.move(0, X[1])
    assert machine.improve().objective == pytest.approx(machine.model.solve().objective, rel=2e-6)
    with pytest.raises(ParameterError, match="time_limit must be"):
        Incremental(model, time_limit=0.0)


def test_improve_keeps_the_answer_where_nobody_gets_further(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = blobs(seed=3, samples=20, features=2, distance=0.7)
    machine = Incremental(SoftMargin(X, y, RBF(1.0), C=1.0))
    before = machine.solution

    def fails(*_: object, **__: object) -> None:
        raise SolverFailedError("no point")

    monkeypatch.setattr(SoftMargin, "solve", fails)
    assert machine.improve() is before


X, Y = overlapping()


@pytest.mark.parametrize("given", [3, np.int64(3), [3], np.array([3])])
def test_a_number_may_be_alone_or_in_a_list(given: object) -> None:
    np.testing.assert_array_equal(numbers_of(given, 4), [3])  # type: ignore[arg-type]


def test_a_sample_may_be_alone_or_one_of_several() -> None:
    gram = Gram(RBF(0.5), X)
    assert read_samples(X[0], gram).shape == (1, 3)
    assert read_samples(X[:4], gram).shape == (4, 3)
    assert read_samples(csr_array(X[:1]), gram).shape == (1, 3)
    words = Gram(Spectrum(2), ["abab", "bcbc"])
    assert read_samples("abba", words).shape == (1,)
    assert read_samples(["abba", "cccc"], words).shape == (2,)
    assert read_samples(1, Gram(Precomputed(np.eye(3)), [0, 2])).tolist() == [1]


def test_labels_become_signs_and_targets_stay() -> None:
    model = SoftMargin(X, np.where(Y > 0, "yes", "no"), RBF(0.5))
    np.testing.assert_array_equal(read_targets(model, "no", 1), [-1.0])
    np.testing.assert_array_equal(read_targets(model, ["yes", "no"], 2), [1.0, -1.0])
    np.testing.assert_array_equal(read_targets(SoftTube(X, X[:, 0], RBF(0.5)), 2.5, 1), [2.5])
    assert read_targets(OneClass(X, RBF(0.5)), None, 1) is None


def test_the_class_that_would_be_empty_is_named() -> None:
    model = SoftMargin(X, np.where(Y > 0, "yes", "no"), RBF(0.5))
    require_classes(model, model.y)
    with pytest.raises(OneClassError, match="class 'no'"):
        require_classes(model, np.ones(4))


X_OF_START, Y_OF_START = overlapping()
NEW = np.array([[0.3, -0.2, 0.9], [2.0, 0.1, -0.4]])
NONE = np.empty(0, np.intp)
ROWS = {
    "none": np.arange(30),
    "added": np.arange(32),
    "removed": np.delete(np.arange(30), [0, 4, 11]),
    "moved": np.array([0, 1, 30, 3, 4, 31, *range(6, 30)]),
    "in another order": np.random.default_rng(0).permutation(31),
}


@pytest.mark.parametrize("name", ROWS)
def test_the_values_are_those_of_the_coefficients(name: str) -> None:
    gram, rows = ChangingGram.of(Gram(RBF(0.5), X_OF_START)), ROWS[name]
    solution = SoftMargin(gram, Y_OF_START, C=0.8).solve()
    after = changed(gram, rows, NEW[: max(0, int(rows.max()) - 29)])
    y = np.append(Y_OF_START, [1, -1])[rows]
    start = start_after(solution, gram, rows, NONE, SoftMargin(Gram(RBF(0.5), after.X), y, C=0.8).qp())
    np.testing.assert_array_equal(start.beta, np.append(solution.beta, [0.0, 0.0])[rows])
    np.testing.assert_allclose(start.values, RBF(0.5)(after.X) @ start.beta, atol=1e-9)


def test_samples_that_are_moved_keep_their_coefficients() -> None:
    gram = ChangingGram.of(Gram(RBF(0.5), X_OF_START))
    solution = SoftMargin(gram, Y_OF_START, C=0.8).solve()
    first, second = solution.support.indices[[3, 0]]
    rows = np.arange(30)
    rows[[first, second]] = 30, 31
    after = changed(gram, rows, NEW)
    program = SoftMargin(Gram(RBF(0.5), after.X), Y_OF_START, C=0.8).qp()
    start = start_after(solution, gram, rows, np.array([first, second]), program)
    np.testing.assert_array_equal(start.beta, solution.beta)
    np.testing.assert_allclose(start.values, RBF(0.5)(after.X) @ start.beta, atol=1e-9)


def test_coefficients_at_their_bounds_stay_there_where_these_change() -> None:
    gram = Gram(RBF(0.5), X_OF_START)
    solution, rows = OneClass(gram, nu=0.8).solve(), np.arange(32)
    program = OneClass(Gram(RBF(0.5), np.vstack([X_OF_START, NEW])), nu=0.8).qp()
    start = start_after(solution, gram, rows, NONE, program)
    bounded = solution.support.bounded
    assert bounded.size > 3
    np.testing.assert_allclose(start.beta[bounded], program.upper[bounded], rtol=1e-12)
    np.testing.assert_allclose(start.values, program.gram.product(start.beta), atol=1e-12)


def test_a_cost_that_changes_rescales_the_start() -> None:
    solution = SoftMargin(X_OF_START, Y_OF_START, RBF(0.5), C=0.8).solve()
    program = SoftMargin(X_OF_START, Y_OF_START, RBF(0.5), C=2.0).qp()
    start = start_after(solution, program.gram, np.arange(30), NONE, program)
    np.testing.assert_allclose(start.beta, 2.5 * solution.beta, rtol=1e-9)
    np.testing.assert_allclose(start.values, program.gram.product(start.beta), atol=1e-9)
