# SPDX-License-Identifier: BSD-3-Clause
"""A descent that is cut off goes on from its file, and from no other."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep

import numpy as np
import pytest

from builders import two_classes
from qpkernels import RBF, FunctionKernel, Gram, Linear, LowRank
from qpkernels.errors import FileFormatError, ForeignResultsError, ParameterError
from qpkernels.problems import KernelQP, certify_kernel_qp
from qpkernels.solvers import Claim
from smo_problems import intercept, soft, soft_margin, solve

_CHILD = """
import sys
from smo_problems import soft, solve
from builders import two_classes
program = soft(*two_classes(4000, shift=0.2, features=4), 100.0)
print("begun", flush=True)
solve(program, tol=1e-9, checkpoint=sys.argv[1], checkpoint_every=1e-3)
print("done", flush=True)
"""


def problem(C: float = 10.0, m: int = 2500) -> KernelQP:
    return soft(*two_classes(m, shift=0.3, features=4), C)


def cut_off(program: KernelQP, path: Path, steps: int) -> None:
    outcome = solve(program, tol=1e-9, max_iter=steps, checkpoint=path)
    assert outcome.claim is Claim.STOPPED


def proved(program: KernelQP, tol: float, **options: object) -> float:
    outcome = solve(program, tol=tol, **options)
    proof = certify_kernel_qp(program, outcome.point, intercept(outcome))
    assert outcome.claim is Claim.OPTIMAL
    assert proof.holds(tol)
    return proof.primal_value


def test_a_killed_process_is_gone_on_from(tmp_path: Path) -> None:
    """kill -9 while the child is at it; what it left is a whole file, and the answer is that of one run."""
    path = tmp_path / "run.npz"
    paths = os.pathsep.join([str(Path(__file__).parents[3]), str(Path(__file__).parents[4])])
    child = subprocess.Popen(
        [sys.executable, "-c", _CHILD, str(path)],
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        text=True,
    )
    with child:
        end = monotonic() + 120
        while not path.exists() and monotonic() < end:
            sleep(0.005)
        child.send_signal(signal.SIGKILL)
        assert child.stdout is not None
        assert "done" not in child.stdout.read()
    steps = int(np.load(path)["steps"])
    program = soft(*two_classes(4000, shift=0.2, features=4), 100.0)
    resumed = solve(program, tol=1e-6, checkpoint=path)
    assert resumed.claim is Claim.OPTIMAL
    assert resumed.iterations is not None
    assert resumed.iterations >= steps > 0
    proof = certify_kernel_qp(program, resumed.point, intercept(resumed))
    assert proof.holds(1e-6)
    assert proof.primal_value == pytest.approx(proved(program, 1e-6), rel=2e-6)


@pytest.mark.parametrize("m", [200, 2500])
def test_steps_count_over_all_runs(m: int, tmp_path: Path) -> None:
    path, program = tmp_path / "run.npz", problem(m=m)
    cut_off(program, path, 150)
    assert solve(program, tol=1e-9, max_iter=150, checkpoint=path).iterations == 150
    after = solve(program, tol=1e-6, checkpoint=path)
    assert after.claim is Claim.OPTIMAL
    assert after.iterations is not None
    assert after.iterations > 150


def test_what_is_finished_is_finished_at_once(tmp_path: Path) -> None:
    path, program = tmp_path / "run", problem()
    first = solve(program, tol=1e-6, checkpoint=path)
    assert (tmp_path / "run.npz").exists()
    again = solve(program, tol=1e-6, checkpoint=path)
    assert first.iterations is not None
    assert again.iterations is not None
    assert again.iterations - first.iterations < 0.1 * first.iterations


def test_samples_left_out_have_their_values_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file written while samples are left out holds the point at which all values were up to date."""
    from qpkernels.solvers.smo.checkpoint import Checkpoint

    path, program, seen = tmp_path / "run.npz", problem(C=100.0, m=4000), list[int]()
    write = Checkpoint.write

    def only_estimated(self: Checkpoint, iterate: object) -> None:
        if iterate.estimated:  # type: ignore[attr-defined]
            write(self, iterate)  # type: ignore[arg-type]
            seen.append(1)

    monkeypatch.setattr(Checkpoint, "write", only_estimated)
    solve(program, tol=1e-4, checkpoint=path, checkpoint_every=1e-9)
    assert seen
    arrays = np.load(path)
    assert not np.array_equal(arrays["beta"], arrays["stepped_beta"])
    np.testing.assert_allclose(arrays["stepped_values"], program.gram.product(arrays["stepped_beta"]), atol=1e-2)
    proved(program, 1e-5, checkpoint=path)


@pytest.mark.parametrize("values", [0.0, 1e6])
def test_values_that_do_not_fit_their_point_are_made_anew(values: float, tmp_path: Path) -> None:
    path, program = tmp_path / "run.npz", problem()
    cut_off(program, path, 500)
    arrays = dict(np.load(path))
    np.savez(path, **{**arrays, "stepped_values": np.full(len(program), values)})
    proved(program, 1e-6, checkpoint=path)


@pytest.mark.parametrize(
    "program",
    [
        soft_margin(Gram(Linear(), two_classes(60)[0]), two_classes(60)[1]),
        soft_margin(LowRank(RBF(1.0), two_classes(60)[0], 20), two_classes(60)[1]),
        soft_margin(Gram(RBF(1.0), two_classes(60)[0]), two_classes(60)[1], total=None),
    ],
    ids=["features", "low rank", "no intercept"],
)
def test_every_kind_of_matrix_is_gone_on_with(program: KernelQP, tmp_path: Path) -> None:
    solve(program, tol=1e-9, max_iter=5, checkpoint=tmp_path / "run.npz")
    proved(program, 1e-6, checkpoint=tmp_path / "run.npz")


def others() -> dict[str, KernelQP]:
    X, y = two_classes(100, shift=0.3, features=4)
    same = soft(X, y, 10.0)
    return {
        "samples": soft(X + 1e-9, y, 10.0),
        "kernel": soft(X, y, 10.0, RBF(1.5)),
        "labels or targets and bounds": soft(X, -y, 10.0),
        "bounds": soft(X, y, 11.0),
        "losses": replace(same, epsilon=np.full(100, 0.1)),
        "intercept": soft(X, y, 10.0, total=None),
    }


@pytest.mark.parametrize("part", list(others()))
def test_a_checkpoint_of_another_problem_is_refused_by_its_name(part: str, tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    cut_off(soft(*two_classes(100, shift=0.3, features=4), 10.0), path, 50)
    before = path.read_bytes()
    with pytest.raises(ForeignResultsError, match=rf"another problem: its {part}.*differ; name another file"):
        solve(others()[part], checkpoint=path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("m", [99, 101])
def test_one_of_another_size_is_refused(m: int, tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    cut_off(soft(*two_classes(100, shift=0.3, features=4), 10.0), path, 50)
    with pytest.raises(ForeignResultsError, match="its samples and"):
        solve(soft(*two_classes(m, shift=0.3, features=4), 10.0), checkpoint=path)


def damaged(path: Path, how: str) -> None:
    content, arrays = path.read_bytes(), dict(np.load(path))
    match how:
        case "cut short":
            path.write_bytes(content[: len(content) // 2])
        case "a bit turned":
            place = content.index(arrays["beta"].tobytes()) + 11
            path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        case "nan":
            np.savez(path, **{**arrays, "beta": np.full(arrays["beta"].size, np.nan)})
        case "objects":
            np.savez(path, **{**arrays, "beta": np.array([print] * arrays["beta"].size)})
        case "a part missing":
            del arrays["seconds"]
            np.savez(path, **arrays)
        case "short":
            np.savez(path, **{**arrays, "beta": arrays["beta"][1:]})
        case "another version":
            np.savez(path, **{**arrays, "problem": np.array("[]")})
        case _:
            path.write_text("beta")


@pytest.mark.parametrize(
    "how", ["cut short", "a bit turned", "nan", "objects", "a part missing", "short", "another version", "text"]
)
def test_a_damaged_file_is_refused_and_nothing_in_it_executed(how: str, tmp_path: Path) -> None:
    path, program = tmp_path / "run.npz", problem(m=100)
    cut_off(program, path, 50)
    damaged(path, how)
    with pytest.raises(FileFormatError, match=r"a checkpoint written by smo"):
        solve(program, checkpoint=path)


def test_a_kernel_that_no_file_holds_has_no_checkpoint(tmp_path: Path) -> None:
    X, y = two_classes(20)
    program = soft_margin(Gram(FunctionKernel(lambda x, z: x @ z.T), X), y)
    with pytest.raises(ParameterError, match="function"):
        solve(program, checkpoint=tmp_path / "run.npz")


def test_a_folder_that_is_not_there_is_refused_before_anything_is_solved(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"folder .*none of the checkpoint does not exist"):
        solve(problem(m=20), checkpoint=tmp_path / "none" / "run.npz")


@pytest.mark.parametrize("every", [0, -1, float("nan"), "often"])
def test_a_time_that_is_none_is_refused(every: object, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="checkpoint_every"):
        solve(problem(m=20), checkpoint=tmp_path / "run.npz", checkpoint_every=every)


def test_a_file_that_cannot_be_written_costs_a_warning_and_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.warns(RuntimeWarning, match=r"no checkpoint was written to .*No space left"):
        proved(problem(m=100), 1e-6, checkpoint=tmp_path / "run.npz")
    assert list(tmp_path.iterdir()) == []
