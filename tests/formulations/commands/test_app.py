# SPDX-License-Identifier: BSD-3-Clause
"""The command line: every command, every kind of file, every refusal."""

from __future__ import annotations

import json
import lzma
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread
from typer.testing import CliRunner

from formulations import SoftMargin, load
from formulations.commands.app import app
from model_data import blobs, one_against_rest
from qpkernels.files import read
from qpkernels.kernels import RBF, Polynomial, scale_gamma

runner = CliRunner()


def run(*arguments: str | Path) -> Any:
    result = runner.invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def run_json(*arguments: str | Path) -> Any:
    """Run with ``--json -`` and parse all of standard output."""
    result = run(*arguments, "--json", "-")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def refused(*arguments: str | Path) -> str:
    """Run what must fail, and return its message."""
    result = run(*arguments)
    assert result.exit_code == 1
    assert result.stdout == ""
    return result.stderr


def samples() -> tuple[np.ndarray, np.ndarray]:
    return blobs(seed=8, samples=24, features=3, distance=1.5)


@pytest.fixture
def libsvm(tmp_path: Path) -> Path:
    X, y = samples()
    lines = [
        f"{sign:+d} " + " ".join(f"{k}:{value!r}" for k, value in enumerate(row, start=1))
        for sign, row in zip(y.tolist(), X.tolist(), strict=True)
    ]
    path = tmp_path / "samples"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    X, y = samples()
    lines = ["width,kind,height,depth"]
    lines += [
        f"{row[0]!r},{'ill' if sign > 0 else 'healthy'},{row[1]!r},{row[2]!r}"
        for sign, row in zip(y.tolist(), X.tolist(), strict=True)
    ]
    path = tmp_path / "samples.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def expected(C: float = 1.0, kernel: Any = None) -> float:
    X, y = samples()
    return float(SoftMargin(X, y, kernel or RBF(scale_gamma(X)), C=C).solve("smo", tol=1e-10).objective)


# --- solvers ---


def test_solvers() -> None:
    records = {record["name"]: record for record in run_json("solvers")}
    assert {"smo", "clarabel", "osqp", "scs", "piqp"} <= set(records)
    assert all(set(record) == {"name", "installed", "takes", "options", "install"} for record in records.values())
    assert records["smo"]["takes"] == ["KernelQP"]
    assert records["osqp"]["takes"] == ["Zero", "Nonnegative"]
    assert records["clarabel"]["installed"] is True
    assert "time_limit" in records["clarabel"]["options"]
    result = run("solvers")
    assert result.exit_code == 0
    assert "cvxpy:NAME" in result.stdout
    assert "clarabel" in result.stdout


# --- solve ---


def test_models() -> None:
    listed = {record["name"]: record for record in run_json("models")}
    assert listed["soft-margin"] == {
        "name": "soft-margin",
        "forms": ["primal", "hinge", "dual"],
        "hyperparameters": ["C"],
    }
    assert len(listed) > 20
    assert "model" not in listed
    table = run("models").stdout
    assert all(name in table for name in ("huber", "nu-tube"))


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


def test_solve_one_class_of_several() -> None:
    record = run_json("solve", "wine", "--positive", "1", "--scale", "--kernel", "linear")
    X, y = one_against_rest("wine", 1)
    assert record["objective"] == pytest.approx(SoftMargin(X, y).solve().objective, rel=1e-5)


def test_table_says_the_same(libsvm: Path) -> None:
    result = run("solve", libsvm)
    assert result.exit_code == 0
    record = run_json("solve", libsvm)
    assert f"{record['objective']:.12g}" in result.stdout
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


# --- compare ---


def test_compare(libsvm: Path) -> None:
    records = run_json("compare", libsvm, "--solver", "smo", "--solver", "clarabel")
    assert [(record["formulation"], record["solver"]) for record in records] == [
        ("SoftMargin", "smo"),
        *((form, "clarabel") for form in ("SoftMarginPrimal", "SoftMarginHinge", "SoftMarginDual")),
    ]
    assert {record["status"] for record in records} == {"optimal"}
    for record in records:
        assert abs(record["objective"]) == pytest.approx(expected(), rel=1e-6)


def test_compare_with_all_solvers(libsvm: Path) -> None:
    records = run_json("compare", libsvm, "--model", "soft-margin", "--kernel", "none", "--C", "2")
    assert {"smo", "clarabel", "osqp", "scs", "piqp"} <= {record["solver"] for record in records}
    assert {record["problem"] for record in records} == {"SoftMargin"}
    result = run("compare", libsvm, "--model", "soft-margin", "--kernel", "none", "--C", "2")
    assert "24 samples, 3 features, explicit features" in " ".join(result.stdout.split())
    assert max(map(len, result.stdout.splitlines())) <= 100
    assert "optimal" in result.stdout
    assert "SoftMarginDual" in result.stdout


def test_cross_examine(libsvm: Path, tmp_path: Path) -> None:
    record = run_json("cross-examine", libsvm, "--solver", "smo", "--tol", "1e-3", "--tol", "1e-8")
    assert [(trial["solver"], trial["tol"], trial["claim"]) for trial in record["trials"]] == [
        ("smo", 1e-3, "optimal"),
        ("smo", 1e-8, "optimal"),
    ]
    assert record["optimum"]["lower"] == pytest.approx(expected(), rel=1e-6)
    result = run("cross-examine", libsvm, "--solver", "smo", "--form", "dual", "--picture", tmp_path / "trials.png")
    assert "24 samples, 3 features" in " ".join(result.stdout.split())
    assert "seconds to the first proof of" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 100
    assert imread(tmp_path / "trials.png").shape[2] == 4
    assert "each of tolerances must be" in refused("cross-examine", libsvm, "--solver", "smo", "--tol", "0")


def test_compare_where_there_is_no_answer(libsvm: Path) -> None:
    records = run_json(
        "compare", libsvm, "--model", "hard-margin", "--kernel", "none", "--solver", "smo", "--solver", "nobody"
    )
    assert [record["status"] for record in records] == ["infeasible", "failed"]
    assert records[0]["objective"] is None
    assert records[0]["dual_value"] is None
    assert "no solver is called 'nobody'" in records[1]["reason"]


def test_compare_draws_a_picture(libsvm: Path, tmp_path: Path) -> None:
    result = run("compare", libsvm, "--solver", "smo", "--solver", "osqp", "--picture", tmp_path / "gaps.png")
    assert result.exit_code == 0
    assert f"picture: {tmp_path / 'gaps.png'}" in " ".join(result.stdout.split())
    assert imread(tmp_path / "gaps.png").std() > 0.05


# --- export ---


def test_export_with_the_matrices_of_the_textbook(libsvm: Path, tmp_path: Path) -> None:
    X, y = samples()
    arguments = ("--form", "dual", "--kernel", "linear", "--structure", "textbook")
    record = run_json("export", libsvm, tmp_path / "program", *arguments)
    assert record["variables"] == {"alpha": 24}
    program = read(record["path"])
    assert program.P.toarray() == pytest.approx((y[:, None] * X) @ (y[:, None] * X).T, abs=1e-12)


def test_export(libsvm: Path, tmp_path: Path) -> None:
    record = run_json("export", libsvm, tmp_path / "program", "--model", "soft-margin", "--kernel", "none")
    assert record == {
        "path": str(tmp_path / "program.npz"),
        "variables": {"w": 3, "xi": 24, "b": 1},
        "rows": {"margin": 24, "slack": 24},
    }
    program = read(record["path"])
    stated = SoftMargin(*samples()).primal.lower().program
    assert abs(program.A - stated.A).sum() == 0
    assert program.rows == stated.rows
    result = run("export", libsvm, tmp_path / "again.npz", "--model", "soft-margin", "--form", "primal")
    assert result.exit_code == 0
    assert "margin" in result.stdout
    assert (tmp_path / "again.npz").exists()


@pytest.mark.parametrize("suffix", [".mps", ".mat", ".json"])
def test_export_by_the_suffix(suffix: str, libsvm: Path, tmp_path: Path) -> None:
    record = run_json("export", libsvm, tmp_path / f"p{suffix}", "--kernel", "none", "--form", "primal")
    program, stated = read(record["path"]), SoftMargin(*samples()).primal.lower().program
    assert abs(program.A - stated.A).sum() == 0
    assert (program.name, program.rows, program.variables) == (stated.name, stated.rows, stated.variables)


# --- test set ---


def test_a_test_set(tmp_path: Path) -> None:
    records = run_json("testset", tmp_path / "set", "--max-variables", "10", "--format", ".mps")
    assert {record["status"] for record in records} == {"optimal", "infeasible", "unbounded"}
    for record in records:
        assert record["variables"] == 10
        assert read(tmp_path / "set" / record["files"][".mps"]).name == record["name"]
    assert {path.name for path in (tmp_path / "set").iterdir()} > {"index.json", "README.md", "problems"}


# --- refusals ---


def test_refusals(libsvm: Path, tmp_path: Path) -> None:
    for arguments, words in (
        (("solve", "brest-cancer"), "UnknownDatasetError: .*Did you mean 'breast-cancer'"),
        (("solve", "iris"), "ParameterError: iris has 3 different targets.*--positive 0"),
        (("solve", "diabetes"), "ParameterError: diabetes has .* as for regression"),
        (("solve", "wine", "--positive", "7"), "LabelError: .*classes 0, 1, 2, but '7' came"),
        (
            ("solve", libsvm, "--kernel", "cubic"),
            "ParameterError: --kernel must be .*rbf, linear, polynomial,? (or )?none, but 'cubic' came",
        ),
        (("solve", libsvm, "--gamma", "narrow"), "ParameterError: --gamma must be a number, 'scale' or 'auto'"),
        (("solve", libsvm, "--gamma", "-1"), "ParameterError: gamma must be finite and above 0, but -1 came"),
        (("solve", libsvm, "--model", "svm"), "ParameterError: --model must be one of .*soft-margin"),
        (
            ("solve", libsvm, "--form", "duel"),
            "ParameterError: --form of a SoftMargin must be one of primal, hinge, dual",
        ),
        (
            ("export", libsvm, tmp_path / "x", "--structure", "neat"),
            "ParameterError: structure must be 'lowered' or 'textbook', but 'neat' came",
        ),
        (("solve", libsvm, "--C", "0"), "ParameterError: C must be a number above 0"),
        (("solve", libsvm, "--C", "inf"), "ParameterError: .*An infinite C is the hard margin"),
        (("solve", libsvm, "--tol", "0"), "ParameterError: tol must be above 0 and below 1"),
        (("solve", libsvm, "--solver", "smoo"), "UnknownSolverError: .*did you mean 'smo'"),
        (("solve", libsvm, "--target", "kind"), "ParameterError: target must be left out"),
        (("solve", libsvm, "--model", "logistic", "--solver", "smo"), "UnsupportedProgramError: .*KernelQP"),
        (
            ("solve", libsvm, "--model", "hard-margin", "--kernel", "linear"),
            "InseparableError: no hyperplane separates the two classes",
        ),
        (("compare", libsvm, "--model", "svm"), "ParameterError: --model must be one of"),
        (("export", "nowhere", tmp_path / "x"), "UnknownDatasetError: .*'nowhere'"),
    ):
        message = " ".join(refused(*arguments).split())
        assert re.search(words, message), (arguments, message)


def test_an_infeasible_model_in_json(libsvm: Path) -> None:
    result = run("solve", libsvm, "--model", "hard-margin", "--kernel", "none", "--json", "-")
    assert result.exit_code == 1
    record = json.loads(result.stdout)
    assert record["status"] == "infeasible"
    assert "no hyperplane" in record["reason"]
    assert "InseparableError" in result.stderr


def test_a_malformed_file_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "torn"
    path.write_text("+1 1:0.5\n-1 1:zero\n")
    message = refused("solve", path)
    assert message.startswith("DataFormatError: ")
    assert "line 2, column" in message


@pytest.mark.parametrize("option", ["--save", "--json"])
def test_a_folder_that_does_not_exist(option: str, libsvm: Path, tmp_path: Path) -> None:
    result = runner.invoke(app, ["solve", str(libsvm), option, str(tmp_path / "nowhere" / "answer.npz")])
    assert isinstance(result.exception, SystemExit)
    assert result.exit_code == 1
    assert "nowhere" in result.stderr


def test_usage() -> None:
    for command in ("solvers", "solve", "compare", "export", "testset"):
        assert command in run("--help").stdout
        assert run(command, "--help").exit_code == 0
    assert run("solve").exit_code == 2
    assert run("unheard-of").exit_code == 2


def test_as_a_program(libsvm: Path) -> None:
    """Standard output holds JSON only, also where it is a pipe."""
    command = [sys.executable, "-W", "error", "-m", "formulations.commands.app"]
    done = subprocess.run(
        [*command, "compare", str(libsvm), "--solver", "smo", "--json", "-"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ,
        timeout=100,
    )
    assert len(json.loads(done.stdout)) == 1
