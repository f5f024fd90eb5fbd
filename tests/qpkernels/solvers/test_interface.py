# SPDX-License-Identifier: BSD-3-Clause
"""The contract that every solver keeps."""

import re
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from builders import FAMILIES, KNOWN_OPTIMA, KnownOptimum, cone_program, manufacture
from foreign_solvers import Foreign, Missing, MissingInside
from qpkernels.errors import (
    NonFiniteError,
    ParameterError,
    ShapeError,
    SolverFailedError,
    SolverNotInstalledError,
    UnsupportedOptionError,
    UnsupportedProgramError,
)
from qpkernels.problems import (
    Cone,
    ConeProgram,
    KernelQP,
    LinearSystem,
    Nonnegative,
    PSDTriangle,
    Zero,
    certify_cone_program,
    certify_kernel_qp,
)
from qpkernels.solvers import Answer, Claim, ConePoint, Outcome, Request, Solver, find_solver, installed_solvers
from qpkernels.solvers.automatic import automatic_for
from qpkernels.solvers.repair import repair
from qpkernels.solvers.repair.proofs import repair_multipliers
from solver_examples import (
    CONE_SOLVERS,
    CVXPY_ALL,
    EXAMPLES,
    REGISTERED,
    SOFT,
    example_for,
)
from together import together

ASKED, GRANTED = 1e-7, 1e-5
"""The accuracy asked of every cone solver, and the one its certificate must show."""


LESS = {"highs": 1e-4}
"""What is granted instead: HiGHS ends its quadratic method at a dual residual of 1e-5 whatever is asked."""


STRICT: dict[str, dict[str, Any]] = {
    "cvxpy:SCS": {"eps_abs": 1e-8, "eps_rel": 1e-8},
    "cvxpy:OSQP": {"eps_abs": 1e-8, "eps_rel": 1e-8},
}
"""CVXPY has no common name for a tolerance, so its solvers are given their own."""


QUADRATIC_ONLY = {"cvxpy:OSQP"}


NO_OPTIONS = (
    *("free-directions", "frisch-newton", "interior-point", "kernel-weights", "linear", "newton"),
    "semismooth-newton",
)

NO_EMPTY_PROGRAMS = {"cvxpy:SCS"}
"""Solvers of CVXPY that say only when called what they cannot do; the answer is then SolverFailedError."""


every_solver = together("solver", REGISTERED)


every_cone_solver = pytest.mark.parametrize("name", CONE_SOLVERS)


def solve(name: str, program: ConeProgram, **options: Any) -> Outcome:
    return find_solver(name).solve(program, tol=ASKED, **(STRICT.get(name, {}) | options))


def assert_certified(name: str, program: ConeProgram) -> Outcome:
    outcome = solve(name, program)
    certificate = repair(program, outcome.point, outcome.multipliers, LESS.get(name, GRANTED)).certificate
    assert certificate.holds(LESS.get(name, GRANTED)), certificate
    assert outcome.claim is Claim.OPTIMAL
    assert outcome.solver == name
    return outcome


@every_solver
def test_contract_a_solver_describes_itself(solver: Solver) -> None:
    assert type(find_solver(solver.name)) is type(solver)
    assert find_solver(solver.name).name == solver.name
    assert solver.module is None or solver.install.startswith("pip install ")
    assert solver.programs
    assert set(solver.programs) <= set(EXAMPLES)
    assert solver.options <= {"tol", "max_iter", "time_limit", "warm_start"}
    assert (ConeProgram in solver.programs) == bool(solver.cones)
    assert type(solver).__doc__


@every_solver
def test_contract_a_solver_refuses_what_it_does_not_take(solver: Solver) -> None:
    takes_cones = ConeProgram in solver.programs
    for known in KNOWN_OPTIMA.values():
        foreign = {type(cone).__name__ for cone in known.program.cones if not isinstance(cone, solver.cones)}
        reason = solver.refusal(known.program)
        assert (reason is None) == (takes_cones and not foreign)
        if reason is not None:
            assert solver.name in reason
            assert known.program.name in reason
            assert all(kind in reason for kind in foreign) or not takes_cones
            with pytest.raises(UnsupportedProgramError, match="choose another solver"):
                solver.solve(known.program)
    takes = " or ".join(kind.__name__ for kind in solver.programs)
    for kind, program in EXAMPLES.items():
        assert (solver.refusal(program) is None) == (kind in solver.programs)
        if kind not in solver.programs:
            words = f"'{solver.name}' takes a {takes}, but {program.name} is a {kind.__name__}; choose another solver"
            with pytest.raises(UnsupportedProgramError, match=words):
                solver.solve(program)


@together("name", CONE_SOLVERS)
@together("known", KNOWN_OPTIMA.values())
def test_contract_known_optima_are_found_with_their_multipliers(name: str, known: KnownOptimum) -> None:
    if find_solver(name).refusal(known.program) is not None:
        with pytest.raises(UnsupportedProgramError):
            solve(name, known.program)
        return
    if name in QUADRATIC_ONLY and not known.program.is_quadratic:
        with pytest.raises(SolverFailedError, match="cannot solve this problem"):
            solve(name, known.program)
        return
    outcome = assert_certified(name, known.program)
    np.testing.assert_allclose(outcome.point, known.x, atol=1e-3)
    np.testing.assert_allclose(outcome.multipliers, known.z, atol=1e-3)


def test_cone_solvers_take_the_cones_they_should() -> None:
    kinds: dict[str, set[type[Cone]]] = {name: set(find_solver(name).cones) for name in CONE_SOLVERS}
    assert all({Zero, Nonnegative} <= cones for cones in kinds.values())
    assert PSDTriangle in kinds["clarabel"]
    for name in ("clarabel", "scs", "cvxpy:CLARABEL", "cvxpy:SCS"):
        assert len(kinds[name]) >= 5


@every_cone_solver
@together("family", FAMILIES)
def test_contract_kernel_qps_in_matrices(name: str, family: str) -> None:
    made = manufacture(family, m=20)
    matrices = made.program.to_cone_program()
    if name in NO_EMPTY_PROGRAMS and matrices.b.size == 0:
        return
    outcome = assert_certified(name, matrices)
    m = len(made.program)
    beta = outcome.point if matrices.q.size == m else outcome.point[:m] - outcome.point[m:]
    balance = [block for block in matrices.rows if block.name == "balance"]
    b = float(outcome.multipliers[balance[0].range][0]) if balance else 0.0
    assert b == pytest.approx(made.intercept, abs=1e-3)
    np.testing.assert_allclose(beta, made.beta, atol=1e-2)
    assert certify_kernel_qp(made.program, beta, b).relative_gap <= 1e-4


def test_every_kernel_qp_solver_finds_known_optima() -> None:
    names = [solver.name for solver in installed_solvers() if KernelQP in solver.programs]
    assert {"smo", "interior-point"} <= set(names)
    for name in names:
        for family in FAMILIES:
            made = manufacture(family, m=20)
            if find_solver(name).refusal(made.program) is not None:
                continue
            outcome = find_solver(name).solve(made.program, tol=1e-8)
            b = float(outcome.multipliers[0]) if outcome.multipliers.size else 0.0
            assert outcome.claim is Claim.OPTIMAL
            assert certify_kernel_qp(made.program, outcome.point, b).holds(1e-7)


@every_cone_solver
def test_contract_rows_in_any_order_keep_their_multipliers(name: str) -> None:
    # min (x1^2 + x2^2) / 2 s.t. x1 >= 1, x1 + x2 = 3, x2 <= 1: x = (2, 1), equation -2, last row 1.
    program = cone_program(
        np.eye(2), [0, 0], [[-1, 0], [1, 1], [0, 1]], [-1, 3, 1], [Nonnegative(1), Zero(1), Nonnegative(1)]
    )
    outcome = assert_certified(name, program)
    np.testing.assert_allclose(outcome.point, [2, 1], atol=1e-4)
    np.testing.assert_allclose(outcome.multipliers, [0, -2, 1], atol=1e-4)


@together("name", CONE_SOLVERS)
def test_contract_a_program_without_rows(name: str) -> None:
    program = cone_program(2 * np.eye(2), [-2, 4], np.zeros((0, 2)), [], [])
    if name in NO_EMPTY_PROGRAMS:
        with pytest.raises(SolverFailedError, match="positive integer"):
            solve(name, program)
        return
    outcome = solve(name, program)
    np.testing.assert_allclose(outcome.point, [1, -2], atol=1e-4)
    assert outcome.multipliers.shape == (0,)


@every_cone_solver
def test_contract_an_infeasible_program_has_no_optimum(name: str) -> None:
    # x1 >= 2, x1 + x2 <= 1, x2 >= 0
    program = cone_program(np.zeros((2, 2)), [1, 1], [[-1, 0], [1, 1], [0, -1]], [-2, 1, 0], [Nonnegative(3)])
    try:
        outcome = solve(name, program)
    except SolverFailedError:
        return
    assert outcome.claim is not Claim.OPTIMAL
    assert not certify_cone_program(program, outcome.point, outcome.multipliers).holds(1e-3)
    if outcome.claim is Claim.INFEASIBLE and np.isfinite(outcome.multipliers).all():
        assert repair_multipliers(program, outcome.multipliers)[1].holds(1e-9)


@pytest.mark.parametrize("name", ["clarabel", "osqp", "scs"])
@pytest.mark.parametrize("quadratic", [0.0, 1.0])
def test_infeasibility_is_proved_by_those_that_can(name: str, quadratic: float) -> None:
    A, b = [[-1, 0], [1, 1], [0, -1], [1, -1]], [-2, 1, 0, 0.5]
    program = cone_program(quadratic * np.eye(2), [1, 1], A, b, [Nonnegative(3), Zero(1)])
    outcome = solve(name, program)
    assert outcome.claim is Claim.INFEASIBLE
    assert repair_multipliers(program, outcome.multipliers)[1].holds(1e-9)


@pytest.mark.parametrize("name", ["clarabel", "osqp", "scs"])
def test_an_unbounded_program_comes_with_its_direction(name: str) -> None:
    program = cone_program(np.diag([1.0, 0.0]), [0, -1], [[1, 0], [0, -1]], [1, 0], [Nonnegative(2)])
    outcome = solve(name, program)
    assert outcome.claim is Claim.UNBOUNDED
    direction = outcome.point / np.abs(outcome.point).max()
    assert program.q @ direction < -0.5
    np.testing.assert_allclose(program.P @ direction, 0.0, atol=1e-4)
    assert (program.A @ direction <= 1e-4).all()


@every_cone_solver
def test_contract_an_unbounded_program_has_no_optimum(name: str) -> None:
    """What a solver says is its own; the certificate refuses it."""
    program = cone_program(np.zeros((2, 2)), [0, -1], [[1, 0], [-1, 0], [0, -1]], [1, 1, 0], [Nonnegative(3)])
    try:
        outcome = solve(name, program)
    except SolverFailedError:
        return
    assert not certify_cone_program(program, outcome.point, outcome.multipliers).holds(1e-3)


@every_cone_solver
def test_contract_the_program_is_not_changed(name: str) -> None:
    program = SOFT.to_cone_program()
    before = [program.P.toarray(), program.q.copy(), program.A.toarray(), program.b.copy()]
    solve(name, program)
    after = [program.P.toarray(), program.q, program.A.toarray(), program.b]
    for left, right in zip(before, after, strict=True):
        np.testing.assert_array_equal(left, right)


class Careless(Solver):
    """It writes to what it was given."""

    name, cones, module = "careless", (Zero, Nonnegative), "numpy"

    def run(self, program: ConeProgram, request: Request, **options: Any) -> Answer:
        del request, options
        program.q[:] = 0.0
        return Answer(np.zeros(program.q.size), np.zeros(program.b.size), Claim.OPTIMAL, "solved")


def test_a_solver_cannot_change_the_program_that_its_answer_is_judged_by() -> None:
    program = SOFT.to_cone_program()
    with pytest.raises(SolverFailedError, match=r"'careless' raised ValueError: .*read-only"):
        Careless().solve(program)
    assert program.q.any()


@every_solver
def test_contract_options_it_lacks_are_refused(solver: Solver) -> None:
    program = example_for(solver)
    values: dict[str, Any] = {"max_iter": 5, "time_limit": 10.0, "warm_start": np.zeros(len(SOFT))}
    for option, value in values.items():
        # A limit of time is kept for those that have none themselves.
        if option in {*solver.options, "time_limit"}:
            assert isinstance(solver.solve(program, **{option: value}), Outcome)
        else:
            with pytest.raises(UnsupportedOptionError, match=f"{solver.name}.* has no {option}; it has "):
                solver.solve(program, **{option: value})


EVERY = [*REGISTERED, *(find_solver(name) for name in CVXPY_ALL)]
WRONG: dict[type, Any] = {bool: "yes", int: 0.5, float: "much", str: 3}
"""Values that are not of a type."""


@together("solver", EVERY)
def test_contract_options_that_no_one_has_are_refused_by_name(solver: Solver) -> None:
    program = example_for(solver)
    for option in ("nonsense", "lagrange"):
        words = f"^solver '{solver.name}' has no option '{option}'; it has .*verbose"
        with pytest.raises(UnsupportedOptionError, match=words):
            solver.solve(program, **{option: 1})
    with pytest.raises(UnsupportedOptionError, match="no option 'verbos'; did you mean 'verbose'"):
        solver.solve(program, verbos=True)


@together("solver", EVERY)
def test_contract_options_of_a_wrong_type_are_refused_by_name(solver: Solver) -> None:
    program, settings = example_for(solver), solver.settings()
    assert settings is not None
    common = {"tol", "max_iter", "time_limit", "warm_start", "verbose"}
    typed = {name: type(value) for name, value in settings.items() if type(value) in WRONG and name not in common}
    assert typed or solver.name in NO_OPTIONS
    for option, kind in typed.items():
        with pytest.raises(ParameterError, match=f"^{option} must be .*'{solver.name}', but .* came") as caught:
            solver.solve(program, **{option: WRONG[kind]})
        assert len(str(caught.value)) < 200


def test_the_options_that_are_listed_are_those_that_the_back_ends_take() -> None:
    """Those of compiled functions are written down here: each is passed once, at its default or near it."""
    program = SOFT.to_cone_program()
    given: dict[str, dict[str, Any]] = {
        "scs": {"alpha": 1.5, "scale": 0.1, "rho_x": 1e-6, "eps_infeas": 1e-7, "normalize": True, "max_iters": 10_000},
        "daqp": {"primal_tol": 1e-7, "iter_limit": 1000, "sing_tol": 1e-11, "cycle_tol": 10.0, "rho_soft": 1e-6},
        "proxqp": {"mu_in": 1e-1, "mu_eq": 1e-3, "rho": 1e-6, "check_duality_gap": True, "compute_timings": True},
        "highs": {"primal_feasibility_tolerance": 1e-9, "presolve": "off", "threads": 1},
        "piqp": {"rho_init": 1e-6, "tau": 0.99, "backend": "sparse"},
        "osqp": {"rho": 0.1, "polishing": True},
        "clarabel": {"max_step_fraction": 0.99, "equilibrate_enable": False},
    }
    for name, options in given.items():
        for option, value in options.items():
            assert solve(name, program, **{option: value}).claim is Claim.OPTIMAL


@pytest.mark.parametrize("option", ["acceleration_lookback", "acceleration_interval", "adaptive_scale", "write_data"])
def test_scs_refuses_what_its_list_does_not_have(option: str) -> None:
    known = set(find_solver("scs").settings() or {})
    assert (option in known) == (option != "write_data")


def test_a_value_that_highs_would_leave_out_is_refused() -> None:
    program = SOFT.to_cone_program()
    for options in ({"primal_feasibility_tolerance": -1.0}, {"presolve": "perhaps"}):
        with pytest.raises(ParameterError, match=r"must be a value that HiGHS takes, but .* its default is"):
            solve("highs", program, **options)


def test_highs_is_asked_for_no_less_than_it_takes() -> None:
    """Below 1e-10 it keeps its default of 1e-7 in silence."""
    program = cone_program(np.zeros((1, 1)), [1], [[-1]], [-1 / 3], [Nonnegative(1)])
    adapter: Any = find_solver("highs")
    assert adapter._common(Request(1e-12))["primal_feasibility_tolerance"] == 1e-10
    assert adapter.solve(program, tol=1e-12).claim is Claim.OPTIMAL


@together("name", CVXPY_ALL)
def test_limits_reach_the_solvers_of_cvxpy(name: str) -> None:
    program = manufacture("weighted epsilon-insensitive").program.to_cone_program()
    solver = find_solver(name)
    assert solver.solve(program, max_iter=1).claim in {Claim.STOPPED, Claim.FAILED}
    limits: dict[str, Any] = {"time_limit": 60.0} if "time_limit" in solver.options else {}
    assert solver.solve(program, max_iter=10_000, **limits).claim is Claim.OPTIMAL


def test_a_solver_of_cvxpy_without_limits_says_who_has_them() -> None:
    program = SOFT.to_cone_program()
    with pytest.raises(UnsupportedOptionError, match=r"'cvxpy:SCIPY' has no max_iter.*take it are CLARABEL, .*SCS"):
        find_solver("cvxpy:SCIPY").solve(program, max_iter=3)
    with pytest.raises(UnsupportedOptionError, match="'cvxpy:OSQP' has no warm_start"):
        find_solver("cvxpy:OSQP").solve(program, warm_start=np.zeros(program.q.size))


NONSENSE: list[tuple[dict[str, Any], str]] = [
    ({"tol": 0.0}, "tol"),
    ({"tol": -1e-6}, "tol"),
    ({"tol": np.nan}, "tol"),
    ({"tol": np.inf}, "tol"),
    ({"tol": 1.0}, "tol must be above 0 and below 1, but 1 came: it is the relative gap"),
    ({"tol": 10}, "tol must be above 0 and below 1, but 10 came: it is the relative gap"),
    ({"tol": "small"}, "tol"),
    ({"max_iter": 0}, "max_iter"),
    ({"max_iter": -3}, "max_iter"),
    ({"max_iter": 2.5}, "max_iter"),
    ({"max_iter": 3.0}, "max_iter"),
    ({"max_iter": np.nan}, "max_iter"),
    ({"max_iter": np.inf}, "max_iter"),
    ({"max_iter": "many"}, "max_iter"),
    ({"time_limit": 0.0}, "time_limit"),
    ({"time_limit": -1.0}, "time_limit"),
    ({"time_limit": np.nan}, "time_limit"),
    ({"time_limit": "long"}, "time_limit"),
    ({"verbose": "x"}, "verbose must be True or False"),
    ({"isolate": "x"}, "isolate must be True or False"),
]
"""Values that are none of the options that mean the same for every solver, and words of the error."""


@every_solver
@together("options, words", NONSENSE)
def test_contract_nonsense_is_refused(solver: Solver, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        solver.solve(example_for(solver), **options)


@together("options, words", NONSENSE)
def test_who_chooses_a_solver_refuses_nonsense_as_solvers_do(options: dict[str, Any], words: str) -> None:
    for kind in (KernelQP, LinearSystem):
        program = EXAMPLES[kind]
        with pytest.raises(ParameterError, match=words):
            automatic_for(program).solve(program, **options)


@together("name", [n for n in CONE_SOLVERS if "max_iter" in find_solver(n).options and n != "highs"])
def test_contract_one_iteration_is_not_called_optimal(name: str) -> None:
    program = manufacture("weighted epsilon-insensitive").program.to_cone_program()
    try:
        outcome = solve(name, program, max_iter=1)
    except SolverFailedError:
        return
    assert outcome.claim in {Claim.STOPPED, Claim.FAILED}
    assert not certify_cone_program(program, outcome.point, outcome.multipliers).holds(GRANTED)


@together("name", [name for name in CONE_SOLVERS if "warm_start" in find_solver(name).options])
def test_contract_a_start_reaches_the_back_end(name: str) -> None:
    program = SOFT.to_cone_program()
    best = solve(name, program)
    warm = solve(name, program, warm_start=best.point)
    assert warm.claim is Claim.OPTIMAL
    # After one iteration the answer still depends on where it began, and on its multipliers.
    point = ConePoint(best.point, best.multipliers)
    starts = (None, best.point, point)
    first = [solve(name, program, max_iter=1, warm_start=start).point for start in starts]
    errors = [np.abs(answer - best.point).max() for answer in first]
    assert errors[0] > 1e-3
    assert errors[2] < min(1e-3, errors[1])
    assert solve(name, program, warm_start=best).claim is Claim.OPTIMAL


@pytest.mark.parametrize("name", [name for name in CONE_SOLVERS if "warm_start" in find_solver(name).options])
def test_contract_a_start_of_another_size_is_refused(name: str) -> None:
    program = SOFT.to_cone_program()
    n, rows = program.q.size, program.b.size
    with pytest.raises(ShapeError, match=f"warm_start must have {n} entries"):
        solve(name, program, warm_start=np.zeros(n + 1))
    with pytest.raises(ShapeError, match=f"the multipliers of warm_start must have {rows} entries"):
        solve(name, program, warm_start=ConePoint(np.zeros(n), np.zeros(rows + 1)))
    with pytest.raises(NonFiniteError, match=r"warm_start\[0\] is nan"):
        solve(name, program, warm_start=np.full(n, np.nan))


def test_options_of_the_back_end_reach_it() -> None:
    program = SOFT.to_cone_program()
    assert solve("clarabel", program, max_iter=2).iterations == 2
    assert solve("osqp", program, max_iter=25, check_termination=5).iterations in {5, 10, 15, 20, 25}
    with pytest.raises(SolverFailedError) as caught:
        solve("osqp", program, rho=-1.0)
    assert caught.value.__cause__ is not None


def test_the_tolerance_reaches_the_back_end() -> None:
    program = SOFT.to_cone_program()
    for name in ("osqp", "scs", "proxqp", "piqp", "clarabel"):
        loose, tight = (find_solver(name).solve(program, tol=tol) for tol in (1e-2, 1e-9))
        gaps = [certify_cone_program(program, answer.point, answer.multipliers) for answer in (loose, tight)]
        assert repair(program, tight.point, tight.multipliers, 1e-7).certificate.holds(1e-7)
        assert abs(gaps[1].relative_gap) <= abs(gaps[0].relative_gap) + 1e-12


@pytest.mark.parametrize("name", ["clarabel", "osqp", "scs"])
def test_a_solver_is_silent_unless_asked(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    solve(name, SOFT.to_cone_program())
    assert capfd.readouterr().out == ""
    find_solver(name).solve(SOFT.to_cone_program(), verbose=True)
    assert capfd.readouterr().out != ""


def test_the_first_answer_of_highs_in_a_process_comes_in_silence() -> None:
    """It prints its version when the first of its objects is made; what was printed before is not lost with that."""
    script = "print('before')\nfrom qpkernels.solvers import find_solver\nfind_solver('highs').load()\nprint('after')"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (result.stdout, result.stderr) == ("before\nafter\n", "")


def test_an_outcome_names_its_solver() -> None:
    outcome = Foreign().solve(SOFT, tol=1e-3)
    assert (outcome.solver, outcome.message, outcome.claim) == ("foreign", "tol 0.001", Claim.STOPPED)
    assert outcome.seconds >= 0.0
    assert outcome.iterations is None


@pytest.mark.parametrize("error", [ValueError("bad matrix"), ZeroDivisionError("x"), MemoryError(), SystemExit("no")])
def test_an_exception_of_the_back_end_keeps_its_cause(error: BaseException) -> None:
    with pytest.raises(SolverFailedError, match=f"'foreign' raised {type(error).__name__}: {error}") as caught:
        Foreign().solve(SOFT, fail=error)
    assert caught.value.__cause__ is error


WRONG_POINTS = {
    "(0,) of float64": np.zeros(0),
    "(3,) of float64": np.zeros(3),
    f"({len(SOFT)}, 1) of float64": np.zeros((len(SOFT), 1)),
    f"({len(SOFT)},) of complex128": np.zeros(len(SOFT), dtype=complex),
    f"({len(SOFT)},) of object": np.full(len(SOFT), None),
    "NoneType": None,
    "list": [0.0] * len(SOFT),
}


@pytest.mark.parametrize("came", WRONG_POINTS)
def test_a_point_that_is_none_is_refused(came: str) -> None:
    class Careless(Foreign):
        """Answers for another program."""

        def run(self, program: Any, request: Request, **options: Any) -> Answer:
            return replace(super().run(program, request, **options), point=WRONG_POINTS[came])

    with pytest.raises(
        SolverFailedError, match=rf"shapes \({len(SOFT)},\) and \(1,\), .* returned {re.escape(came)} and"
    ):
        Careless().solve(SOFT)
    with pytest.raises(SolverFailedError, match=r"and \(0,\), .*nan"):
        Foreign().solve(manufacture("hinge without intercept").program)


@pytest.mark.parametrize("returned", [None, [], 3, "optimal"], ids=repr)
def test_what_is_no_answer_is_refused(returned: Any) -> None:
    class Wordless(Foreign):
        """Returns something else."""

        def run(self, program: Any, request: Request, **options: Any) -> Answer:
            answer = super().run(program, request, **options)
            return replace(answer, claim=returned) if isinstance(returned, str) else returned

    with pytest.raises(SolverFailedError, match="'foreign' must return an Answer with a Claim, but returned"):
        Wordless().solve(SOFT)


def test_our_own_exceptions_pass_through() -> None:
    with pytest.raises(UnsupportedOptionError, match="mine"):
        Foreign().solve(SOFT, fail=UnsupportedOptionError("mine"))


@pytest.mark.parametrize("kind", [Missing, MissingInside])
def test_a_solver_that_is_not_installed_says_how_to_install_it(kind: type[Solver]) -> None:
    assert not kind().installed
    with pytest.raises(SolverNotInstalledError, match=r"nobody_has.*not installed; run: pip install missing-solver"):
        kind().solve(SOFT)
