# SPDX-License-Identifier: BSD-3-Clause
"""The command solve, and how commands solve."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import numpy as np
import pytest

from command_line import expected, refused, run, run_json, samples, write_libsvm
from formulations import SoftMargin, load
from formulations.commands import output
from model_data import one_against_rest
from qpkernels.kernels import RBF, Polynomial, scale_gamma


def test_solve_bundled_data() -> None:
    record = run_json("solve", "breast-cancer", "--scale", "--gamma", "auto", "--tol", "1e-10")
    assert record["formulation"] == "SoftMargin"
    assert record["solver"] == "smo"
    assert record["status"] == "optimal"
    assert record["objective"] == pytest.approx(101.617809222902, rel=1e-9)
    assert record["intercept"] == pytest.approx(-0.0049293321, abs=1e-6)
    assert (record["n_support"], record["n_bounded"]) == (140, 131)
    assert len(record["support"]) == len(record["beta"]) == 140
    assert sum(record["beta"]) == pytest.approx(0, abs=1e-9)
    assert record["relative_gap"] <= 1e-10
    assert record["seconds_solve"] > 0


def test_an_answer_of_low_rank_is_judged_with_the_exact_kernel() -> None:
    record = run_json("solve", "breast-cancer", "--scale", "--gamma", "0.1", "--rank", "60")
    assert record["with_exact_kernel"].startswith("within ")
    assert record["with_exact_kernel"].endswith(" % of the optimum with the exact kernel RBF(gamma=0.1)")
    exact = run_json("solve", "breast-cancer", "--scale", "--gamma", "0.1")
    assert 0.0 < record["objective"] / exact["objective"] - 1.0 <= record["exact_suboptimality"]
    assert "with_exact_kernel" not in exact
    lp = run_json(
        "solve", "breast-cancer", "--scale", "--gamma", "0.1", "--rank", "60", "--model", "LinearProgramMachine"
    )
    assert "with_exact_kernel" not in lp


def test_solve_one_class_of_several() -> None:
    record = run_json("solve", "wine", "--positive", "1", "--scale", "--kernel", "linear")
    X, y = one_against_rest("wine", 1)
    assert record["objective"] == pytest.approx(SoftMargin(X, y).solve().objective, rel=1e-5)


def test_table_says_the_same(libsvm: Path) -> None:
    result = run("solve", libsvm)
    assert result.exit_code == 0
    record = run_json("solve", libsvm)
    assert f"{record['objective']:.10g}" in result.stdout
    for words in ("optimal", "SoftMargin", "n support", "relative gap"):
        assert words in result.stdout


@pytest.mark.parametrize(
    ("model", "form"),
    [
        ("soft-margin", None),
        ("soft-margin", "primal"),
        ("soft-margin", "hinge"),
        ("soft-margin", "dual"),
        ("hard-margin", "primal"),
        ("hard-margin", "dual"),
        ("hard-margin", "geometric"),
        ("separability", "primal"),
    ],
)
@pytest.mark.parametrize("kernel", ["rbf", "none"])
def test_solve_every_form(model: str, form: str | None, kernel: str, tmp_path: Path) -> None:
    X, y = samples()
    X[:, 0] = y * (0.3 + np.abs(X[:, 0]))
    np.savez(tmp_path / "apart.npz", X=X, y=y)
    named = () if form is None else ("--form", form)
    record = run_json("solve", tmp_path / "apart.npz", "--model", model, *named, "--kernel", kernel)
    assert record["status"] == "optimal"
    assert record["formulation"] == f"{model}-{form or ''}".title().replace("-", "")


def test_kernels_and_costs(libsvm: Path) -> None:
    X, _ = samples()
    for arguments, kernel in (
        (("--kernel", "rbf", "--gamma", "0.25"), RBF(0.25)),
        (("--kernel", "rbf", "--gamma", "auto"), RBF(1 / 3)),
        (("--kernel", "rbf"), RBF(scale_gamma(X))),
        (("--kernel", "polynomial", "--gamma", "0.5", "--degree", "2", "--coef0", "1"), Polynomial(2, 0.5, 1.0)),
        (("--kernel", "polynomial", "--gamma", "1"), Polynomial(3, 1.0, 0.0)),
    ):
        record = run_json("solve", libsvm, *arguments, "--C", "3.5", "--tol", "1e-10")
        assert record["objective"] == pytest.approx(expected(3.5, kernel), rel=1e-9)


@pytest.mark.parametrize("solver", ["smo", "clarabel", "scs", "cvxpy:CLARABEL"])
def test_solvers_by_name(libsvm: Path, solver: str) -> None:
    record = run_json("solve", libsvm, "--solver", solver)
    assert record["solver"] == solver
    assert record["objective"] == pytest.approx(expected(), rel=1e-5)


# --- files ---


def test_every_format_is_the_same_problem(libsvm: Path, csv: Path, tmp_path: Path) -> None:
    X, y = samples()
    compressed = tmp_path / "samples.xz"
    compressed.write_bytes(lzma.compress(libsvm.read_bytes()))
    np.savez(tmp_path / "samples.npz", X=X, y=y)
    for arguments in (
        [libsvm],
        [compressed],
        [tmp_path / "samples.npz"],
        [csv, "--target", "kind"],
        [csv, "--target", "2"],
    ):
        record = run_json("solve", *arguments, "--tol", "1e-10")
        assert record["objective"] == pytest.approx(expected(), rel=1e-9), arguments


def test_saved_functions_predict(csv: Path, tmp_path: Path) -> None:
    X, y = samples()
    record = run_json("solve", csv, "--target", "kind", "--save", tmp_path / "machine")
    assert record["saved"] == str(tmp_path / "machine.npz")
    machine = load(record["saved"])
    assert set(machine.predict(X).tolist()) == {"healthy", "ill"}
    solution = SoftMargin(X, np.where(y > 0, "ill", "healthy"), RBF(scale_gamma(X))).solve()
    assert machine.decision_function(X) == pytest.approx(solution.function(X), abs=1e-9)
    assert np.array_equal(machine.predict(X), solution.predict(X))
    assert run("solve", csv, "--target", "kind", "--save", tmp_path / "other.npz").exit_code == 0
    assert np.array_equal(load(tmp_path / "other.npz").predict(X), machine.predict(X))


def test_json_to_a_file(libsvm: Path, tmp_path: Path) -> None:
    result = run("solve", libsvm, "--json", tmp_path / "answer.json")
    assert result.exit_code == 0
    assert "optimal" in result.stdout
    assert json.loads((tmp_path / "answer.json").read_text())["status"] == "optimal"


HARD = ("--C", "1000", "--gamma", "0.5", "--tol", "1e-9")


@pytest.fixture(autouse=True)
def train(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work beside a file to train on."""
    monkeypatch.chdir(tmp_path)
    return write_libsvm(tmp_path / "train", *samples())


@pytest.mark.parametrize("command", ["fit", "solve"])
def test_a_checkpoint_is_written_and_gone_on_from(command: str) -> None:
    first = run_json(command, "train", *HARD, "--checkpoint", "run.npz")
    assert first["status"] == "optimal"
    assert int(np.load("run.npz")["steps"]) > 0
    again = run_json(command, "train", *HARD, "--checkpoint", "run.npz")
    assert again["status"] == "optimal"


def test_a_checkpoint_of_another_problem_ends_with_a_line() -> None:
    run_json("fit", "train", "--checkpoint", "run.npz")
    assert "its bounds (C, weights) differ" in refused("fit", "train", "--C", "2", "--checkpoint", "run.npz")


def test_several_classes_have_no_checkpoint() -> None:
    assert "keeps one machine" in refused("fit", "iris", "--checkpoint", "run.npz")


def test_who_keeps_none_says_so() -> None:
    said = refused("fit", "train", "--solver", "interior-point", "--checkpoint", "run.npz")
    assert "'interior-point' has no option 'checkpoint'" in said


@pytest.mark.parametrize(
    ("model", "solver", "told"),
    [
        ("soft-margin", (), "smo: "),
        ("soft-margin-dual", (), "smo: "),
        ("nu-margin", ("--solver", "level-search"), "level 1: smo: "),
        ("nu-margin", (), ""),
        ("logistic", (), ""),
        ("least-squares-classifier", (), ""),
    ],
)
def test_progress_goes_to_standard_error(
    model: str, solver: tuple[str, ...], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of models that smo has no part in there is none, such as few samples of a free level; nothing else changes."""
    monkeypatch.setattr(output, "_SELDOM", 0.0)
    result = run("fit", "train", "--model", model, *solver, "--json", "-")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["status"] == "optimal"
    assert told in result.stderr
    assert ("relative gap" in result.stderr) == bool(told)


def test_short_solves_tell_nothing() -> None:
    assert "relative gap" not in run("fit", "train", "--solver", "smo").stderr


def test_progress_is_for_those_who_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "_SELDOM", 0.0)
    result = run("solve", "train", "--solver", "clarabel")
    assert result.exit_code == 0, result.output
    assert "relative gap" not in result.stderr
