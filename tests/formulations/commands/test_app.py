# SPDX-License-Identifier: BSD-3-Clause
"""The command line as a whole: what it refuses, and how it ends."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import refused, run, runner
from formulations.commands.app import app

COMMANDS = [command.name for command in app.registered_commands]


def test_refusals(libsvm: Path, tmp_path: Path) -> None:
    for arguments, words in (
        (("solve", "brest-cancer"), "UnknownDatasetError: .*Did you mean 'breast-cancer'"),
        (("solve", "iris"), "ParameterError: iris has 3 different targets.*--positive setosa"),
        (("solve", "diabetes"), "ParameterError: diabetes has .* as for regression"),
        (("solve", "wine", "--positive", "7"), "LabelError: .*classes 0, 1, 2, but '7' came"),
        (
            ("solve", libsvm, "--kernel", "cubic"),
            "ParameterError: no kernel is called 'cubic'; .*linear, rbf, polynomial",
        ),
        (("solve", libsvm, "--gamma", "narrow"), "ParameterError: --gamma must be a number, 'scale' or 'auto'"),
        (("solve", libsvm, "--gamma", "-1"), "ParameterError: gamma must be finite and above 0, but -1 came"),
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
            "ParameterError: structure must be 'lowered' or 'textbook', but 'neat' came",
        ),
        (("solve", libsvm, "--C", "0"), "ParameterError: C must be a number above 0"),
        (("solve", libsvm, "--C", "inf"), "ParameterError: .*An infinite C is the hard margin"),
        (("solve", libsvm, "--tol", "0"), "ParameterError: tol must be above 0 and below 1"),
        (("solve", libsvm, "--solver", "smoo"), "UnknownSolverError: .*did you mean 'smo'"),
        (("solve", libsvm, "--target", "kind"), "ParameterError: target must be left out"),
        (("solve", libsvm, "--model", "logistic", "--solver", "smo"), "UnsupportedProgramError: .*KernelQP"),
        (("compare", libsvm, "--model", "soft-marjin"), "ParameterError: no model .* Did you mean soft-margin"),
        (("export", "nowhere", tmp_path / "x"), "UnknownDatasetError: .*'nowhere'"),
    ):
        message = refused(*arguments)
        assert re.search(words, message), (arguments, message)


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


@pytest.mark.parametrize("option", ["--save", "--json"])
def test_a_folder_that_does_not_exist(option: str, libsvm: Path, tmp_path: Path) -> None:
    result = runner.invoke(app, ["solve", str(libsvm), option, str(tmp_path / "nowhere" / "answer.npz")])
    assert isinstance(result.exception, SystemExit)
    assert result.exit_code == 2
    assert "nowhere" in result.stderr


def test_usage() -> None:
    for command in COMMANDS:
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
