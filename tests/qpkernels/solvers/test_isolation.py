# SPDX-License-Identifier: BSD-3-Clause
"""Whatever a back-end does in a process of its own, the user's goes on and is told what happened."""

import os
import resource
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from foreign_solvers import Deaf, Frail, Hostile
from qpkernels.errors import ParameterError, SolverFailedError, UnsupportedOptionError
from qpkernels.problems import ConeProgram, LinearSystem, Program
from qpkernels.solvers import Claim, find_solver
from qpkernels.solvers.isolation import ProcessLimits, Worker
from solver_examples import EXAMPLES, SOFT


@pytest.mark.parametrize("kind", [Hostile, Deaf])
def test_a_hang_ends_with_the_time(kind: type[Hostile]) -> None:
    outcome = kind().solve(SOFT, time_limit=0.1, isolate=True, deed="hang")
    assert (outcome.claim, outcome.solver) == (Claim.STOPPED, kind.name)
    assert outcome.message.startswith("no answer within ")
    assert np.isnan(outcome.point).all()
    assert (outcome.point.shape, outcome.multipliers.shape) == ((len(SOFT),), (1,))


@pytest.mark.parametrize(
    ("deed", "message"),
    [
        ("segfault", "its process was ended by signal 11 (SIGSEGV)"),
        ("exit", "its process exited with status 3"),
    ],
)
def test_a_process_that_ends_is_a_failure(deed: str, message: str) -> None:
    outcome = Hostile().solve(SOFT, isolate=True, deed=deed)
    assert (outcome.claim, outcome.message) == (Claim.FAILED, message)
    assert np.isnan(outcome.multipliers).all()


def test_one_that_may_abort_is_isolated() -> None:
    assert Frail().solve(SOFT, deed="abort").message == "its process was ended by signal 6 (SIGABRT)"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep no such limit")
def test_memory_without_end_is_refused() -> None:
    with pytest.raises(SolverFailedError, match=r"'hostile' raised .*MemoryError"):
        Hostile().solve(SOFT, isolate=True, time_limit=60, memory_limit=2**29, deed="leak")
    # The limit was that of the call.
    with Worker.of("hostile") as worker:
        assert worker.call(ProcessLimits(), resource.getrlimit, resource.RLIMIT_DATA)[0] > 2**29


def test_what_a_back_end_prints_is_dropped_unless_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    assert Hostile().solve(SOFT, isolate=True, deed="print").claim is Claim.STOPPED
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("deed", "words"),
    [
        ("raise", "'hostile' raised UnreadableError: 1 and 2"),
        ("interrupt", "'hostile' raised KeyboardInterrupt"),
    ],
)
def test_odd_ends_are_told_in_words(deed: str, words: str) -> None:
    with pytest.raises(SolverFailedError, match=words):
        Hostile().solve(SOFT, isolate=True, deed=deed)


def test_our_own_exceptions_and_their_causes_come_back() -> None:
    with pytest.raises(UnsupportedOptionError, match="mine"):
        Hostile().solve(SOFT, isolate=True, fail=UnsupportedOptionError("mine"))
    with pytest.raises(SolverFailedError, match="raised ZeroDivisionError: no pivot") as caught:
        Hostile().solve(SOFT, isolate=True, fail=ZeroDivisionError("no pivot"))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_what_cannot_be_sent_is_said() -> None:
    with pytest.raises(
        SolverFailedError, match=r"'hostile' cannot be sent to a process of its own, or its answer back .*pickle"
    ):
        Hostile().solve(SOFT, isolate=True, fail=(number for number in range(3)))


def test_a_process_is_kept_until_it_is_ended() -> None:
    first, second = (Hostile().solve(SOFT, isolate=True).message for _ in range(2))
    assert first == second != str(os.getpid())
    Hostile().solve(SOFT, isolate=True, deed="abort")
    assert Hostile().solve(SOFT, isolate=True).message != first
    assert Hostile().solve(SOFT).message == str(os.getpid())


def test_calls_at_the_same_time_have_a_process_each() -> None:
    with Worker.of("hostile") as worker, ThreadPoolExecutor(1) as threads:
        here = worker.call(ProcessLimits(), os.getpid)
        assert threads.submit(Hostile().solve, SOFT, isolate=True).result().message != str(here)


@pytest.mark.parametrize(("name", "kind"), [("clarabel", ConeProgram), ("linear", LinearSystem)])
def test_the_answer_is_that_of_a_call_here(name: str, kind: type[Program]) -> None:
    here, apart = (find_solver(name).solve(EXAMPLES[kind], isolate=isolate) for isolate in (False, True))
    assert apart.claim is Claim.OPTIMAL
    assert (apart.solver, apart.message) == (here.solver, here.message)
    np.testing.assert_array_equal(apart.point, here.point)
    np.testing.assert_array_equal(apart.multipliers, here.multipliers)


def test_a_memory_limit_is_that_of_a_process() -> None:
    with pytest.raises(UnsupportedOptionError, match=r"memory_limit .*ask for isolate=True"):
        find_solver("clarabel").solve(EXAMPLES[ConeProgram], memory_limit=2**30)
    with pytest.raises(ParameterError, match="memory_limit"):
        Hostile().solve(SOFT, isolate=True, memory_limit=-1)


SCRIPT = """
from foreign_solvers import Foreign
from solver_examples import SOFT
from qpkernels.solvers import Answer

class Mine(Foreign):
    name = "mine"

    def run(self, program, request, **options):
        return super().run(program, request)

print("once")
print(Mine().solve(SOFT, isolate=True).message)
"""


def test_a_script_is_not_run_again(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    path = os.pathsep.join(each for each in sys.path if each)
    result = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert (result.stdout, result.stderr) == ("once\ntol 1e-06\n", "")
