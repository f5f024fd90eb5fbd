# SPDX-License-Identifier: BSD-3-Clause
"""Why an extended form has no solution, by the names that its user gave."""

from typing import Any

import cvxpy as cp
import numpy as np
import pytest

from formulations import HardMargin, HardTube, Logistic, SoftMargin
from formulations.modelling import Form
from model_data import measured, overlapping, separable, touching
from qpkernels.diagnosis import Conflict
from qpkernels.errors import InfeasibleError, NonFiniteError, ParameterError, UnboundedError


def primal() -> Any:
    return SoftMargin(*touching(), C=1.0).primal


def conflict_of(form: Form, **options: Any) -> Conflict:
    conflict = form.conflict(**options)
    assert conflict is not None
    assert conflict.is_irreducible
    assert conflict.certificate.holds(1e-6)
    return conflict


def test_labels_and_what_cvxpy_prints() -> None:
    form = primal()
    extended = form.extend((form.w[0] >= 2).set_label("floor"), form.w[0] <= 1, cp.sum(form.w) <= 9)
    conflict = conflict_of(extended)
    assert conflict.names == ("'floor'", f"constraint 4 ({form.w[0] <= 1})")
    assert conflict.multipliers.size == extended.lower().program.b.size
    for member in conflict.members:
        assert [point is not None for point in (member.point, *member.row_points)] == [True, True]
    with pytest.raises(InfeasibleError, match=r"among 'floor', constraint 4 \(w\[0\] <= 1.*conflict\(\) finds"):
        extended.solve()


def test_rows_of_the_users_and_of_the_textbooks_constraints() -> None:
    """No slack is below 0 (row 3 of the textbook's), and the user wants two of them to add up to less."""
    form = primal()
    conflict = conflict_of(form.extend((form.xi[3] + form.xi[5] <= -0.5).set_label("bribe")))
    assert conflict.names == ("'slack'", "'bribe'")
    assert [member.rows.tolist() for member in conflict.members] == [[3, 5], [0]]
    assert str(conflict).startswith("rows 3, 5 of 'slack' and 'bribe' contradict each other")


def test_a_vector_of_the_users() -> None:
    form = primal()
    caps = np.array([5.0, 0.5, 5.0])
    extended = form.extend(
        (cp.abs(form.w) <= caps).set_label("caps"), (form.w >= np.array([0, 1, 0])).set_label("floor")
    )
    conflict = conflict_of(extended)
    assert [(member.group.name, member.rows.tolist()) for member in conflict.members] == [
        ("'caps'", [1]),
        ("'floor'", [1]),
    ]


@pytest.mark.parametrize("norm", [cp.norm2, cp.norm1, cp.norm_inf, cp.sum_squares])
def test_what_a_norm_needs_belongs_to_its_constraint(norm: Any) -> None:
    form = primal()
    extended = form.extend((norm(form.w) <= 1).set_label("size"), (form.w[0] >= 2).set_label("floor"))
    assert conflict_of(extended).names == ("'size'", "'floor'")


def test_a_second_order_cone_of_the_users() -> None:
    form = primal()
    cone = cp.SOC(cp.Constant(1.0), form.w).set_label("ball")
    extended = form.extend(cone, (cp.sum(form.w) >= 2).set_label("floor"))
    assert conflict_of(extended).names == ("'ball'", "'floor'")
    relaxation = extended.relaxation("ball")
    # ||w|| >= 2 / sqrt(3) where the entries add up to 2.
    assert relaxation.total == pytest.approx(2 / np.sqrt(3) - 1, rel=1e-5)
    assert [concession.name for concession in relaxation.concessions] == ["'ball'"]


def test_a_constraint_of_constants() -> None:
    form = primal()
    extended = form.extend((cp.Constant(0.0) >= 1).set_label("never"))
    conflict = conflict_of(extended)
    assert conflict.names == ("'never'",)
    assert str(conflict).startswith("'never' contradicts itself")
    assert extended.relaxation().total == pytest.approx(1.0, rel=1e-6)


def test_duplicates_and_twin_labels() -> None:
    form = primal()
    twins = [(form.b <= 0).set_label("cap"), (form.b <= 0).set_label("cap"), (form.b >= 1).set_label("cap")]
    conflict = conflict_of(form.extend(*twins))
    assert conflict.names == ("'cap'", "'cap'")
    assert sum(member.group.rows.size for member in conflict.members) == 2


def test_domains_are_named() -> None:
    """The entropies of a dual are defined for alpha >= 0 only, and log(b) for b >= 0."""
    dual = Logistic(*touching(), C=1.0).dual
    negative = (dual.alpha[0] <= -1).set_label("negative")
    assert conflict_of(dual.extend(negative)).names == ("'negative'", "the domain of the objective")
    form = primal()
    signed = cp.Variable(2, nonneg=True, name="signed")
    extended = form.extend((cp.sum(signed) <= -1).set_label("sum"))
    assert conflict_of(extended).names == ("'sum'", "the domain of 'signed'")
    logarithm = form.extend((cp.log(form.b) >= -50).set_label("log"), (form.b <= -1).set_label("cap"))
    assert conflict_of(logarithm).names == ("'log'", "'cap'")


def test_a_parameter_without_a_number() -> None:
    form, limit = primal(), cp.Parameter(name="limit")
    extended = form.extend(form.w[0] <= limit)
    with pytest.raises(ParameterError, match="limit"):
        extended.conflict()
    limit._value = np.array(np.nan)  # CVXPY refuses it at the front door.
    for ask in (extended.conflict, extended.relaxation):
        with pytest.raises(NonFiniteError):
            ask()


def test_what_a_point_satisfies() -> None:
    form = primal()
    assert form.conflict() is None
    assert form.extend(form.w[0] >= 2).conflict() is None
    assert form.extend(form.w[0] >= 2).relaxation().total == 0.0


def test_which_constraints_give_way() -> None:
    form = primal()
    extended = form.extend((form.xi[3] <= -0.5).set_label("bribe"), (form.w[0] >= 2).set_label("floor"))
    (concession,) = extended.relaxation().concessions
    assert (concession.name, concession.amount) == ("'bribe'", pytest.approx(0.5, rel=1e-6))
    (other,) = extended.relaxation("slack").concessions
    assert (other.name, other.row, other.amount) == ("'slack'", 3, pytest.approx(0.5, rel=1e-6))
    with pytest.raises(InfeasibleError, match="do not give way contradict each other"):
        extended.relaxation("floor")
    with pytest.raises(ParameterError, match="no constraint is labelled 'flour'; the labels are 'margin', 'slack'"):
        extended.relaxation("flour")


def test_textbook_forms() -> None:
    margin = conflict_of(HardMargin(*overlapping()).primal)
    assert margin.names == ("'margin'",)
    assert 2 <= margin.members[0].rows.size <= 5
    tube = conflict_of(HardTube(*measured(), epsilon=0.5).primal)
    assert set(tube.names) == {"'above'", "'below'"}
    assert HardMargin(*separable()).primal.conflict() is None
    # One sample must leave the tube of the smallest width on each side, or one sample twice as far.
    assert HardTube(*measured(), epsilon=0.5).primal.relaxation().lower_bound > 0.1


@pytest.mark.parametrize("solver", ["clarabel", "scs"])
def test_the_ray_of_an_unbounded_extension(solver: str) -> None:
    form = primal()
    drift = cp.Variable(2, name="drift")
    extended = form.extend(drift[0] - drift[1] == 1, objective=-3 * drift[0])
    with pytest.raises(UnboundedError, match=r"falls by 3 .* along drift\[0\] by 1, drift\[1\] by 1") as caught:
        extended.solve(solver)
    ray = caught.value.ray
    assert ray.certificate.holds(1e-5)
    assert ray.values("drift") == pytest.approx([1.0, 1.0], abs=1e-6)
    assert np.abs(ray.values("w")).max() <= 1e-5
    assert ray.slope == pytest.approx(-3.0, rel=1e-6)
    # The point is feasible, and stays so along the ray.
    program = extended.lower().program
    for step in (0.0, 1.0, 1e3):
        s = program.b - program.A @ (ray.point + step * ray.direction)
        assert all(cone.violation(s[rows]) <= 1e-5 * (1 + step) for cone, rows in program.parts())
    values = [program.objective(ray.point + step * ray.direction) for step in (0.0, 1e3)]
    assert values[1] < values[0] - 2.9e3


def test_a_ray_without_a_point_is_no_unbounded_objective() -> None:
    form = primal()
    drift = cp.Variable(name="drift")
    extended = form.extend((form.b >= 1).set_label("floor"), (form.b <= 0).set_label("cap"), objective=-drift)
    for solver in ("clarabel", "scs"):
        with pytest.raises(InfeasibleError, match=r"contradict each other .*'floor', 'cap'"):
            extended.solve(solver)
