# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of files share: programs to write, and how one that was read back is compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st
from scipy.sparse import csc_array

from builders import cone_program
from qpkernels.problems import Cone, ConeProgram, Exponential, Nonnegative, Power, PSDTriangle, SecondOrder, Zero

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
"""Names that a file should keep: any text but NUL, which NumPy cuts off."""

LINEAR_CONES = st.lists(
    st.one_of(st.builds(Zero, st.integers(0, 3)), st.builds(Nonnegative, st.integers(0, 3))), max_size=4
)
ALL_CONES = st.lists(
    st.one_of(
        st.builds(Zero, st.integers(0, 3)),
        st.builds(Nonnegative, st.integers(0, 3)),
        st.builds(SecondOrder, st.integers(1, 3)),
        st.builds(PSDTriangle, st.integers(1, 2)),
        st.just(Exponential()),
        st.builds(Power, st.floats(0.01, 0.99)),
    ),
    max_size=5,
)


def random_program(cones: list[Cone], seed: int, name: str) -> ConeProgram:
    """Return a program of three variables with these cones; some of its numbers are 0, and none is round."""
    rng = np.random.default_rng(seed)
    rows = sum(cone.size for cone in cones)
    B, A = rng.normal(size=(3, 3)), rng.normal(size=(rows, 3)) * (rng.random(size=(rows, 3)) < 0.7)
    return cone_program(B @ B.T, rng.normal(size=3), A, rng.normal(size=rows), cones, rng.normal(), name)


def mirrored(program: ConeProgram) -> ConeProgram:
    """Return the program whose P is symmetric to the last digit, by its upper triangle."""
    upper = np.triu(program.P.toarray())
    return replace(program, P=csc_array(upper + np.triu(upper, 1).T))


def assert_same(one: ConeProgram, other: ConeProgram) -> None:
    """Fail unless the programs are equal in every number, cone, and name."""
    for name in ("P", "A"):
        np.testing.assert_array_equal(getattr(one, name).toarray(), getattr(other, name).toarray())
        assert type(getattr(one, name)) is type(getattr(other, name))
    for name in ("q", "b"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for name in ("cones", "variables", "rows", "offset", "name"):
        assert getattr(one, name) == getattr(other, name)
