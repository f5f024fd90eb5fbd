# SPDX-License-Identifier: BSD-3-Clause
"""What a certificate says of itself in words."""

from dataclasses import replace

import numpy as np
import pytest

from qpkernels.problems import Certificate
from qpkernels.problems.certificate import undefined

GOOD = Certificate(2.0, 1.5, 1e-9, 2e-9, 3e-9, 1e-10, "sample 3 adds 1e-9 to the gap")


def test_a_proof_that_holds() -> None:
    text = GOOD.explain()
    assert text.startswith("The optimum lies between 1.5 and 2, ")
    assert "sample 3 adds 1e-9 to the gap" in text
    assert "This holds to 1e-06; the weakest part is the dual residual, 3.0e-09." in text


@pytest.mark.parametrize(
    ("part", "name", "advice"),
    [
        ("relative_gap", "relative gap", "Where a limit came first, such as max_iter, raise it"),
        ("primal_residual", "primal residual", "violates a constraint"),
        ("dual_residual", "dual residual", "multipliers violate"),
        ("complementarity", "complementarity", "others make up for it"),
    ],
)
def test_the_part_that_fails_most_is_named(part: str, name: str, advice: str) -> None:
    text = replace(GOOD, **{part: 0.25}).explain(1e-3)
    assert f"This does not hold to 0.001: the {name} is 2.5e-01." in text
    assert advice in text
    assert not any(
        other in text.split("does not hold")[1]
        for other in {"relative gap", "primal residual", "dual residual", "complementarity"} - {name}
    )


def test_a_residual_that_no_value_counts_is_no_proof_at_any_tolerance() -> None:
    loose = replace(GOOD, primal_residual=1e-7, uncounted=1e-7)
    assert not loose.holds(1e-3)
    assert not loose.holds(np.inf)
    assert (loose.error, loose.largest) == (np.inf, 1e-7)
    text = loose.explain(1e-3)
    assert "This is no proof yet: a primal residual of 1.0e-07 is in neither value" in text
    assert "must be within 1e-09 for every tol. The answer violates a constraint" in text
    assert replace(GOOD, uncounted=1e-9).holds(1e-8)


def test_a_gap_of_rounding_asks_for_no_smaller_tolerance() -> None:
    text = replace(GOOD, dual_value=2.0 - 1e-4, relative_gap=5e-3, rounding=1e-2).explain()
    assert text.endswith("Most of it, 1.0e-02, is rounding of the values; centre and scale the data.")
    assert "smaller tol" not in text
    assert "smaller tol" in replace(GOOD, dual_value=2.0 - 1e-2, relative_gap=5e-3, rounding=1e-4).explain()


def test_other_proofs() -> None:
    infeasible = Certificate(np.inf, np.inf, 0.0, 0.0, 1e-8, 0.0, "row 3 of 'margin' is the heaviest")
    assert infeasible.explain().startswith("No point satisfies the constraints, as multipliers prove: row 3 of")
    unbounded = Certificate(-np.inf, -np.inf, 0.0, 1e-2, 0.0, 0.0, "entry 1 of 'w'")
    assert unbounded.explain().startswith("The objective is unbounded below, as a direction proves: entry 1")
    assert "This does not hold to 1e-06: the primal residual is 1.0e-02" in unbounded.explain()
    assert undefined("the answer holds NaN").explain().startswith("Nothing is proved: the answer holds NaN.")
    assert "the dual residual is nan" in replace(GOOD, dual_residual=np.nan).explain()
