# SPDX-License-Identifier: BSD-3-Clause
"""Every command on the page of the command line runs, and ends as the page says."""

import re
import shlex
from pathlib import Path

import pytest

from command_line import run, samples, write_libsvm
from formulations.commands.app import app

PAGE = (Path(__file__).parent.parent / "docs" / "command-line.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```console\n(.*?)```", PAGE, flags=re.DOTALL)
TABLE = re.findall(r"^\| [^|]*\| `qpkernels ([^`]*)`", PAGE, flags=re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work beside the files that the page names."""
    monkeypatch.chdir(tmp_path)
    X, y = samples()
    for name in ("train", "test"):
        write_libsvm(tmp_path / name, X, y)
    assert run("fit", "train", "--probability", "--libsvm-model", "train.model").exit_code == 0
    assert run("scale", "train", "train.scale", "-s", "range").exit_code == 0
    return tmp_path


def test_the_page_shows_every_command() -> None:
    shown = set(re.findall(r"^\$ qpkernels ([\w-]+)", "".join(BLOCKS), flags=re.MULTILINE))
    shown |= {line.split()[0] for line in TABLE}
    # lab serves until it is ended; docs/lab.md shows it, and test_lab.py runs that.
    assert {command.name for command in app.registered_commands} - shown == {
        "solvers",
        "models",
        "kernels",
        "testset",
        "lab",
    }
    assert len(TABLE) >= 15


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.usefixtures("folder")
def test_the_commands_of_a_block(block: str) -> None:
    for line in block.splitlines():
        command, _, remark = line.partition("#")
        status = re.search(r"ends with (\d)", remark)
        result = run(*shlex.split(command)[2:])
        assert result.exit_code == (int(status[1]) if status else 0), result.output


@pytest.mark.parametrize("line", TABLE)
@pytest.mark.usefixtures("folder")
def test_a_command_of_the_table(line: str) -> None:
    result = run(*shlex.split(line))
    assert result.exit_code == 0, result.output


def test_the_first_line_of_the_page(folder: Path) -> None:
    for command in re.findall(r"```\n(.*)\n```", PAGE)[0].split(" && "):
        assert run(*shlex.split(command)[1:]).exit_code == 0
    assert (folder / "machine.npz").exists()
