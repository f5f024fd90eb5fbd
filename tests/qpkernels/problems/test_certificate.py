# SPDX-License-Identifier: BSD-3-Clause
"""Certificates made of two values."""

import numpy as np
import pytest

from qpkernels.problems import Certificate
from qpkernels.problems.certificate import certify_values, relative, undefined


def test_ratios() -> None:
    assert relative(0.0, 0.0) == 0.0
    assert relative(1.0, 0.0) == np.inf
    assert relative(1.0, 4.0) == 0.25
    assert not undefined("x").holds(np.inf)
    assert undefined("why").worst == "why"
    assert not Certificate(1, 1, 0, 0, np.nan, 0, "").holds(1)


def test_a_certificate_from_two_values() -> None:
    certificate = certify_values(10.0, 9.0, primal_residual=0.25, dual_residual=0.5, worst="here")
    assert (certificate.primal_value, certificate.dual_value) == (10.0, 9.0)
    assert certificate.relative_gap == certificate.complementarity == pytest.approx(0.1, rel=1e-15)
    assert (certificate.primal_residual, certificate.dual_residual, certificate.worst) == (0.25, 0.5, "here")
    assert certify_values(10.0, 9.0, largest=-0.5).complementarity == pytest.approx(0.05, rel=1e-15)
    # A dual value above the primal one is a contradiction, and counts as a gap as well.
    assert certify_values(9.0, 10.0).relative_gap == pytest.approx(0.1, rel=1e-15)


def test_no_value_is_small_enough_to_count_as_zero() -> None:
    assert certify_values(1e-300, 0.0).relative_gap == 1.0
    assert certify_values(0.0, 0.0).holds(0.0)


def test_the_gap_counts_the_rounding_of_the_values() -> None:
    certificate = certify_values(10.0, 9.0, rounding=0.5)
    assert certificate.relative_gap == pytest.approx(0.15, rel=1e-15)
    assert certificate.rounding == 0.5
    assert "of which 5.0e-02 is rounding" in str(certificate.card())
    assert not certify_values(1.0, 1.0, rounding=1e-5).holds(1e-6)
    assert not certify_values(0.0, 0.0, rounding=1e-300).holds(1e-6)
    assert not certify_values(1.0, 1.0, rounding=np.nan).holds(np.inf)


def test_an_optimum_of_0_is_one_whose_terms_all_vanish() -> None:
    assert certify_values(1e-17, -1e-18, rounding=1e-16, vanishing=True).holds(0.0)
    # Rounding that is a part of what a trivial answer costs proves that much.
    assert certify_values(1e-17, 0.0, rounding=1e-16, vanishing=True, unit=1e-15).relative_gap == pytest.approx(0.1)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_prove_nothing(bad: float) -> None:
    good: dict[str, float] = {"primal": 1.0, "dual": 1.0, "primal_residual": 0.0, "dual_residual": 0.0}
    assert certify_values(**good).holds(0.0)
    for name in good:
        certificate = certify_values(**(good | {name: bad}))
        assert not certificate.holds(np.inf)
        assert "NaN or infinity" in certificate.worst
