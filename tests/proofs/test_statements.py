# SPDX-License-Identifier: BSD-3-Clause
"""Whatever the checker computes of random statements is true, and weak duality holds between all of their answers."""

import json
import random
from itertools import product

import proofcheck
from proofs.documents import digest
from proofs.judge import untruths
from proofs.statements import cone_program, kernel_qp
from qpkernels.files.proofs.document import downward, upward
from together import together

COUNT = {kernel_qp: (50, proofcheck.kernel_qp), cone_program: (100, proofcheck.cone_program)}


@together("problem", COUNT, by=lambda problem: problem)
def test_what_is_computed_is_true(problem):
    count, compute = COUNT[problem]
    proved = 0
    for seed in range(count):
        statement, answers = problem(random.Random(seed))
        intervals = []
        for answer in answers:
            try:
                lower, upper = compute(statement, answer, {"kind": "interval"}, [])
            except proofcheck.FailedError:
                continue
            claim = {"kind": "interval", "lower": downward(lower).hex(), "upper": upward(upper).hex()}
            document = {"format": "kernel-machine-proof 1", "words": "", "sha256": digest(statement)}
            raw = json.dumps(document | {"statement": statement, "answer": answer, "claim": claim}).encode()
            assert "PROVED" in proofcheck.verify(raw, None)[-1], seed
            assert untruths(raw, None) == [], seed
            intervals.append((lower, upper))
        assert all(low <= high for (low, _), (_, high) in product(intervals, repeat=2)), seed
        proved += len(intervals)
    assert proved > count / 3
