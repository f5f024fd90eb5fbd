# SPDX-License-Identifier: BSD-3-Clause
"""Changed files are refused, or are still true; ``python -m tests.proofs`` changes many more."""

from collections import Counter

from proofs.checker import runs, status
from proofs.judge import untruths
from proofs.mutations import changed


def test_whatever_is_still_called_proved_is_true(tmp_path):
    found = Counter()
    for seed in range(300):
        change = changed(seed)
        outcome = status(change.write(tmp_path))
        found[outcome] += 1
        assert outcome in (0, 2, 3)
        if outcome == 0:
            assert untruths(change.raw, tmp_path) == [], f"python -m tests.proofs --seed {seed}"
    assert min(found[outcome] for outcome in (0, 2, 3)) > 10


def test_each_file_may_have_a_process_of_its_own(tmp_path):
    with runs() as run:
        for seed in range(3):
            path = changed(seed).write(tmp_path)
            assert run(path).status == status(path)
