# SPDX-License-Identifier: BSD-3-Clause
"""The intervals that are proved hold the exact optima, and no others are proved."""

from dataclasses import replace
from math import inf, nextafter

import mpmath as mp
import pytest

from proofs.documents import machines
from qpkernels.errors import NoProofError
from together import together


@together("seed", [0, 1])
def test_exact_optima_are_in_narrow_intervals(seed):
    for machine in machines(seed):
        proof = machine.proof
        assert mp.mpf(proof.lower) <= machine.optimum <= mp.mpf(proof.upper), machine.name
        assert proof.digits >= 9, machine.name


@together("seed", [0, 1])
def test_ends_beyond_the_optimum_are_refused(seed):
    """By one unit in the last place, and by some."""
    for machine in machines(seed):
        below = float(machine.optimum)
        below = below if mp.mpf(below) <= machine.optimum else nextafter(below, -inf)
        for key, inner in (("lower", inf), ("upper", -inf)):
            end = nextafter(below, inf) if key == "lower" else below
            end = end if mp.mpf(end) != machine.optimum else nextafter(end, inner)
            for _ in range(3):
                false = replace(machine.proof, claim={**machine.proof.claim, key: end.hex()})
                with pytest.raises(NoProofError, match=f"the {key} end is beyond what is proved"):
                    false.check()
                end = nextafter(end, inner)
