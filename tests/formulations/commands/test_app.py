# SPDX-License-Identifier: BSD-3-Clause
"""The command line as a whole: what it refuses, and how it ends."""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from command_line import refused, run, run_json, runner, samples
from formulations import SoftMargin
from formulations.commands.app import app
from formulations.commands.options import complete_models, complete_solvers
from formulations.commands.output import command
from qpkernels.errors import GramTooLargeError
from qpkernels.gram import Gram
from qpkernels.kernels import Sigmoid

COMMANDS = [command.name for command in app.registered_commands]


def test_refusals(libsvm: Path, tmp_path: Path) -> None:
    for arguments, words in (
        (("solve", "brest-cancer"), "UnknownDatasetError: .*Did you mean 'breast-cancer'"),
        (("solve", "iris"), "ParameterError: iris has 3 different targets.*--positive setosa"),
        (("solve", "diabetes"), "ParameterError: diabetes has .* as for regression"),
        (("solve", "wine", "--positive", "7"), "LabelError: .*classes 0, 1, 2, but '7' came"),
        (
            ("solve", libsvm, "--kernel", "cubic"),
            "ParameterError: no kernel is called 'cubic'; .*rbf, laplacian, linear",
        ),
        (("solve", libsvm, "--gamma", "narrow"), "ParameterError: --gamma must be a number, 'scale' or 'auto'"),
        (("solve", libsvm, "--gamma", "-1"), r"ParameterError: --gamma must be finite and above 0, but -1 came\.$"),
        (("solve", libsvm, "--kernel", "poly", "--degree", "0"), r"--degree must be an integer .* but 0 came\.$"),
        (("solve", libsvm, "--kernel", "rbf(gamma=-1)"), r"ParameterError: gamma must be .* rbf\(gamma=-1\) \^"),
        (("solve", libsvm, "--time-limit", "-1"), "ParameterError: --time-limit must be finite and above 0"),
        (("path", libsvm, "--try", "C=-1"), "ParameterError: C must be a number above 0"),
        (
            ("solve", libsvm, "--model", "svm"),
            "ParameterError: no model is called 'svm'. .*'qpkernels models' lists",
        ),
        (
            ("solve", libsvm, "--form", "duel"),
            "ParameterError: --form of a SoftMargin must be one of primal, hinge, dual",
        ),
        (
            ("export", libsvm, tmp_path / "x", "--structure", "neat"),
            "ParameterError: --structure must be 'textbook' or 'lowered', but 'neat' came",
        ),
        (("solve", libsvm, "--C", "0"), "ParameterError: --C must be a number above 0"),
        (("solve", libsvm, "--C", "inf"), "ParameterError: --C must be finite, .* --model hard-margin"),
        (("solve", libsvm, "--tol", "0"), "ParameterError: --tol must be above 0 and below 1"),
        (("solve", libsvm, "--solver", "smoo"), "UnknownSolverError: .*did you mean 'smo'"),
        (("solve", libsvm, "--target", "kind"), "ParameterError: --target must be left out"),
        (("solve", libsvm, "--model", "logistic", "--solver", "smo"), "UnsupportedProgramError: .*KernelQP"),
        (("compare", libsvm, "--model", "soft-marjin"), "ParameterError: no model .* Did you mean soft-margin"),
        (("export", "nowhere", tmp_path / "x"), "UnknownDatasetError: .*'nowhere'"),
    ):
        message = refused(*arguments)
        assert re.search(words, message), (arguments, message)


def test_an_indefinite_kernel_is_refused_or_changed_by_an_option(libsvm: Path) -> None:
    sigmoid = ("--kernel", "sigmoid", "--gamma", "0.5")
    for arguments in (("solve", libsvm), ("fit", "wine", "--scale"), ("grid", libsvm, "--try", "C=1")):
        message = refused(*arguments, *sigmoid)
        assert re.search(r"eigenvalue -.*, or --indefinite clip, .* --indefinite shift", message), message
        assert "Gram(" not in message
    X, y = samples()
    for how in ("clip", "shift"):
        objective = SoftMargin(Gram(Sigmoid(0.5, 0.0), X, indefinite=how), y).solve().objective
        assert run_json("solve", libsvm, *sigmoid, "--indefinite", how)["objective"] == pytest.approx(objective)
    assert run_json("grid", libsvm, *sigmoid, "--try", "C=1", "--folds", "2", "--indefinite", "clip")["best_score"] > 0
    assert "leave --indefinite out" in refused("solve", libsvm, "--indefinite", "clip")
    assert "--indefinite must be 'refuse', 'clip' or 'shift'" in refused("solve", libsvm, "--indefinite", "flip")
    assert "--kernel none has no use for --indefinite" in refused(
        "solve", libsvm, "--kernel", "none", "--indefinite", "clip"
    )


def test_a_matrix_that_is_too_large_is_told_without_python(capsys: pytest.CaptureFixture[str]) -> None:
    def form() -> None:
        raise GramTooLargeError("the kernel matrix takes 9 GiB, above the limit; bind the samples with Gram(...).")

    with pytest.raises(typer.Exit):
        command(form)()
    message = capsys.readouterr().err
    assert "takes 9 GiB, above the limit; take fewer samples, a --rank, or a solver without matrices" in message
    assert "Gram(" not in message


def test_an_infeasible_model_in_json(libsvm: Path) -> None:
    result = run("solve", libsvm, "--model", "hard-margin", "--kernel", "none", "--json", "-")
    assert result.exit_code == 4
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


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("export", "wine", "program.txt"), "a program is written as .npz, .mat, .mps, .qps, .json, but program.txt"),
        (("fit", "wine", "-o", "machine.model"), "a machine is written as .npz, but machine.model came; name it so"),
        (("grid", "wine", "-o", "machine.model"), "a machine is written as .npz"),
        (("solve", "wine", "--save", "machine.model"), "a machine is written as .npz"),
        (("compare", "wine", "--picture", "picture.txt"), "a picture is written as .png, .pdf, .svg, .jpg"),
    ],
)
def test_a_suffix_of_no_format_is_refused(arguments: tuple[str, ...], words: str) -> None:
    assert words in refused(*arguments)


def test_a_pipe_that_is_closed_is_no_bad_input() -> None:
    def write() -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        command(write)()


@pytest.mark.parametrize("option", ["--save", "--json"])
def test_a_folder_that_does_not_exist(option: str, libsvm: Path, tmp_path: Path) -> None:
    result = runner.invoke(app, ["solve", str(libsvm), option, str(tmp_path / "nowhere" / "answer.npz")])
    assert isinstance(result.exception, SystemExit)
    assert result.exit_code == 2
    assert "nowhere" in result.stderr


def test_usage() -> None:
    for name in COMMANDS:
        assert name in run("--help").stdout
        assert run(name, "--help").exit_code == 0
    assert run("fit", "-h").stdout == run("fit", "--help").stdout
    assert run("solve").exit_code == 2
    assert run("unheard-of").exit_code == 2


def test_as_a_program(libsvm: Path) -> None:
    """Standard output holds JSON only, also where it is a pipe."""
    program = [sys.executable, "-W", "error", "-m", "formulations.commands.app"]
    done = subprocess.run(
        [*program, "compare", str(libsvm), "--solver", "smo", "--json", "-"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ,
        timeout=100,
    )
    assert len(json.loads(done.stdout)) == 1


@pytest.mark.parametrize("spelling", ["SoftMarginDual", "soft-margin-dual", "soft_margin_DUAL", "softmargindual"])
def test_models_and_forms_by_any_spelling(spelling: str, libsvm: Path) -> None:
    record = run_json("solve", libsvm, "--model", spelling, "--solver", "clarabel")
    assert record["formulation"] == "SoftMarginDual"
    message = refused("solve", libsvm, "--model", spelling, "--form", "primal")
    assert "is the form dual, but --form primal came" in message
    assert run_json("solve", libsvm, "--model", "NuMargin")["formulation"] == "NuMargin"


def test_how_commands_end(libsvm: Path, tmp_path: Path) -> None:
    hard = ("--model", "hard-margin", "--kernel", "linear")
    limit = ("--solver", "osqp", "--model", "soft-margin-primal", "--time-limit", "1e-6")
    for arguments, status in (
        (("solve", libsvm), 0),
        (("solve", tmp_path / "nowhere"), 2),
        (("solve", libsvm, "--nonsense"), 2),
        (("solve", libsvm, *limit), 3),
        (("compare", libsvm, "--solver", "smo"), 0),
        (("compare", libsvm, *limit), 3),
        (("compare", libsvm, *hard, "--solver", "smo"), 4),
        (("cross-examine", libsvm, *hard, "--solver", "smo", "--tol", "1e-3"), 4),
        (("grid", libsvm, *hard, "--try", "gamma=1"), 2),
        (("path", libsvm, "--try", "C=1", "--tol", "1e-3"), 0),
    ):
        result = run(*arguments)
        assert result.exit_code == status, (arguments, result.exit_code, result.output)


def test_what_the_packages_log_is_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("models").exit_code == 0
    assert run("models").exit_code == 0
    logging.getLogger("qpkernels").info("compiling ...")
    assert capsys.readouterr().err == "compiling ...\n"


def test_what_is_not_finished_says_so_on_standard_error(libsvm: Path) -> None:
    result = run("solve", libsvm, "--model", "hard-margin", "--kernel", "linear")
    assert result.stdout == ""
    assert result.stderr.startswith("InseparableError: no hyperplane")


def test_no_number_is_longer_than_anybody_reads(libsvm: Path) -> None:
    for name in ("solve", "path"):
        assert re.findall(r"\d\.\d{12,}", run(name, libsvm).stdout) == []


def test_help_is_grouped_and_translates_from_libsvm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    text = run("--help").stdout
    for words in ("Train and use machines", "Solve and prove", "Exit status", "svm-train", "svm-scale", "grid.py"):
        assert words in text
    assert "--install-completion" in text


def test_the_shell_completes_models_and_solvers() -> None:
    assert complete_models("soft") == ["soft-margin", "soft-tube"]
    assert complete_models("") == sorted(record["name"] for record in run_json("models"))
    assert complete_solvers("cl") == ["clarabel"]
    completing = {"_ROOT_COMPLETE": "complete_bash", "COMP_WORDS": "root solve wine --model nu-", "COMP_CWORD": "4"}
    result = runner.invoke(app, [], env=completing, prog_name="root")
    assert result.stdout.split() == ["nu-margin", "nu-tube"]
